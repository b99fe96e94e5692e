// /metrics for Prometheus: counters of the gateway and of the server, and the keys that the configuration names.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& metric_routes();

}  // namespace millrace::gateway
