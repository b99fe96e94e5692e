// `millrace serve`: the same deliveries for browsers, phones and curl. One process without state of its own, before one
// server or a cluster; as many beside each other as one likes.
#pragma once

#include <functional>
#include <string>

#include "client/connection.h"
#include "gateway/config/config.h"

namespace millrace::gateway {

// Whether serve() could use it: what cannot be seen in one setting alone, and the files that it names.
client::Result<void> check(const Config& config);

// Serves until SIGTERM or Ctrl-C, and then ends in order. `tell` gets sentences for people, the first when it listens.
// BadInput: it cannot listen, or a file of the configuration is of no use.
client::Result<void> serve(const Config& config, const client::ConnectionOptions& server,
                           const std::function<void(const std::string&)>& tell);

}  // namespace millrace::gateway
