// /v1/connect: a WebSocket that follows and publishes.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& connect_routes();

}  // namespace millrace::gateway
