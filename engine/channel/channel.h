// A channel: every message to every subscriber, each at its own pace.
//
//   clock        ..   41   42   43   44   45         the next publication gets 46
//   messages          [a]  [b]  [c]  [d]  [e]        in blocks: tag = id, entry = content
//                           ^              ^
//   subscribers             sB             sA        sB has b acknowledged: it is given c, d, e
//
// The offsets of messages count publications from 1 and never wrap around; the clock that
// clients see is the birth clock plus the offset, which does (clock.h).
//
// Messages, their ids and subscribers expire. What time it is, is what tick() was told
// last; every other operation takes that for the present. So a server that repeats the same
// operations gets the same channel.
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

// What a channel is made from.
struct ChannelHead {
  HashKey secret{};  // random: receipts are stamped with it
  Clock birth;       // the clock before the first publication
  uint64_t expire_ms = 0;
  UnixMs active;  // when anybody last subscribed, fetched, acknowledged or published
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

  // --- where it stands ---
  const ChannelHead& head() const { return head_; }
  const MessageBlocks& messages() const { return messages_; }
  const Subscribers& subscribers() const { return subscribers_; }
  UnixMs now() const { return messages_.clock(); }
  // What time it is by a clock that shows `wall`: its time does not go back.
  UnixMs present(UnixMs wall) const { return std::max(wall, now()); }
  Clock clock() const { return clock_of(messages_.last()); }
  Clock clock_of(Offset offset) const { return head_.birth.after(offset.value()); }

  // --- time ---
  // Moves its time to `now` unless it is there or past it; true if it moved. What has
  // expired then is gone: messages all at once, which costs the blocks that go; subscribers
  // for every reader, their memory a slice at a time.
  bool tick(UnixMs now);
  // The first moment at which something of this date has not expired: an expiry of 100 ms
  // lets a message of 1000 live up to and including 1100, as a key of the host does.
  // What has expired once stays so, even if the expiry has been made longer since.
  UnixMs oldest_alive(UnixMs now) const;
  // When the channel itself expires.
  UnixMs expires_at() const { return expiry_of(head_.active); }
  UnixMs expiry_of(UnixMs date) const;
  // Everything that lives now lives so long from its date on; what that leaves no time is
  // gone as after a tick. What has expired does not come back.
  void set_expire(uint64_t expire_ms);

  // For those that only look, at a time that has not been ticked yet:
  // the first message that has not expired, and a living subscriber or null.
  Offset first_alive(UnixMs now) const { return messages_.seek(oldest_alive(now)); }
  const Subscriber* alive(ByteView name, UnixMs now) const;
  Subscriber* alive(ByteView name, UnixMs now) {
    return const_cast<Subscriber*>(static_cast<const Channel*>(this)->alive(name, now));
  }

  // Those that live at `now`, the longest inactive first.
  auto living(UnixMs now) const {
    return std::ranges::subrange(subscribers_.since(oldest_alive(now)), subscribers_.end());
  }

  // --- publishing ---
  // How many more messages it can take.
  uint64_t room() const;
  // The same for those that only look, at a time that has not been ticked yet.
  uint64_t room_at(UnixMs now) const;
  // Stores a message and returns its clock; nothing, and no change, if the id is one of a
  // message that lives. O(1), amortised. REQUIRES: room() > 0, or the id is one of those.
  std::optional<Clock> publish(ByteView id, ByteView content, BlockLimits limits);
  // The message with this id, if it lives at `now`.
  std::optional<Offset> find(ByteView id, UnixMs now) const;

  // --- subscribing ---
  // The subscriber of that name, a new one if none lives. It shows itself by this.
  Subscriber& subscribe(ByteView name);
  // False if none lives.
  bool unsubscribe(ByteView name);
  // Removes a subscriber, alive or not. REQUIRES: there is one.
  void forget(ByteView name) { subscribers_.remove(*subscribers_.find(name)); }
  // The subscriber fetches or acknowledges.
  void touch(Subscriber& subscriber);

  // At most `max` messages, and this many bytes of ids and contents; one message at least if there is one.
  Fetch fetch(const Subscriber& subscriber, uint64_t max, uint64_t max_bytes = UINT64_MAX) const;
  // What a receipt for everything up to this message says. REQUIRES: it is there.
  Receipt receipt_for(Offset last) const;
  // Advances to what a receipt is for. Invalid, and no change, if that is not what this channel
  // has there, or ever had: it has been put back to an earlier state since.
  Ack acknowledge(Subscriber& subscriber, Receipt receipt);
  // Advances to a clock. Invalid, and no change, if the channel has never
  // got so far: it has been put back to an earlier state.
  Ack acknowledge(Subscriber& subscriber, Clock clock);

  // --- reading by position, at a time that has not been ticked yet ---
  // The offset that a read begins behind. Failure: BadPosition, if the channel never was where the position says, or
  // the position belongs to another life of it.
  Result<Offset> begins_behind(const ChannelStart& start, UnixMs now) const;
  // The offset of a position, whose mark is not looked at. Failure: BadPosition.
  Result<Offset> offset_of(const ChannelPosition& position) const;
  // What tells the message from another one that may have its clock; not 0 but in one of 2^32 cases.
  uint32_t mark_of(const Message& message) const;
  // Limited as fetch() is.
  Unread unread(Offset behind, uint64_t max, UnixMs now, uint64_t max_bytes = UINT64_MAX) const;
  // A position that to_text() writes. REQUIRES: at most messages().last()
  ChannelPosition position_at(Offset offset) const;
  // The same for a message that is at hand.
  ChannelPosition position_of(const Message& message, uint32_t life) const {
    return {.clock = clock_of(message.offset), .mark = mark_of(message), .life = life};
  }
  // Drawn from its secret: a hash, so keep it while you use it.
  uint32_t life() const;

  // Blocks that went since the last call, for the caller to free at its leisure.
  EvictedBlocks take_evicted() { return messages_.take_evicted(); }
  bool has_evicted() const { return messages_.has_evicted(); }

  // --- as a value ---
  // Each step of putting a channel together again leaves a valid one or fails with Corrupt.
  // The order: made from its head, its blocks, the head of its messages, its subscribers, the one
  // that was active longest ago first.
  Result<void> append_block(BlockHeader header, Buffer bytes);
  Result<void> restore_log_head(const SavedHead& head);
  Result<void> restore_subscriber(ByteView name, Offset position, UnixMs active);

  // Everything it holds, itself included.
  uint64_t memory() const {
    return sizeof(*this) - sizeof(messages_) + messages_.memory() + ids_.memory() + subscribers_.memory();
  }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  void drop_expired();
  // How many of the `count` messages from here on fit into an answer of this many bytes; one at
  // least, unless count is 0. Costs a walk only where that is not known from the sizes of blocks.
  uint64_t count_within(Offset from, uint64_t count, uint64_t bytes) const;

  ChannelHead head_;
  MessageBlocks messages_;
  MessageIds ids_;
  Subscribers subscribers_;
  // Subscribers last active before this have expired, though they may still be there. Not
  // saved: nor are they.
  UnixMs expired_before_;
};

}  // namespace millrace
