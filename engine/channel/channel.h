// A channel: every message to every subscriber, each at its own pace.
//
//   clock        ..   41   42   43   44   45         the next publication gets 46
//   messages          [a]  [b]  [c]  [d]  [e]        in blocks: tag = id, entry = content
//                           ^              ^
// subscribers             sB             sA        sB has acknowledged b and gets c, d, e
//
// The offsets of messages count publications from 1 and never wrap around; the clock that
// clients see is the birth clock plus the offset, which does (clock.h).
//
// Messages, their ids and subscribers expire. The current time is the last one passed to tick(); every other operation
// uses it. So a server that repeats the same operations gets the same channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ranges>

#include "engine/base/error.h"
#include "engine/base/keyed_hash.h"
#include "engine/blocks/blocks_codec.h"
#include "engine/channel/channel_position.h"
#include "engine/channel/clock.h"
#include "engine/channel/message_ids.h"
#include "engine/channel/receipt.h"
#include "engine/channel/subscribers.h"

namespace millrace {

// The data with which a channel is created.
struct ChannelHead {
  HashKey secret{};  // random: receipts are stamped with it
  Clock birth;       // the clock before the first publication
  uint64_t expire_ms = 0;
  UnixMs active;  // the last time of a subscribe, fetch, acknowledge or publish
};

// What a fetch returns: messages [from, from + count).
struct Fetch {
  Offset from;
  uint64_t count = 0;
  bool more = false;
  Offset last() const { return from + count - 1; }  // REQUIRES: count > 0
};

// What a read by position returns: messages [from, from + count).
struct Unread {
  Offset from;
  uint64_t count = 0;
  bool more = false;
  uint64_t missed = 0;  // messages that expired before they were read
};

enum class Ack { Advanced, Already, Invalid };

class Channel {
 public:
  explicit Channel(const ChannelHead& head);
  Channel(Channel&&) noexcept = default;
  Channel& operator=(Channel&&) noexcept = default;

  Channel clone() const;

  // --- state ---
  const ChannelHead& head() const { return head_; }
  const MessageBlocks& messages() const { return messages_; }
  const Subscribers& subscribers() const { return subscribers_; }
  UnixMs now() const { return messages_.clock(); }
  // The channel's time when the wall clock shows `wall`: it does not go back.
  UnixMs present(UnixMs wall) const { return std::max(wall, now()); }
  Clock clock() const { return clock_of(messages_.last()); }
  Clock clock_of(Offset offset) const { return head_.birth.after(offset.value()); }

  // --- time ---
  // Moves the channel's time forward to `now`; true if it moved. Then removes what has expired: all messages at once,
  // which costs O(blocks removed). Expired subscribers are no longer visible; their memory is freed in slices.
  bool tick(UnixMs now);
  // The oldest date that has not expired at `now`. With an expiry of 100 ms, a message of 1000 lives up to and
  // including 1100, like a key of the host. What has expired stays expired, even if the expiry was made longer since.
  UnixMs oldest_alive(UnixMs now) const;
  // When the channel itself expires.
  UnixMs expires_at() const { return expiry_of(head_.active); }
  UnixMs expiry_of(UnixMs date) const;
  // Everything that has not expired now lives this long from its date on; what is older is removed as by tick(). What
  // has already expired does not come back.
  void set_expire(uint64_t expire_ms);

  // For callers that only read, at a time that has not been ticked yet: the first message that has not expired, and a
  // living subscriber or null.
  Offset first_alive(UnixMs now) const { return messages_.seek(oldest_alive(now)); }
  const Subscriber* alive(ByteView name, UnixMs now) const;
  Subscriber* alive(ByteView name, UnixMs now) {
    return const_cast<Subscriber*>(static_cast<const Channel*>(this)->alive(name, now));
  }

  // The subscribers that have not expired at `now`, the longest inactive first.
  auto living(UnixMs now) const {
    return std::ranges::subrange(subscribers_.since(oldest_alive(now)), subscribers_.end());
  }

