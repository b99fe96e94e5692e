// The address of a server, as text:
//
//   db1:6379  db1  :6379  [::1]:6379           host and port, as Endpoint has them
//   redis://user:password@db1:6379/2           database 2; valkey:// is the same
//   rediss://db1:6380?cacert=/etc/ca.pem       TLS; valkeys:// is the same
//   unix:///run/redis.sock?db=2                a Unix socket; redis+socket:// and valkey+socket://
//                                              are the same; so is a path that begins with /
//   redis+sentinel://s1:26379,s2:26379/orders/2    the master of the service `orders`, as sentinels name
//                                              it; rediss+sentinel:// with TLS; valkey… too
//
// Parameters after ? are: db; for TLS cacert, cacertdir, cert, key, sni and insecure; for the sentinels themselves
// sentinel_user and sentinel_password. %2F and the like are decoded in a user, a password, a service and a value.
#pragma once

#include <string>
#include <string_view>

#include "client/connection.h"

namespace millrace::client {

// BadInput says what is wrong; it never contains a password.
Result<ConnectionOptions> parse_server_url(std::string_view text);

// The name of the server in messages and in checkpoints: its endpoint, or for sentinels
// "redis+sentinel://s1:26379,s2:26379/orders". Without user and password.
std::string name_of_server(const ConnectionOptions& server);

}  // namespace millrace::client
