// /v1/routes/{table}/changes: dispatches a change to the devices that must get it.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& change_routes();

}  // namespace millrace::gateway
