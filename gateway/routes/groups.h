// /v1/logs/{log}/groups/{group}: a work queue over HTTP, for any language and for functions that scale to zero.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& group_routes();

}  // namespace millrace::gateway
