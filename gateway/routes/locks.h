// /v1/locks/{name}: locks with fencing tokens.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& lock_routes();

}  // namespace millrace::gateway
