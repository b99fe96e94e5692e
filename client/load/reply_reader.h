// Reads replies only as far as a load needs them: whether each one is an error, and which.
// The parser is hiredis's, without the objects it usually makes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/error.h"

struct redisReader;

namespace millrace::client {

class ReplyReader {
 public:
  struct Verdict {
    bool is_error = false;
    std::string_view error;  // borrowed until the next call
  };

  ReplyReader();

  void feed(std::string_view bytes);

  // The next reply, if it is there as a whole. An error inside an array, as EXEC answers it,
  // counts. Protocol: what came is not the Redis protocol; nothing can be read any more.
  Result<std::optional<Verdict>> next();

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Free> reader_;
  std::unique_ptr<std::string> error_;  // where hiredis's callbacks leave it
};

}  // namespace millrace::client
