// Replies out of the bytes of a connection, as plain values. The parser is hiredis's.
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

  // The next reply, if it is there as a whole. Protocol: what came is not the Redis protocol; nothing can be read any
  // more.
  Result<std::optional<Reply>> next();

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace millrace::client
