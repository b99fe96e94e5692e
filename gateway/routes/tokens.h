// Revoking tokens, as DSPS does, and tickets for clients that cannot send headers.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

// Below the prefix of DSPS.
const std::vector<Route>& admin_routes();
const std::vector<Route>& ticket_routes();

}  // namespace millrace::gateway
