// /v1/channels/{channel}: publishing to a channel and following it, by position or as a subscriber.
#pragma once

#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

const std::vector<Route>& channel_routes();

}  // namespace millrace::gateway
