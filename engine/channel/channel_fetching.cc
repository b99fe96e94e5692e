// ChannelOperations: fetching, and subscribers that wait.
#include <algorithm>
#include <string>

#include "engine/channel/channel_effects.h"
#include "engine/channel/channel_operations.h"
#include "engine/channel/receipt.h"

namespace millrace {

namespace {

// How many subscribers one call of look_after() marks as active.
constexpr int kShownPerTurn = 1000;
constexpr uint64_t kLongestRestMs = 60'000;

// When a waiting subscriber is marked as active next: well before it would expire, and at least once a minute, because
// the caller keeps the date until then even if no client waits any more.
UnixMs next_sign(UnixMs last, uint64_t expire_ms) {
  return last + std::clamp<uint64_t>(expire_ms / 3, 1, kLongestRestMs);
}

}  // namespace

void ChannelOperations::give(const Channel& channel, ByteView channel_name, ByteView subscriber, const Fetch& fetch,
                             FetchSink& sink) {
  sink.begin(fetch.count);
  if (fetch.count == 0) return sink.end(std::nullopt, fetch.more);
  MessageBlocks::Cursor cursor(channel.messages(), fetch.from);
  Message message;
  for (uint64_t i = 0; i < fetch.count && cursor.next(message); ++i) sink.message(message);
  counters_.fetched += fetch.count;
  sink.end(issue_receipt(channel.head().secret, channel_name, subscriber, channel.receipt_for(fetch.last())),
           fetch.more);
}

Outcome<Done> ChannelOperations::fetch(Place<Channel>& place, FetchRequest& request, const Call& call,
                                       FetchSink& sink) {
  Outcome<Done> done;
  Consequences& follow = done.consequences;
  const auto found = subscriber_at(place, request.subscriber, call);
  if (!found) {
    done.answer = std::unexpected(found.error());
    return done;
  }
  Channel& channel = *place.get();
  move_clock(channel, call, follow.effects);
  touch(channel, **found, follow);
  if (!call.decides) {
    // A fetch changes nothing else, and the answer of a replicated request is not used.
    give(channel, place.name(), request.subscriber, Fetch(), sink);
    return done;
  }
  const Fetch fetch = channel.fetch(**found, request.max, request.max_bytes.value_or(limits_.read_bytes));
  if (fetch.count == 0 && call.may_wait) {
    request.has_waited = true;
    follow.effects.add(kChannelTouch, std::string(request.subscriber));
    follow.wait =
        Wait{.line = request.subscriber, .mark = channel.messages().next().value(), .seen = channel.now().value()};
    follow.look_after_at(next_sign(channel.now(), channel.head().expire_ms));
    return done;
  }
  give(channel, place.name(), request.subscriber, fetch, sink);
  if (request.has_waited) {
    follow.effects.add(kChannelTouch, std::string(request.subscriber));
  } else {
    follow.effects.add_request();
    follow.events.add("chan.fetch");
  }
  return done;
}

// --- subscribers that wait ---

void ChannelOperations::show_waiting(Channel& channel, WaitingLines& lines, Waiter& waiter, Consequences& follow) {
  lines.set_seen(waiter, channel.now().value());
  const ByteView name = lines.line_of(waiter);
  Subscriber* subscriber = channel.alive(name, channel.now());
  // It has expired, because the clock jumped: its fetch fails when it is tried again.
  if (subscriber == nullptr) {
    follow.wake = wake_all();
    return;
  }
  touch(channel, *subscriber, follow);
  follow.effects.add(kChannelTouch, std::string(name));
}

// The expiry is about to become shorter: waiting subscribers must be marked as active now, or they would expire.
void ChannelOperations::show_all_waiting(Channel& channel, WaitingLines& lines, uint64_t expire_ms,
                                         Consequences& follow) {
  for (Waiter* waiter : lines.everybody()) show_waiting(channel, lines, *waiter, follow);
  follow.look_after_at(next_sign(channel.now(), expire_ms));
}

Consequences ChannelOperations::look_after(Place<Channel>& place, WaitingLines* lines, const Call& call) {
  Consequences follow;
  if (place.get() == nullptr || lines == nullptr || lines->empty()) return follow;
  Channel& channel = *place.get();
  for (int i = 0; i < kShownPerTurn; ++i) {
    Waiter& waiter = *lines->longest_unseen();
    const UnixMs due = next_sign(UnixMs(lines->seen(waiter)), channel.head().expire_ms);
    if (due > call.now.wall) {
      follow.look_after_at(due);
      return follow;
    }
    move_clock(channel, call, follow.effects);
    show_waiting(channel, *lines, waiter, follow);
  }
  follow.look_after_at(call.now.wall + 1);
  return follow;
}

}  // namespace millrace
