// FEED.READ: returns new messages of the keys of a feed, at once or to a waiting reader.
#include <memory>
#include <optional>

#include "engine/feed/feed_handout.h"
#include "engine/feed/feed_reading.h"
#include "engine/waiting/waiting_room.h"
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
  void lost(const Watch& watch, bool is_elsewhere) override {
    begin_key();
    reply_.array(2);
    reply_.bytes(watch.key_name());
    reply_.bytes(is_elsewhere ? "moved" : "gone");
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

// The keys of this server, as the client of the context may see them.
class HostedFeedKeys final : public FeedKeys {
 public:
  explicit HostedFeedKeys(abi::Context context) : context_(context), user_(context) {}

  Found find(ByteView key) override {
    const abi::OwnedString name(key);
    if (!user_.may_read(name)) return {.is_hidden = true};
    opened_.emplace(context_, name);
    return {.log = opened_->log(), .channel = opened_->channel(), .is_missing = opened_->is_missing()};
  }
  bool is_elsewhere(ByteView key) override { return context_.sends_elsewhere(abi::OwnedString(key)); }
  void report_writes() override { opened_->note(); }

 private:
  abi::Context context_;
  abi::UserRights user_;
  std::optional<OpenedKey> opened_;
};

// False if there was nothing, and nothing is written.
bool read_and_reply(abi::Context context, Feed& feed, const ReadLimits& limits) {
  HostedFeedKeys keys(context);
  FeedWriter writer(context.reply());
  FeedHandout handout(limits.messages, limits.bytes, writer);
  read_feed(feed, keys, handout, abi::now());
  writer.finish();
  feed_counters.messages += handout.given();
  return !writer.is_empty();
}

// --- readers that wait ---

// One line for each feed. A feed with waiting readers does not expire, so its address stays valid.
WaitingRoom<const Feed*> readers;
constexpr ByteView kLine = "";

class WaitingReader final : public abi::BlockedClient, public Waiter {
 public:
  WaitingReader(Feed& feed, const ReadLimits& limits) : feed_(feed), limits_(limits) {
    readers.add(&feed, *this, Wait{.line = kLine});
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
    if (read_and_reply(context, feed_, limits_)) {
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

  void leave_line() { readers.remove(&feed_, *this); }
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
    const WaitingLines* line = readers.find(feed);
    if (line != nullptr) static_cast<WaitingReader*>(line->front(kLine))->take_turn();
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
  if (!(may_wait && readers.find(*feed) != nullptr) && read_and_reply(context, **feed, limits)) return;
  if (!may_wait) return context.reply().array(0);
  abi::block(context, *request->block_ms, std::make_unique<WaitingReader>(**feed, limits));
  (*feed)->wake_readers();
}

}  // namespace millrace::module
