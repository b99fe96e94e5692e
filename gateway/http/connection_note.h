// Data about a connection for the console.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gateway/loop/event_loop.h"

namespace millrace::gateway {

// The user and the path of a stream. Stored only for streams, of which there may be many.
struct StreamNote {
  std::string user;
  std::string token;  // its id (jti); empty: it has none
  std::string what;   // the path
  bool is_socket = false;
};

struct ConnectionNote {
  uint64_t number = 0;  // number within its loop, in the order of arrival
  Moment since{};
  uint64_t sent = 0;                        // bytes
  std::unique_ptr<StreamNote> stream = {};  // null: requests, one after the other
};

}  // namespace millrace::gateway
