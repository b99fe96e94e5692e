// Which word of a command is its first key. The server knows it of every command, those of
// modules included; it is asked once for each name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "client/connection.h"

namespace millrace::client {

class KeyFinder {
 public:
  // Asks over this connection, which outlives it.
  explicit KeyFinder(Connection& server) : server_(server) {}

  // The first key, borrowed from the words; nothing if the command has none or the server
  // does not know the command. An error: the server cannot be asked.
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