  // --- publishing ---
  // How many more messages it can take.
  uint64_t room() const;
  // The same for callers that only read, at a time that has not been ticked yet.
  uint64_t room_at(UnixMs now) const;
  // Stores a message and returns its clock; nullopt, without change, if a message with this id has not expired. O(1),
  // amortised. REQUIRES: room() > 0, or there is such a message.
  std::optional<Clock> publish(ByteView id, ByteView content, BlockLimits limits);
  // The message with this id, if it has not expired at `now`.
  std::optional<Offset> find(ByteView id, UnixMs now) const;

  // --- subscribing ---
  // The subscriber with this name; a new one if there is none that has not expired. Counts as activity.
  Subscriber& subscribe(ByteView name);
  // False if there is no such subscriber, or it has expired.
  bool unsubscribe(ByteView name);
  // Removes a subscriber, alive or not. REQUIRES: there is one.
  void forget(ByteView name) { subscribers_.remove(*subscribers_.find(name)); }
  // The subscriber fetches or acknowledges.
  void touch(Subscriber& subscriber);

  // At most `max` messages, and this many bytes of ids and contents; one message at least if there is one.
  Fetch fetch(const Subscriber& subscriber, uint64_t max, uint64_t max_bytes = UINT64_MAX) const;
  // The receipt for everything up to this message. REQUIRES: the message exists.
  Receipt receipt_for(Offset last) const;
  // Advances the subscriber to the position of the receipt. Invalid, without change, if the channel does not have, and
  // never had, that message at that clock: it was put back to an earlier state meanwhile.
  Ack acknowledge(Subscriber& subscriber, Receipt receipt);
  // Advances the subscriber to a clock. Invalid, without change, if the channel has not reached that clock: it was put
  // back to an earlier state meanwhile.
  Ack acknowledge(Subscriber& subscriber, Clock clock);

  // --- reading by position, at a time that has not been ticked yet ---
  // The offset after which a read begins. Failure: BadPosition, if the channel never reached the position, or if the
  // position belongs to an earlier channel of the same name.
  Result<Offset> begins_behind(const ChannelStart& start, UnixMs now) const;
  // The offset of a position; its mark is not checked. Failure: BadPosition.
  Result<Offset> offset_of(const ChannelPosition& position) const;
  // Distinguishes the message from another one that may have the same clock; it is 0 in one of 2^32 cases only.
  uint32_t mark_of(const Message& message) const;
  // Limited like fetch().
  Unread unread(Offset behind, uint64_t max, UnixMs now, uint64_t max_bytes = UINT64_MAX) const;
  // The position after this offset. REQUIRES: offset <= messages().last()
  ChannelPosition position_at(Offset offset) const;
  // The same for a message that the caller already has.
  ChannelPosition position_of(const Message& message, uint32_t life) const {
    return {.clock = clock_of(message.offset), .mark = mark_of(message), .life = life};
  }
  // Derived from the secret by a hash, so store it instead of calling this repeatedly.
  uint32_t life() const;

  // Blocks dropped since the last call, for the caller to free in parts.
  EvictedBlocks take_evicted() { return messages_.take_evicted(); }
  bool has_evicted() const { return messages_.has_evicted(); }

  // --- as a value ---
  // Each step of restoring a channel leaves a valid one or fails with Corrupt. The order: create it from its head, add
  // its blocks, the head of its messages, then its subscribers, the longest inactive first.
  Result<void> append_block(BlockHeader header, Buffer bytes);
  Result<void> restore_log_head(const SavedHead& head);
  Result<void> restore_subscriber(ByteView name, Offset position, UnixMs active);

  // Bytes of memory, the object included.
  uint64_t memory() const {
    return sizeof(*this) - sizeof(messages_) + messages_.memory() + ids_.memory() + subscribers_.memory();
  }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  void drop_expired();
  // How many of the `count` messages from here on fit into an answer of this many bytes; at least one, unless count is
  // 0. Walks the messages only if the sizes of blocks are not enough to decide.
  uint64_t count_within(Offset from, uint64_t count, uint64_t bytes) const;

  ChannelHead head_;
  MessageBlocks messages_;
  MessageIds ids_;
  Subscribers subscribers_;
  // Subscribers last active before this have expired, but may still be stored. Not saved; neither are they.
  UnixMs expired_before_;
};

}  // namespace millrace
