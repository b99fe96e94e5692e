// Reads replies only as far as a load needs them: whether each one is an error, and which.
// The parser is hiredis's, without the objects it usually makes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/error.h"

struct redisReader;

namespace millrace::client {

class ReplyReader {
 public:
  // An error inside an array.
  struct ItemError {
    size_t item;  // in which of the array's items, counted from 0
    std::string error;
  };

  // What it says borrows from the reader until the next call.
  struct Verdict {
    bool is_error = false;
    std::string_view error = {};
    bool is_null = false;
    std::span<const ItemError> within = {};  // the first error of each item, in their order
  };

  // What was seen of a reply so far.
  struct Seen {
    std::string error;
    bool is_null = false;
    std::vector<ItemError> within;
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
  std::unique_ptr<Seen> seen_;  // where hiredis's callbacks note it
};

}  // namespace millrace::client
