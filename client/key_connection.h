// A connection to the server that has a key, or the keys of one slot. It follows redirects of a cluster, and returns to
// the original server if the other one cannot be reached.
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

  // As Connection::call(). A redirected command was not carried out, and is sent again to the right server.
  Result<Reply> call(Words words);
  Result<Reply> call(std::initializer_list<std::string_view> words) { return call(Words(words.begin(), words.size())); }

  // Sends all commands before it waits for the first answer: one round trip. Redirections are not followed: the command
  // was not carried out, and call() finds its server. REQUIRES: the answers to what is unread meanwhile are small
  Result<std::vector<Reply>> call_all(const std::vector<std::vector<std::string_view>>& commands);

  void close();
  // The connection of the last command. After a redirect it is a connection to the key's server.
  Connection& connection() { return connection_; }

 private:
  ConnectionOptions home_;
  Connection connection_;
  bool is_redirected_ = false;
};

}  // namespace millrace::client
