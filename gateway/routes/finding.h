// /v1/indexes/{index} and /v1/suggest/{dictionary}: finding documents and terms.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& finding_routes();

}  // namespace millrace::gateway
