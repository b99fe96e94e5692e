// Finds which word of a command is its first key. The server is asked once for each command name; it also knows the
// commands of modules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "client/connection.h"

namespace millrace::client {

class KeyFinder {
 public:
  // Uses this connection for its questions. REQUIRES: the connection outlives it.
  explicit KeyFinder(Connection& server) : server_(server) {}

  // The first key, borrowed from the words; nullopt if the command has none or the server does not know the command.
  // Error: the server cannot be reached.
  Result<std::optional<std::string_view>> first_key(Words words);

 private:
  enum : int { kNoKey = 0, kAskEachTime = -1, kSubcommand = -2 };

  Result<int> position_of(std::string_view name, Words words);
  Result<int> ask(const std::string& name);
  Result<std::optional<std::string_view>> ask_for_key(Words words);

  Connection& server_;
  std::unordered_map<std::string, int> positions_;  // by name in lower case, "xgroup|create"
  std::string name_;
};

}  // namespace millrace::client
