// The console: its page, which needs no token because it holds no data. What it shows comes from /v1/admin.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& console_page_routes();

}  // namespace millrace::gateway
