#include "cli/log_follower.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "client/cluster_map.h"

namespace millrace::cli {
namespace {

using client::Reply;
using client::Result;

// How long the server may keep us waiting for a message before it answers that none came:
// this distinguishes a quiet log from an unreachable server.
constexpr int64_t kBlockMs = 10'000;
constexpr int64_t kPatienceMs = 20'000;
constexpr client::Milliseconds kLongestRest{2000};
// The number of messages of a read, also for a group. A frame of so many messages of usual size has at most a megabyte.
constexpr const char* kFrameMessages = "10000";
constexpr const char* kGroupMessages = "100";

// The messages that a group was given; they borrow the answer.
std::vector<Message> messages_in(const Reply& reply) {
  std::vector<Message> messages;
  for (const Reply& item : reply.items) {
    if (item.items.size() < 3) continue;
    Message& message = messages.emplace_back();
    message.offset = item.items[0].integer;
    message.tag = item.items[1].text;
    message.entry = item.items[2].text;
    if (item.items.size() > 3) message.attempts = item.items[3].integer;
  }
  return messages;
}

// Where to start reading the log, from the user's option: an offset, -n for the last n, or $.
Offset start_of(const std::string& from, const FrameHead& log) {
  if (from == "$") return log.log_next;
  const int64_t number = std::stoll(from);
  if (number > 0) return Offset(static_cast<uint64_t>(number));
  if (log.log_first == log.log_next) return log.log_next;
  const auto back = static_cast<uint64_t>(-number);
  return back < log.log_next.value() ? log.log_next - back : Offset(1);
}

}  // namespace

LogFollower::LogFollower(client::ConnectionOptions server, FollowOptions options, StopSignal& stop)
    : connection_(server), server_(std::move(server)), options_(std::move(options)), stop_(stop) {}

Result<void> LogFollower::follow(const Show& show, const Tell& tell) {
  if (auto opened = connection_.open_within(options_.connect_for); !opened) return opened;
  bool is_away = false;
  while (!stop_.came()) {
    if (is_away) {
      if (!comes_back(tell)) {
        rest();
        continue;
      }
      is_away = false;
    }
    auto reply = ask();
    if (stop_.came()) break;
    if (!reply) {
      tell(reply.error().text + "; trying again until it is back");
      is_away = true;
      continue;
    }
    auto next = take(*reply, show, tell);
    if (!next) return std::unexpected(next.error());
    if (*next == Next::Stop) break;
    if (*next == Next::TryAgain) rest();
    if (*next == Next::Go) rest_ = client::Milliseconds(0);
  }
  return {};
}

// Asks for messages and waits for them, or for the signal. The first request asks for no messages, only for the state
// of the log. From then on the log is read by offset, so that no message written between two requests is missed.
Result<Reply> LogFollower::ask() {
  const std::string block = std::to_string(kBlockMs);
  const std::string retry = options_.group ? std::to_string(options_.group->retry_ms) : "";
  const std::string position =
      next_ ? (epoch_ ? std::to_string(epoch_->value()) + "." : "") + std::to_string(next_->value()) : "1";
  std::vector<std::string_view> words = {options_.group ? "TREADGROUP" : "TREAD", options_.key, position};
  if (options_.group) {
    words.insert(words.end(),
                 {kGroupMessages, "BLOCK", block, "GROUP", options_.group->name, "RETRY", retry, "0", "WITHATTEMPTS"});
    if (!options_.group->consumer.empty()) words.insert(words.end(), {"CONSUMER", options_.group->consumer});
  } else if (next_) {
    words.insert(words.end(), {kFrameMessages, "FRAMED"});
    if (options_.follows) words.insert(words.end(), {"BLOCK", block});
  } else {
    words.insert(words.end(), {"0", "FRAMED"});
  }
  if (auto sent = connection_.send(words); !sent) return std::unexpected(sent.error());
  const auto last = std::chrono::steady_clock::now() + client::Milliseconds(kBlockMs + kPatienceMs);
  while (true) {
    // A readable descriptor does not mean that there is an answer: TLS sends its own messages.
    auto reply = connection_.receive_some();
    if (!reply) return std::unexpected(reply.error());
    if (*reply) return std::move(**reply);
    pollfd waited[] = {{connection_.descriptor(), POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
    const auto left = std::chrono::ceil<client::Milliseconds>(last - std::chrono::steady_clock::now());
    poll(waited, 2, static_cast<int>(std::max(left, client::Milliseconds(0)).count()));
    if (left > client::Milliseconds(0) && !stop_.came()) continue;
    connection_.close();
    return client::fail(client::ErrorCode::TimedOut, connection_.endpoint().text() + " does not answer");
  }
}

Result<LogFollower::Next> LogFollower::take(const Reply& reply, const Show& show, const Tell& tell) {
  if (reply.is_error()) return take_error(reply.text, tell);
  return options_.group ? take_delivery(reply, show, tell) : take_frame(reply, show, tell);
}

Result<LogFollower::Next> LogFollower::take_frame(const Reply& reply, const Show& show, const Tell& tell) {
  if (reply.is_nil()) {
    // Nothing has come for a while: the log may be shorter than what we wait for.
    const auto log = connection_.call({"TREAD", options_.key, "1", "0", "FRAMED"});
    if (!log || log->kind != Reply::Kind::Text) return Next::Go;
    frame_.open(log->text);
    if (!frame_.failure()) hear_of_log(frame_.head(), tell);
    return Next::Go;
  }
  frame_.open(reply.text);
  if (auto failure = frame_.failure()) return std::unexpected(*failure);
  if (!next_) {
    const auto first = first_offset(frame_.head());
    if (!first) return std::unexpected(first.error());
    next_ = *first;
    if (!options_.follows) end_ = frame_.head().log_next;
    return end_ && *next_ >= *end_ ? Next::Stop : Next::Go;
  }
  bool may_miss = epoch_.has_value();
  for (millrace::Message message; frame_.next(message); may_miss = false) {
    if (may_miss && message.offset > *next_) {
      tell("messages " + std::to_string(next_->value()) + " to " + std::to_string(message.offset.value() - 1) +
           " were evicted or replaced before they could be read");
    }
    const auto written = static_cast<int64_t>(message.written.value());
    if ((options_.until && written >= *options_.until) || (end_ && message.offset >= *end_)) {
      static_cast<void>(show.answer_ends());
      return Next::Stop;
    }
    const Message shown{static_cast<int64_t>(message.offset.value()), message.tag, message.entry, std::nullopt,
                        written};
    if (!show.message(shown)) return Next::Stop;
  }
  if (auto failure = frame_.failure()) return std::unexpected(*failure);
  next_ = frame_.head().end;
  epoch_ = frame_.head().epoch;
  if (!show.answer_ends()) return Next::Stop;
  // No more messages will come, even if the log was created again and is shorter.
  return end_ && (*next_ >= *end_ || frame_.head().count == 0) ? Next::Stop : Next::Go;
}

Result<LogFollower::Next> LogFollower::take_delivery(const Reply& reply, const Show& show, const Tell& tell) {
  const std::vector<Message> messages = messages_in(reply);
  if (messages.empty()) return Next::Go;
  for (const Message& message : messages) {
    if (!show.message(message)) return Next::Stop;
  }
  if (!show.answer_ends()) return Next::Stop;
  // If this fails, the group delivers them again: that is what RETRY is for.
  if (auto done = acknowledge(messages); !done) tell(done.error().text + "; not acknowledged, so they come again");
  return Next::Go;
}

Result<Offset> LogFollower::first_offset(const FrameHead& head) {
  if (!options_.since) return start_of(options_.from, head);
  const auto found = connection_.call({"TSEEK", options_.key, std::to_string(*options_.since)});
  if (!found) return std::unexpected(found.error());
  if (found->is_error()) return client::fail(client::ErrorCode::BadInput, found->text);
  return Offset(static_cast<uint64_t>(found->integer));
}

// Some errors are temporary states of the server; all others are final.
Result<LogFollower::Next> LogFollower::take_error(const std::string& text, const Tell& tell) {
  if (text.starts_with("BADPOSITION ")) {
    tell("the log was deleted or replaced; reading it from its beginning");
    begin_again();
    return Next::Go;
  }
  if (text.starts_with("MOVED ")) {
    auto there = client::redirection_target(text, connection_.endpoint());
    if (!there) return std::unexpected(there.error());
    server_.to = *there;
    server_.sentinels.reset();
    connection_ = client::Connection(server_);
    return Next::TryAgain;
  }
  // The sentinels know who is the master by now.
  if (server_.sentinels && text.starts_with("READONLY")) {
    connection_.close();
    return Next::TryAgain;
  }
  for (const std::string_view passing : {"LOADING", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "UNBLOCKED"}) {
    if (text.starts_with(passing)) return Next::TryAgain;
  }
  return client::fail(client::ErrorCode::BadInput, text);
}

Result<void> LogFollower::acknowledge(const std::vector<Message>& messages) {
  std::vector<std::string> offsets;
  for (const Message& message : messages) offsets.push_back(std::to_string(message.offset));
  std::vector<std::string_view> words = {"TACK", options_.key, options_.group->name};
  words.insert(words.end(), offsets.begin(), offsets.end());
  auto reply = connection_.call(words);
  if (!reply) return std::unexpected(reply.error());
  if (reply->is_error()) return client::fail(client::ErrorCode::BadInput, reply->text);
  return {};
}

// Whether the server answers again.
bool LogFollower::comes_back(const Tell& tell) {
  const auto reply = connection_.call({"TREAD", options_.key, "1", "0", "FRAMED"});
  if (!reply || reply->kind != Reply::Kind::Text) return false;
  frame_.open(reply->text);
  if (frame_.failure()) return false;
  tell(connection_.endpoint().text() + " is back");
  if (!options_.group) hear_of_log(frame_.head(), tell);
  return true;
}

// If the log ends before the last message we have seen, it has lost messages: its server came back without them.
// Waiting for the old position could take a long time.
void LogFollower::hear_of_log(const FrameHead& head, const Tell& tell) {
  if (!epoch_ || head.epoch != *epoch_ || head.log_next >= *next_) return;
  tell("the log is shorter than before; reading it from its beginning");
  begin_again();
}

void LogFollower::begin_again() {
  next_ = Offset(1);
  epoch_.reset();
}

// Waits before the next attempt, a little longer each time, but not for the signal.
void LogFollower::rest() {
  rest_ = std::clamp(rest_ * 2, client::Milliseconds(50), kLongestRest);
  pollfd waited{stop_.descriptor(), POLLIN, 0};
  poll(&waited, 1, static_cast<int>(rest_.count()));
}

}  // namespace millrace::cli
