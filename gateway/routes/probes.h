// Whether the gateway lives, and whether it can serve: for the systems that restart it and those that send it
// clients; and what it offers.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& probe_routes();

}  // namespace millrace::gateway
