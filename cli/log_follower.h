// Reads a log as it grows: from its own position, in frames, or for a group. Continues after the server was
// unreachable, and follows the key to another node of a cluster.
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
  std::optional<int64_t> attempts;      // how often a group has delivered it
  std::optional<int64_t> written = {};  // Unix milliseconds; unknown if read for a group
};

struct FollowedGroup {
  std::string name;
  std::string consumer;
  int64_t retry_ms = 30'000;  // messages that are not acknowledged by then are delivered again
};

struct FollowOptions {
  std::string key;
  std::string from = "-10";  // as in TREAD; not used with a group, which has its own position
  // Only without a group. since: start at the first message written then or later, instead of `from`. until: stop
  // before the first message written then or later. follows: if false, read only messages that exist at the start. Unix
  // milliseconds.
  std::optional<int64_t> since = {};
  std::optional<int64_t> until = {};
  bool follows = true;
  std::optional<FollowedGroup> group;
  client::Milliseconds connect_for{0};  // how long to try to reach a server that has not started yet
};

class LogFollower {
 public:
  // Called for each message, whose bytes are valid until it returns, and after the last message of an answer. False
  // ends following, and no message of that answer is acknowledged.
  struct Show {
    std::function<bool(const Message& message)> message;
    std::function<bool()> answer_ends;
  };
  // A message for the user, one sentence: the server cannot be reached, messages are missing, the log was created
  // again.
  using Tell = std::function<void(const std::string& sentence)>;

  LogFollower(client::ConnectionOptions server, FollowOptions options, StopSignal& stop);

  // Shows messages until the signal comes or `show` says so. With a group they are acknowledged after they were shown.
  // Error: the server was never reached, or refuses the command permanently. If the server is lost later, it waits for
  // it.
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
  client::Result<Offset> first_offset(const FrameHead& head);
  void hear_of_log(const FrameHead& head, const Tell& tell);
  void begin_again();
  void rest();

  client::Connection connection_;
  client::ConnectionOptions server_;
  FollowOptions options_;
  StopSignal& stop_;
  // Without a group:
  std::optional<Offset> next_;     // the offset to ask for, once the log was read for the first time
  std::optional<Offset> end_;      // where it ends, if it does not follow
  std::optional<LogEpoch> epoch_;  // epoch of the log that messages came from
  client::FrameReader frame_{std::string_view()};
  client::Milliseconds rest_{0};  // how long to wait before the next attempt
};

}  // namespace millrace::cli
