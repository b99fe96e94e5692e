// What a console is told of a connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gateway/loop/event_loop.h"

namespace millrace::gateway {

// Who has a stream, and what it is: kept only for streams, of which there may be many.
struct StreamNote {
  std::string user;
  std::string token;  // its id (jti); empty: it has none
  std::string what;   // the path
  bool is_socket = false;
};

struct ConnectionNote {
  uint64_t number = 0;  // of its loop, in the order in which they came
  Moment since{};
  uint64_t sent = 0;                        // bytes
  std::unique_ptr<StreamNote> stream = {};  // null: requests, one after the other
};

}  // namespace millrace::gateway
