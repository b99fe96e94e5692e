// The page of the console, which needs no token because it contains no data. Its data comes from /v1/admin.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& console_page_routes();

}  // namespace millrace::gateway
