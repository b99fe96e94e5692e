// Everything that can be done with a channel: the one place that decides which subscribers there are at present, what a
// receipt is worth, when a channel expires, and what replicas are told. A caller parses requests, carries out
// consequences (engine/operation/outcome.h), and decides nothing.
//
//   ChannelOperations channels(fill_with_randomness);
//   Outcome<std::optional<Clock>> published = channels.publish(place, {.pairs = id_and_content}, call);
//
// Replicas and files get effects. A replica calls the same functions with Call::decides false for requests that are
// repeated, and apply() for everything else; it comes to hold an equal channel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/channel/channel.h"
#include "engine/channel/channel_counters.h"
#include "engine/channel/channel_requests.h"
#include "engine/channel/fetch_sink.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"
#include "engine/waiting/waiting_lines.h"

namespace millrace {

struct ChannelLimits {
  BlockLimits blocks;
  uint64_t expire_ms = 1'800'000;                    // of a channel that is made without an expiry of its own
  uint64_t read_bytes = uint64_t{64} * 1024 * 1024;  // the payload of one answer that has no limit of its own
};

class ChannelOperations {
 public:
  // Fills a new channel's secret with random bytes.
  using FillSecret = void (*)(HashKey& secret);

  // Borrows the limits for its own lifetime; they may change meanwhile.
  ChannelOperations(FillSecret fill_secret, const ChannelLimits& limits) : fill_secret_(fill_secret), limits_(limits) {}

  const ChannelCounters& counters() const { return counters_; }

  // --- publishing ---
  // The clock of the message; nothing if a message that has not expired has its id. Makes the channel if it is missing.
  // Failure: Full, and nothing has changed; Corrupt if a repeated request finds no channel.
  Outcome<std::optional<Clock>> publish(Place<Channel>& place, const PublishRequest& request, const Call& call);
  // The same for several messages, a clock for each. All new ones are stored or none.
  Outcome<std::vector<std::optional<Clock>>> publish_several(Place<Channel>& place, const PublishRequest& request,
                                                             const Call& call);

  // --- subscribing ---
  // Failure: Exists.
  Outcome<Done> create(Place<Channel>& place, const CreateRequest& request, const Call& call);
  // The clock up to which the subscriber has acknowledged. Makes the channel if it is missing. `lines` are the fetches
  // that wait for this channel, null if none does: they must not expire by a shorter expiry. O(n) with n fetches that
  // wait if the expiry becomes shorter. Failure: Corrupt if a repeated request finds no channel.
  Outcome<Clock> subscribe(Place<Channel>& place, const SubscribeRequest& request, const Call& call,
                           WaitingLines* lines);
  // True if there was such a subscriber. Its fetches that wait fail with NoSubscriber then.
  Outcome<bool> unsubscribe(Place<Channel>& place, ByteView subscriber, const Call& call);

  // --- fetching. Failure: NoSubscriber ---
  // Gives what the subscriber has not acknowledged to the sink. Waits if it may and there is nothing: in the line of
  // the subscriber, for the offset that the next publication gets.
  Outcome<Done> fetch(Place<Channel>& place, FetchRequest& request, const Call& call, FetchSink& sink);
  // The channel of a request that waits has gone: another one may be in its place by the time it is tried again.
  static Wait start_afresh(FetchRequest& request) { return {.line = request.subscriber, .mark = 1, .seen = {}}; }
  // Whom to wake if anything may have happened to the channel: every fetch that waits.
  static Wake wake_all() { return {.mark = UINT64_MAX, .lines = Wake::Lines::None, .line = {}}; }
  // True if the subscriber moved on, false if it had acknowledged that before. Failure: also BadReceipt, and nothing
  // has changed.
  Outcome<bool> acknowledge(Place<Channel>& place, const ChannelAckRequest& request, const Call& call);

  // --- reading by position ---
  // Gives the messages behind a position to the sink. Changes nothing, and asks for no subscriber. A channel that is
  // missing is empty, and has no position. Failure: BadPosition.
  Result<Done> read(const Channel* channel, const ChannelReadRequest& request, UnixMs wall, PositionSink& sink);

  // --- for those that only look. Failure: NoSubscriber ---
  static Result<const Channel*> find_channel(const Channel* channel, ByteView channel_name);
  // A subscriber that lives at `now`.
  static Result<const Subscriber*> find_subscriber(const Channel* channel, ByteView channel_name, ByteView subscriber,
                                                   UnixMs now);

  // --- by itself ---
  // A subscriber that waits does not expire, nor does its channel: both are shown to be in use, well before they
  // would expire. Shows some thousand in one call.
  Consequences look_after(Place<Channel>& place, WaitingLines* lines, const Call& call);

  // --- repeating ---
  // What another engine has done or saved. Failure: Corrupt or Exists, and nothing has changed.
  Outcome<Done> apply(Place<Channel>& place, const ChannelEffect& effect, const Call& call);

 private:
  Channel& make(Place<Channel>& place, const CreateRequest& request, const Call& call, Consequences& follow);
  Result<Channel*> get_or_make(Place<Channel>& place, std::optional<uint64_t> expire_ms, const Call& call,
                               Consequences& follow);
  // A clock for each pair, into `clocks`.
  Result<void> publish_pairs(Place<Channel>& place, std::span<const ByteView> pairs, const Call& call,
                             const char* event, std::span<std::optional<Clock>> clocks, Consequences& follow);
  // A subscriber that lives at the time of the call. Changes nothing.
  static Result<Subscriber*> subscriber_at(Place<Channel>& place, ByteView name, const Call& call);
  // Moves the channel's clock to the present. That is an effect, at most one a millisecond: what expires by it follows
  // from it alone, and requests are told as they came.
  void move_clock(Channel& channel, const Call& call, Effects& effects);
  void count_expired(const Channel& channel, Offset first_before) {
    counters_.expired += channel.messages().first() - first_before;
  }
  static void touch(Channel& channel, Subscriber& subscriber, Consequences& follow);
  void give(const Channel& channel, ByteView channel_name, ByteView subscriber, const Fetch& fetch, FetchSink& sink);
  static void show_waiting(Channel& channel, WaitingLines& lines, Waiter& waiter, Consequences& follow);
  static void show_all_waiting(Channel& channel, WaitingLines& lines, uint64_t expire_ms, Consequences& follow);
  static Result<void> apply_to(Channel& channel, const ChannelEffect& effect, Consequences& follow);

  FillSecret fill_secret_;
  const ChannelLimits& limits_;
  ChannelCounters counters_;
};

}  // namespace millrace
