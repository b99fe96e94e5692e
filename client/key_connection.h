// A connection to the server that keeps a key, or keys of one slot: it follows the redirections of a cluster, and
// returns to the server that it was given when the other one is gone.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "client/connection.h"

namespace millrace::client {

class KeyConnection {
 public:
  // Opens nothing yet.
  explicit KeyConnection(ConnectionOptions home) : home_(std::move(home)), connection_(home_) {}

  // As Connection::call(). A command that was redirected was not carried out, and is sent again where it belongs.
  Result<Reply> call(Words words);
  Result<Reply> call(std::initializer_list<std::string_view> words) { return call(Words(words.begin(), words.size())); }

  // Sends all commands before it waits for the first answer: one round trip. Redirections are not followed: the command
  // was not carried out, and call() finds its server. REQUIRES: the answers to what is unread meanwhile are small
  Result<std::vector<Reply>> call_all(const std::vector<std::vector<std::string_view>>& commands);

  void close();
  // Where the last command went. After a redirection it belongs to the key's server.
  Connection& connection() { return connection_; }

 private:
  ConnectionOptions home_;
  Connection connection_;
  bool is_redirected_ = false;
};

}  // namespace millrace::client
