// Reads a log in frames, from an offset on. It asks for the next frame before it returns the messages of the current
// one, so that server and program work at the same time.
//
//   client::LogReader reader(connection, "orders", {.from = Offset(1)});
//   for (Message message; reader.next(message);) …
//   if (auto failure = reader.failure()) …
//
// A program that stores position() together with its results can continue from there after a crash.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "client/connection.h"
#include "client/error.h"
#include "client/log/frame_reader.h"
#include "client/log/unpack_ahead.h"
#include "engine/base/message.h"
#include "engine/base/strong.h"

namespace millrace::client {

struct LogReaderOptions {
  Offset from{1};
  std::optional<LogEpoch> epoch = {};     // `from` is valid only for a log with this epoch
  uint64_t batch = 10'000;                // the most messages in one frame, 1 to 1,000,000
  std::optional<Milliseconds> wait = {};  // at the end of the log, wait this long for a message (0: for ever)
  unsigned threads = 0;                   // how many unpack cold messages ahead; 0: next() unpacks them all
};

class LogReader {
 public:
  // Borrows the connection, which must not be used otherwise while the reader exists.
  LogReader(Connection& connection, std::string key, LogReaderOptions options = {});
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;
  // Closes the connection if an answer is still pending.
  ~LogReader();

  // The next message; its views are valid until the next call. False at the end of the log, or if no message came in
  // time; in both cases it may be called again. Also false after a failure.
  bool next(Message& message);

  // Why reading has ended: the connection, an error of the server (BadInput; BADPOSITION if the log was deleted or
  // replaced), or an invalid frame.
  const std::optional<Error>& failure() const { return failure_; }

  // The offset after the message that was returned last: where to continue.
  Offset position() const { return position_; }
  // The epoch of the log, known after the first answer.
  std::optional<LogEpoch> epoch() const { return options_.epoch; }
  // Bytes of all frames so far.
  uint64_t bytes() const { return bytes_; }

 private:
  struct Answer {
    std::string frame;
    bool has_messages = false;
    std::optional<Error> failure = {};
  };

  Result<void> ask(Offset from);
  void take_answer();
  Answer receive();
  bool fail(Error error);

  Connection& connection_;
  const std::string key_;
  LogReaderOptions options_;
  Offset position_;
  std::deque<Answer> answers_;  // received answers; the first one is being read if is_open_
  bool is_open_ = false;
  bool is_asked_ = false;  // a request was sent and its answer not yet received
  uint64_t bytes_ = 0;
  std::optional<Error> failure_;
  std::unique_ptr<UnpackAhead> ahead_;  // destroyed before the frames that it borrows
  FrameReader frame_;
};

}  // namespace millrace::client
