// All operations on a channel. Only this class decides which subscribers exist at present, whether a receipt is valid,
// when a channel expires, and what replicas are told. A caller parses requests and carries out consequences
// (engine/operation/outcome.h); it makes no decisions of its own.
//
//   ChannelOperations channels(fill_with_randomness);
//   Outcome<std::optional<Clock>> published = channels.publish(place, {.pairs = id_and_content}, call);
//
// Replicas and files get effects. A replica calls the same functions with Call::decides false for requests that are
// replicated as they are, and apply() for everything else. Its channel then equals the original.
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
  uint64_t expire_ms = 1'800'000;                    // for a channel that is created without an expiry
  uint64_t read_bytes = uint64_t{64} * 1024 * 1024;  // payload of one answer, for a request without its own limit
};

class ChannelOperations {
 public:
  // Fills a new channel's secret with random bytes.
  using FillSecret = void (*)(HashKey& secret);

  // Borrows the limits for its own lifetime; they may change meanwhile.
  ChannelOperations(FillSecret fill_secret, const ChannelLimits& limits) : fill_secret_(fill_secret), limits_(limits) {}

  const ChannelCounters& counters() const { return counters_; }

  // --- publishing ---
  // The clock of the message; nullopt if a message with this id has not expired. Creates the channel if it is missing.
  // Failure: Full, without any change; Corrupt, if a replicated request finds no channel.
  Outcome<std::optional<Clock>> publish(Place<Channel>& place, const PublishRequest& request, const Call& call);
  // The same for several messages, with a clock for each. Stores all new messages or none.
  Outcome<std::vector<std::optional<Clock>>> publish_several(Place<Channel>& place, const PublishRequest& request,
                                                             const Call& call);

  // --- subscribing ---
  // Failure: Exists.
  Outcome<Done> create(Place<Channel>& place, const CreateRequest& request, const Call& call);
  // Returns the clock up to which the subscriber has acknowledged. Creates the channel if it is missing. `lines` are
  // the fetches that wait for this channel, or null: their subscribers must not expire because of a shorter expiry.
  // O(waiting fetches) if the expiry becomes shorter. Failure: Corrupt, if a replicated request finds no channel.
  Outcome<Clock> subscribe(Place<Channel>& place, const SubscribeRequest& request, const Call& call,
                           WaitingLines* lines);
  // True if there was such a subscriber. Its waiting fetches then fail with NoSubscriber.
  Outcome<bool> unsubscribe(Place<Channel>& place, ByteView subscriber, const Call& call);

  // --- fetching. Failure: NoSubscriber ---
  // Gives the messages that the subscriber has not acknowledged to the sink. If there are none and it may wait, it
  // waits in the subscriber's line for the offset of the next publication.
  Outcome<Done> fetch(Place<Channel>& place, FetchRequest& request, const Call& call, FetchSink& sink);
  // The channel of a waiting request was deleted: there may be a new channel when the request is tried again.
  static Wait start_afresh(FetchRequest& request) { return {.line = request.subscriber, .mark = 1, .seen = {}}; }
  // Wakes every waiting fetch, for when the channel may have changed in any way.
  static Wake wake_all() { return {.mark = UINT64_MAX, .lines = Wake::Lines::None, .line = {}}; }
  // True if the subscriber advanced, false if it had acknowledged that before. Failure: also BadReceipt, without any
  // change.
  Outcome<bool> acknowledge(Place<Channel>& place, const ChannelAckRequest& request, const Call& call);

  // --- reading by position ---
  // Gives the messages after a position to the sink. Changes nothing and needs no subscriber. A missing channel is
  // treated as empty, and has no position. Failure: BadPosition.
  Result<Done> read(const Channel* channel, const ChannelReadRequest& request, UnixMs wall, PositionSink& sink);

  // --- for callers that only read. Failure: NoSubscriber ---
  static Result<const Channel*> find_channel(const Channel* channel, ByteView channel_name);
  // A subscriber that has not expired at `now`.
  static Result<const Subscriber*> find_subscriber(const Channel* channel, ByteView channel_name, ByteView subscriber,
                                                   UnixMs now);

  // --- background work ---
  // A subscriber with a waiting fetch does not expire, nor does its channel: both are marked as active well before they
  // would expire. One call marks some thousand.
  Consequences look_after(Place<Channel>& place, WaitingLines* lines, const Call& call);

  // --- effects from another engine ---
  // Applies what another engine has done or saved. Failure: Corrupt or Exists, without any change.
  Outcome<Done> apply(Place<Channel>& place, const ChannelEffect& effect, const Call& call);

 private:
  Channel& make(Place<Channel>& place, const CreateRequest& request, const Call& call, Consequences& follow);
  Result<Channel*> get_or_make(Place<Channel>& place, std::optional<uint64_t> expire_ms, const Call& call,
                               Consequences& follow);
  // Adds a clock to `clocks` for each pair.
  Result<void> publish_pairs(Place<Channel>& place, std::span<const ByteView> pairs, const Call& call,
                             const char* event, std::span<std::optional<Clock>> clocks, Consequences& follow);
  // A subscriber that has not expired at the time of the call. Changes nothing.
  static Result<Subscriber*> subscriber_at(Place<Channel>& place, ByteView name, const Call& call);
  // Moves the channel's clock to the present. That is an effect, at most one per millisecond. It alone decides what
  // expires, so requests are replicated as they came.
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
