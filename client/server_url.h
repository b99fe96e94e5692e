// The address of a server as people write it:
//
//   db1:6379  db1  :6379  [::1]:6379           host and port, as Endpoint has them
//   redis://user:password@db1:6379/2           database 2; valkey:// is the same
//   rediss://db1:6380?cacert=/etc/ca.pem       TLS; valkeys:// is the same
//   unix:///run/redis.sock?db=2                a Unix socket; redis+socket:// and valkey+socket://
//                                              are the same; so is a path that begins with /
//   redis+sentinel://s1:26379,s2:26379/orders/2    the master of the service `orders`, as sentinels name
//                                              it; rediss+sentinel:// with TLS; valkey… too
//
// Behind ? stand db, and for TLS cacert, cacertdir, cert, key, sni and insecure; for the
// sentinels themselves sentinel_user and sentinel_password. In a user, a password, a service
// and a value %2F and the like are decoded.
#pragma once

#include <string>
#include <string_view>

#include "client/connection.h"

namespace millrace::client {

// BadInput says what is wrong; a password is never part of that.
Result<ConnectionOptions> parse_server_url(std::string_view text);

// How the server is named in messages and in checkpoints: its endpoint, or for sentinels
// "redis+sentinel://s1:26379,s2:26379/orders". Without user and password.
std::string name_of_server(const ConnectionOptions& server);

}  // namespace millrace::client
