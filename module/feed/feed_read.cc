// FEED.READ: returns new messages of the keys of a feed, at once or to a waiting reader.
#include <algorithm>
#include <deque>
#include <memory>
#include <unordered_map>

#include "engine/feed/feed_handout.h"
#include "module/abi/blocked_client.h"
#include "module/abi/clock.h"
#include "module/abi/timer.h"
#include "module/feed/feed_commands.h"
#include "module/feed/feed_keys.h"
#include "module/feed/feed_requests.h"
#include "module/feed/feed_server.h"
#include "module/log/log_resources.h"

namespace millrace::module {

namespace {

// The most keys that are looked at in one call: many may be dirty although they have no messages for the reader.
constexpr int kMostKeys = 10'000;

// [[key, position, [message ...], more 0|1, missed] | [key, "gone"|"moved"] ...]
class FeedWriter final : public FeedSink {
 public:
  explicit FeedWriter(abi::Reply reply) : reply_(reply) {}

  // If there is no key, nothing is written, so that the reader can wait.
  bool is_empty() const { return keys_ == 0; }
  void finish() {
    if (!is_empty()) reply_.array_was(keys_);
  }

  void begin(const Watch& watch, ByteView position, uint64_t messages) override {
    begin_key();
    reply_.array(5);
    reply_.bytes(watch.key_name());
    reply_.bytes(position);
    reply_.array(messages);
  }
  void message(const Message& message) override {
    reply_.array(3);
    reply_.integer(static_cast<int64_t>(message.offset.value()));
    reply_.bytes(message.tag);
    reply_.bytes(message.entry);
  }
  void message(const ChannelPosition& position, const Message& message) override {
    reply_.array(3);
    reply_.bytes(to_text(position));
    reply_.bytes(message.tag);
    reply_.bytes(message.entry);
  }
  void end(bool more, uint64_t missed) override {
    reply_.integer(more ? 1 : 0);
    reply_.integer(static_cast<int64_t>(missed));
  }
  void lost(const Watch& watch, const char* how) {
    begin_key();
    reply_.array(2);
    reply_.bytes(watch.key_name());
    reply_.bytes(how);
  }

 private:
  void begin_key() {
    if (keys_++ == 0) reply_.array_later();
  }

  abi::Reply reply_;
  uint64_t keys_ = 0;
};

struct ReadLimits {
  uint64_t messages;
  uint64_t bytes;
};

ReadLimits limits_of(const FeedReadRequest& request) {
  return {request.max, request.bytes.value_or(log_limits().read_bytes)};
}

// Hands out the dirty keys of a feed in turn. The context is the reader's.
class Reading {
 public:
  Reading(abi::Context context, Feed& feed, const ReadLimits& limits)
      : context_(context),
        feed_(feed),
        user_(context),
        writer_(context.reply()),
        handout_(limits.messages, limits.bytes, writer_) {}

  // False if there was nothing, and nothing is written.
  bool run() {
    for (int i = 0; i < kMostKeys && !handout_.is_full(); ++i) {
      Watch* watch = feed_.next();
      if (watch == nullptr) break;
      hand_out(*watch);
    }
    writer_.finish();
    feed_.messages += handout_.given();
    feed_counters.messages += handout_.given();
    return !writer_.is_empty();
  }

 private:
  void hand_out(Watch& watch) {
    const abi::OwnedString name(watch.key_name());
    if (!user_.may_read(name)) return lose(watch, "gone");
    const OpenedKey key(context_, name);
    if (key.is_missing() && std::holds_alternative<BeforeBirth>(watch.position) && !context_.sends_elsewhere(name)) {
      return feed_.set_idle(watch);
    }
    switch (give(key, watch)) {
      case Handed::Gone:
        return lose(watch, context_.sends_elsewhere(name) ? "moved" : "gone");
      case Handed::NoRoom:
        return;
      case Handed::Some:
        key.note();
        return feed_.put_last(watch);
      case Handed::Nothing:
      case Handed::All:
        key.note();
        return feed_.set_idle(watch);
    }
  }

  Handed give(const OpenedKey& key, Watch& watch) {
    if (key.log() != nullptr) return handout_.give(*key.log(), watch);
    if (key.channel() != nullptr) return handout_.give(*key.channel(), watch, abi::now());
    return Handed::Gone;
  }

  // The feed no longer watches the key, and reports that once.
  void lose(Watch& watch, const char* how) {
    handout_.count_key();
    writer_.lost(watch, how);
    feed_.remove(watch);
  }

  abi::Context context_;
  Feed& feed_;
  abi::UserRights user_;
  FeedWriter writer_;
  FeedHandout handout_;
};

// --- readers that wait ---

class WaitingReader;
// Served in the order of arrival. A feed with waiting readers does not expire, so its address stays valid.
std::unordered_map<const Feed*, std::deque<WaitingReader*>> lines;

class WaitingReader final : public abi::BlockedClient {
 public:
  WaitingReader(Feed& feed, const ReadLimits& limits) : feed_(feed), limits_(limits) {
    lines[&feed].push_back(this);
    ++feed_.waiting;
    ++feed_counters.waiting;
  }

  // It is this reader's turn. The messages are read only when the host takes the answer, so that nothing is lost if the
  // client has disconnected.
  void take_turn() {
    leave_line();
    serve();
  }

 private:
  void answer(abi::Context context) override {
    end_wait();
    if (Reading(context, feed_, limits_).run()) {
      ++feed_counters.woken;
    } else {
      context.reply().array(0);
    }
    // There may be messages for the readers after it.
    wake_others();
  }
  void answer_timeout(abi::Reply reply) override { reply.array(0); }
  void left() override {
    leave_line();
    end_wait();
  }
  void left_unanswered() override {
    end_wait();
    wake_others();
  }

  void leave_line() {
    const auto line = lines.find(&feed_);
    std::erase(line->second, this);
    if (line->second.empty()) lines.erase(line);
  }
  void end_wait() {
    --feed_.waiting;
    --feed_counters.waiting;
    feed_.last_used = abi::monotonic_now();
  }
  void wake_others() {
    static constinit abi::Timer timer([](abi::Context context) { serve_feed_readers(context); });
    feed_.wake_readers();
    if (feeds().has_woken()) timer.set_at_latest(abi::now());
  }

  Feed& feed_;
  ReadLimits limits_;
};

}  // namespace

void serve_feed_readers(abi::Context) {
  if (!feeds().has_woken()) [[likely]] {
    return;
  }
  for (Feed* feed : feeds().take_woken()) {
    const auto line = lines.find(feed);
    if (line != lines.end()) line->second.front()->take_turn();
  }
}

void feed_read(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_feed_read(arguments.views(1));
  if (!request) return context.reply().error(request.error());
  const MonotonicMs now = abi::monotonic_now();
  const auto feed = feeds().find(context.database(), request->feed, abi::UserRights(context).name(), now);
  if (!feed) return context.reply().error(feed.error());
  (*feed)->last_used = now;
  const ReadLimits limits = limits_of(*request);
  // A reader does not overtake waiting readers.
  const bool may_wait = request->block_ms && !context.must_answer_at_once();
  if (!(may_wait && lines.contains(*feed)) && Reading(context, **feed, limits).run()) return;
  if (!may_wait) return context.reply().array(0);
  abi::block(context, *request->block_ms, std::make_unique<WaitingReader>(**feed, limits));
  (*feed)->wake_readers();
}

}  // namespace millrace::module
