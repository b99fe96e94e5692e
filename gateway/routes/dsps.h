// The HTTP interface of DSPS: channels with long polling, exactly as its own server implements it.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& dsps_routes();

}  // namespace millrace::gateway
