// Reads replies only as far as a load needs them: whether each one is an error, and which.
// The parser is hiredis's, without the reply objects that it usually creates.
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
    size_t item;  // index of the item in the array
    std::string error;
  };

  // Its text is borrowed from the reader until the next call.
  struct Verdict {
    bool is_error = false;
    std::string_view error = {};
    bool is_null = false;
    std::span<const ItemError> within = {};  // the first error of each item, in their order
  };

  // The state of a partly parsed reply.
  struct Seen {
    std::string error;
    bool is_null = false;
    std::vector<ItemError> within;
  };

  ReplyReader();

  void feed(std::string_view bytes);

  // The next reply, if it is complete. An error inside an array, as in an answer of EXEC, counts as an error. Protocol:
  // the bytes are not valid Redis protocol; nothing more can be read.
  Result<std::optional<Verdict>> next();

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Free> reader_;
  std::unique_ptr<Seen> seen_;  // filled by hiredis's callbacks
};

}  // namespace millrace::client
