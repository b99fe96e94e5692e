// /v1/channels/{channel}: publishing to a channel and following it, by position or as a subscriber.
#pragma once

#include <string>
#include <vector>

#include "gateway/routes/router.h"

namespace millrace::gateway {

// The command that subscribes, with the expiry that the rules have for the channel.
Words words_to_subscribe(const Services& services, const std::string& channel, const std::string& subscriber);

const std::vector<Route>& channel_routes();

}  // namespace millrace::gateway
