// Parses the bytes of a connection to replies, as plain values. The parser is hiredis's.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "client/error.h"
#include "client/reply.h"

struct redisReader;

namespace millrace::client {

class ReplyStream {
 public:
  ReplyStream();

  void feed(std::string_view bytes);

  // The next reply, if it is complete. Protocol: the bytes are not valid Redis protocol; nothing more can be read.
  Result<std::optional<Reply>> next();

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace millrace::client
