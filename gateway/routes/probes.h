// Liveness and readiness probes, for systems that restart the gateway and for load balancers, and a description of what
// the gateway offers.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& probe_routes();

}  // namespace millrace::gateway
