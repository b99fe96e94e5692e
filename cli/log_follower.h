// Reads a log as it grows: from a position of its own, in frames, or for a group. Goes on after the
// server was away, and follows the key to another node of a cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/stop_signal.h"
#include "client/connection.h"
#include "client/log/frame_reader.h"

namespace millrace::cli {

// Borrows its bytes.
struct Message {
  int64_t offset = 0;
  std::string_view tag;
  std::string_view entry;
  std::optional<int64_t> attempts;  // how often a group has delivered it
};

struct FollowedGroup {
  std::string name;
  std::string consumer;
  int64_t retry_ms = 30'000;  // what is not acknowledged by then is delivered again
};

struct FollowOptions {
  std::string key;
  std::string from = "-10";  // as TREAD takes it; nothing with a group, which knows where it is
  std::optional<FollowedGroup> group;
  client::Milliseconds connect_for{0};  // how long to try to reach a server that is not there yet
};

class LogFollower {
 public:
  // What is done with a message, whose bytes live until it returns, and when the last one of an answer was shown. False
  // ends it, and nothing of that answer is acknowledged.
  struct Show {
    std::function<bool(const Message& message)> message;
    std::function<bool()> answer_ends;
  };
  // What people should know, in one sentence: the server is away, messages are missing, the log
  // was created again.
  using Tell = std::function<void(const std::string& sentence)>;

  LogFollower(client::ConnectionOptions server, FollowOptions options, StopSignal& stop);

  // Shows messages until the signal comes or `show` says so. With a group they are
  // acknowledged after they were shown. An error: the server was never there, or refuses the
  // command for good. A server that goes away later is waited for.
  client::Result<void> follow(const Show& show, const Tell& tell);

 private:
  enum class Next { Go, TryAgain, Stop };

  client::Result<client::Reply> ask();
  client::Result<Next> take(const client::Reply& reply, const Show& show, const Tell& tell);
  client::Result<Next> take_frame(const client::Reply& reply, const Show& show, const Tell& tell);
  client::Result<Next> take_delivery(const client::Reply& reply, const Show& show, const Tell& tell);
  client::Result<Next> take_error(const std::string& text, const Tell& tell);
  client::Result<void> acknowledge(const std::vector<Message>& messages);
  bool comes_back(const Tell& tell);
  void hear_of_log(const FrameHead& head, const Tell& tell);
  void begin_again();
  void rest();

  client::Connection connection_;
  client::ConnectionOptions server_;
  FollowOptions options_;
  StopSignal& stop_;
  // Without a group:
  std::optional<Offset> next_;     // the offset to ask for, once the log was looked at
  std::optional<LogEpoch> epoch_;  // of the log that messages came from
  client::FrameReader frame_{std::string_view()};
  client::Milliseconds rest_{0};  // how long to wait before the next attempt
};

}  // namespace millrace::cli
