// /v1/logs/{log}: writing, reading and following a log.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& log_routes();

}  // namespace millrace::gateway
