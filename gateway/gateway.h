// `millrace serve`: access to the server for browsers, phones and curl. One process without state of its own, in front
// of one server or a cluster. Any number of gateways can run in parallel.
#pragma once

#include <functional>
#include <string>

#include "client/connection.h"
#include "gateway/config/config.h"

namespace millrace::gateway {

// Checks whether serve() can use the configuration: rules that concern several settings, and the files that it names.
client::Result<void> check(const Config& config);

// Serves until SIGTERM or Ctrl-C, and then shuts down in an orderly way. `tell` gets messages for people, the first one
// when it listens. BadInput: it cannot listen, or a file that the configuration names cannot be used.
client::Result<void> serve(const Config& config, const client::ConnectionOptions& server,
                           const std::function<void(const std::string&)>& tell);

}  // namespace millrace::gateway
