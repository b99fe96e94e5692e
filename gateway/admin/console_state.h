// Data that consoles share: within a gateway, and within one of its loops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/admin/board.h"

namespace millrace::gateway {

class ConnectionHost;

// A log in a list of keys, for its rate.
struct SeenLog {
  int64_t time = 0;
  int64_t last = 0;
  std::optional<int64_t> rate = {};
};

// The state of one loop.
struct ConsoleState {
  ConsoleState(Board& shared, const std::vector<ConnectionHost*>& all) : board(shared), loops(all) {}

  Board& board;
  const std::vector<ConnectionHost*>& loops;  // of this gateway
  int64_t began = unix_ms();
  size_t streams = 0;
  std::unordered_map<std::string, size_t> streams_of = {};  // by the name of the user who has them
  std::unordered_map<std::string, SeenLog> seen_logs = {};
};

}  // namespace millrace::gateway
