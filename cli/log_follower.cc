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
// what tells a quiet log from a server that is gone.
constexpr int64_t kBlockMs = 10'000;
constexpr int64_t kPatienceMs = 20'000;
constexpr client::Milliseconds kLongestRest{2000};
constexpr const char* kBatch = "100";

// The messages of an answer; they borrow it. Evicted ones, which are null, are left out, and so
// is what WITHINFO gives.
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

// The log's last offset, where an answer begins with what WITHINFO gives: [first, last].
std::optional<int64_t> last_offset_in(const Reply& reply) {
  if (reply.items.empty() || reply.items[0].items.size() != 2) return std::nullopt;
  return reply.items[0].items[1].integer;
}

}  // namespace

LogFollower::LogFollower(client::ConnectionOptions server, FollowOptions options, StopSignal& stop)
    : connection_(server),
      server_(std::move(server)),
      options_(std::move(options)),
      stop_(stop),
      position_(options_.group ? "1" : options_.from) {}

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

// Asks for messages and waits for them, or for the signal.
Result<Reply> LogFollower::ask() {
  const std::string block = std::to_string(kBlockMs);
  std::vector<std::string_view> words = {"TREAD", options_.key, position_, kBatch, "BLOCK", block};
  const std::string retry = options_.group ? std::to_string(options_.group->retry_ms) : "";
  if (options_.group) {
    words.insert(words.end(), {"GROUP", options_.group->name, "RETRY", retry, "0", "WITHATTEMPTS"});
    if (!options_.group->consumer.empty()) words.insert(words.end(), {"CONSUMER", options_.group->consumer});
  } else {
    words.insert(words.end(), {"SKIP", "WITHINFO"});
  }
  if (auto sent = connection_.send(words); !sent) return std::unexpected(sent.error());
  const auto last = std::chrono::steady_clock::now() + client::Milliseconds(kBlockMs + kPatienceMs);
  while (true) {
    // A descriptor that is readable is no answer yet: TLS sends messages of its own.
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
  if (reply.is_error()) return take_error(reply.text);
  const std::vector<Message> messages = messages_in(reply);
  if (messages.empty()) {
    if (const auto last = last_offset_in(reply); last && !options_.group) hear_of_last(*last, tell);
    return Next::Go;
  }
  if (!options_.group) {
    if (expected_ && messages.front().offset > *expected_) {
      tell("messages " + std::to_string(*expected_) + " to " + std::to_string(messages.front().offset - 1) +
           " were evicted or replaced before they could be read");
    }
    expected_ = messages.back().offset + 1;
    position_ = std::to_string(*expected_);
  }
  if (!show(messages)) return Next::Stop;
  // If this fails, the group delivers them again: that is what RETRY is for.
  if (options_.group) {
    if (auto done = acknowledge(messages); !done) tell(done.error().text + "; not acknowledged, so they come again");
  }
  return Next::Go;
}

// Some errors are a state the server is in and leaves again; the others are the answer.
Result<LogFollower::Next> LogFollower::take_error(const std::string& text) {
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
  auto reply = connection_.call({"TREAD", options_.key, "1", "0", "WITHINFO"});
  const auto last = reply ? last_offset_in(*reply) : std::nullopt;
  if (!last) return false;
  tell(connection_.endpoint().text() + " is back");
  if (!options_.group) hear_of_last(*last, tell);
  return true;
}

// There is nothing for us yet, and this is the log's last offset. A log that ends before what
// we have seen was made anew, or its server came back without it: it begins again at 1, and
// waiting for the old position would be silence for a long time.
void LogFollower::hear_of_last(int64_t last, const Tell& tell) {
  if (expected_ && last + 1 < *expected_) {
    tell("the log is shorter than before; reading it from its beginning");
    expected_ = 1;
  } else if (!expected_ && (position_ == "$" || position_.starts_with('-'))) {
    // From here on by number: what is written before we ask again is not missed.
    expected_ = last + 1;
  } else {
    return;
  }
  position_ = std::to_string(*expected_);
}

// Waits before the next attempt, a little longer each time, but not for the signal.
void LogFollower::rest() {
  rest_ = std::clamp(rest_ * 2, client::Milliseconds(50), kLongestRest);
  pollfd waited{stop_.descriptor(), POLLIN, 0};
  poll(&waited, 1, static_cast<int>(rest_.count()));
}

}  // namespace millrace::cli
