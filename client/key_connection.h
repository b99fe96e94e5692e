// A connection to the server that keeps a key, or keys of one slot: it follows the redirections of a cluster, and
// returns to the server that it was given when the other one is gone.
#pragma once

#include <initializer_list>

#include "client/connection.h"

namespace millrace::client {

class KeyConnection {
 public:
  // Opens nothing yet.
  explicit KeyConnection(ConnectionOptions home) : home_(std::move(home)), connection_(home_) {}

  // As Connection::call(). A command that was redirected was not carried out, and is sent again where it belongs.
  Result<Reply> call(Words words);
  Result<Reply> call(std::initializer_list<std::string_view> words) { return call(Words(words.begin(), words.size())); }

  void close();
  // Where the last command went. After a redirection it belongs to the key's server.
  Connection& connection() { return connection_; }

 private:
  ConnectionOptions home_;
  Connection connection_;
  bool is_redirected_ = false;
};

}  // namespace millrace::client
