// Messages with offsets 1, 2, 3, … in blocks. Logs, channels and the queues of recipients store their
// messages in it. New messages are appended at the end, old ones are evicted at the front.
// An offset is never reused, and a message never changes.
//
//        evicted      full blocks               newest block
//   ...............[ 71 .. 230 ][ 231 .. 388 ][ 389 .. 402 ]
//                       ^ first = 75                   ^ last = 402, next = 403
//
// Eviction is exact: it moves `first`, and a block is dropped together with its last message.
// `first > last` always means empty; new blocks have first = 1, last = 0.
//
// Dates never run backwards: `tick` moves the clock forward and ignores an earlier date, so that
// seek() has one answer whatever the host's clock did.
//
// Gaps are offsets between first and last without a message. Only compaction and deletion (engine/log)
// make them, by remove(), and only append_block(…, Gaps::Allowed) accepts them from outside; there is
// always a message at `first`. This class must handle gaps, because reading, seeking and evicting cross
// them. But all information about gaps is in the blocks: gaps cost a log without them no memory and no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/message.h"
#include "engine/base/strong.h"
#include "engine/blocks/block.h"
#include "engine/blocks/block_list.h"
#include "engine/blocks/evicted_blocks.h"
#include "engine/blocks/removal.h"
#include "engine/blocks/tag_index.h"

namespace millrace {

// The saved state besides the blocks.
struct MessagesHead {
  Offset first{1};
  Offset next{1};
  UnixMs clock;
  uint64_t blocks = 0;  // how many there are
};

class MessageBlocks {
 public:
  // The first message will have this offset.
  explicit MessageBlocks(Offset first = Offset(1));
  MessageBlocks(MessageBlocks&&) noexcept = default;
  MessageBlocks& operator=(MessageBlocks&&) noexcept = default;

  // A copy without the evicted blocks that take_evicted() has not returned yet.
  MessageBlocks clone() const;

  // --- state ---
  Offset first() const { return front_.offset; }
  Offset next() const { return newest_.end(); }  // the offset the next message gets
  Offset last() const { return next() - 1; }
  bool empty() const { return first() == next(); }
  // One past the last existing message: next(), unless the last message was removed. REQUIRES: !empty()
  Offset end_of_messages() const { return newest_.empty() && !full_.empty() ? full_.back().end() : next(); }
  // Messages that are not evicted. O(1)
  uint64_t count() const { return full_.totals().messages + newest_.count() - front_.index; }
  uint64_t payload() const { return payload_; }      // bytes of tags and entries
  UnixMs clock() const { return clock_; }            // the date the next message gets
  UnixMs first_time() const { return front_.time; }  // REQUIRES: !empty()
  size_t block_count() const { return full_.size() + (newest_.empty() ? 0 : 1); }

  // --- writing ---
  // Moves the clock forward to `now`; false if it is not earlier than `now` already.
  bool tick(UnixMs now) {
    if (now <= clock_) return false;
    clock_ = now;
    return true;
  }
  // How many more messages can get an offset. next() must be a valid offset, too, because it is saved.
  uint64_t room() const { return kMaxOffset - next(); }
  // Appends with the date clock() and returns the offset. O(1), amortised.
  // REQUIRES: room() > 0; tag and entry together under 2 GiB.
  Offset append(ByteView tag, ByteView entry, BlockLimits limits = {});
  // The same for messages tag, entry, tag, entry, …, in less time if neighbours have the same tag. `are_records`: they
  // are views of the records of blocks (record_format.h), messages with the same view of a tag of the same block; then
  // many of them are copied at once. REQUIRES: room() for them
  void append_all(std::span<const ByteView> pairs, BlockLimits limits = {}, bool are_records = false);

  // --- evicting ---
  struct Evicted {
    uint64_t count = 0;
    Offset end;  // one past the last evicted message; 0 if none was evicted
  };
  // Evicts all messages before `new_first`, at most up to next(). Cost: the blocks that are
  // dropped, plus a walk inside one. The bytes of whole blocks are not freed here: see
  // take_evicted().
  Evicted evict_before(Offset new_first);
  // The blocks dropped since the last call, for the caller to free: freeing thousands at once
  // would be a pause.
  EvictedBlocks take_evicted() { return std::exchange(evicted_, {}); }
  bool has_evicted() const { return !evicted_.empty(); }
  // All blocks, dropped or not. REQUIRES: afterwards only the destructor is called.
  EvictedBlocks take_all_blocks();

  // --- finding ---
  // The first message written at or after `time`; next() if there is none. O(log n) plus a walk
  // inside one block.
  Offset seek(UnixMs time) const;
  // The first of the newest `count` messages: first() if there are at most `count`, next() for 0.
  // O(1) without gaps; otherwise the cost grows with the blocks before it.
  Offset first_of_newest(uint64_t count) const;
  // The first offset such that the payload from there to the end is at most `limit`; next() if the
  // last message alone exceeds it. The cost grows with the blocks before it. REQUIRES: payload() > limit
  Offset first_within_bytes(uint64_t limit) const;

  // Walks messages in order.
  //   MessageBlocks::Cursor cursor(messages, from);
  //   while (cursor.next(message)) …
  class Cursor {
   public:
    // Starts at the first message at or after `from`. O(log n) plus a walk inside one block.
    // Invalid after the messages are changed.
    Cursor(const MessageBlocks& messages, Offset from);
    // False at the end; `message` is then unchanged.
    bool next(Message& message);
    // Skips the current block if it cannot contain any of the tags; true if it was skipped. Only
    // possible at the first message of a block. A block that is skipped is not unpacked.
    bool skip_block_without(const std::vector<TagFilter::Probe>& tags);
    // The offset at which the cursor is: messages before it have been passed, messages from it on have not.
    Offset at() const { return offset_; }

   private:
    void enter(BlockList::Place place);
    void open();
    // True if there is another message, at at_.
    bool reach_message();
    bool is_in_newest() const { return place_ == messages_->full_.end(); }

    const MessageBlocks* messages_;
    BlockList::Place place_;  // full_.end() for the newest block
    const Block* block_;
    Records records_;  // of block_, once it is open
    bool is_open_;
    const char* at_;
    const char* end_;
    Offset offset_;
    UnixMs time_;
  };

  // The same, newest first. Records can be read in one direction only, so each block is read from its beginning when
  // its last message is needed.
  class ReverseCursor {
   public:
    // Starts at the last message at or before `from`.
    ReverseCursor(const MessageBlocks& messages, Offset from);
    bool next(Message& message);
    bool skip_block_without(const std::vector<TagFilter::Probe>& tags);
    // The offset at which the cursor is: messages after it have been passed, it and earlier ones have not; 0 at the
    // end.
    Offset at() const { return ahead_.empty() ? Offset(end_.value() - 1) : ahead_.back().offset; }

   private:
    void step_back();

    const MessageBlocks* messages_;
    BlockList::Place place_;      // full_.end() for the newest block
    bool is_done_;                // place_ has been left, and there is no block before it
    Offset end_;                  // one past the last message that is neither passed nor in ahead_
    Cursor walked_;               // holds the bytes of ahead_
    std::vector<Message> ahead_;  // messages of one block; the next one is at the back
  };

  // An upper bound of the payload of [from, to): that of all blocks with these messages. Stops counting when it exceeds
  // `limit`.
  uint64_t payload_at_most(Offset from, Offset to, uint64_t limit) const;

  // --- packing ---
  // Packing changes only how blocks are stored in memory; readers, copies and replicas are not affected.
  // True if there is a full block that packing was not tried for.
  bool has_unpacked() const { return full_.totals().untried != 0; }
  // The date of the last message of the oldest such block; nullopt if there is none.
  std::optional<UnixMs> oldest_unpacked() const;
  // Tries to pack that block, and returns how many bytes that saved: 0 if it stays as it is.
  // REQUIRES: has_unpacked()
  // The packer must outlive the messages (block_packer.h).
  uint64_t pack_next(BlockPacker& packer, int level);
  uint64_t packed_blocks() const { return full_.totals().packed; }
  uint64_t saved_by_packing() const { return full_.totals().saved; }

  // The exact payload of the messages from `from` on. Cost: a walk inside one block.
  uint64_t payload_from(Offset from) const;

  // --- gaps: for compaction and deletion alone ---
  // Offsets in [first, next) without a message.
  uint64_t missing() const { return next() - first() - count(); }
  // The same in [from, next). O(1) at first() and next() and without gaps, else a step for each
  // hundred blocks.
  uint64_t missing_from(Offset from) const;
  // The block with the first message at or after `from`: its offsets, [first, end).
  // REQUIRES: from < next()
  struct BlockSpan {
    Offset first;
    Offset end;
  };
  BlockSpan block_span(Offset from) const;
  // Removes messages by rewriting their blocks. Calls `on_rewritten` for each run of neighbouring
  // blocks, which held [from, to), with the blocks that replace it. Cost: twice the size of the
  // blocks. REQUIRES: the removal is not empty; there is a message at each offset.
  using OnRewritten = std::function<void(Offset from, Offset to, const std::vector<Block>& blocks)>;
  void remove(const Removal& removal, BlockLimits limits, const OnRewritten& on_rewritten);

  // --- as a value ---
  // All blocks, oldest first, the one being written last.
  template <class Visit>
  void each_block(Visit visit) const {
    for (auto place = full_.begin(); place != full_.end(); place = full_.after(place)) visit(full_[place]);
    if (!newest_.empty()) visit(newest_);
  }
  // Visits blocks with messages at or after `from`, until `visit` returns false. True if it always returned true.
  template <class Visit>
  bool each_block_from(Offset from, Visit visit) const {
    auto place = full_.find([&](const Block& b) { return b.end() > from; });
    for (; place != full_.end(); place = full_.after(place)) {
      if (!visit(full_[place])) return false;
    }
    return newest_.empty() || visit(newest_);
  }

  // True if no message or block was added yet, so that the first offset is not fixed.
  bool is_new() const { return next() == Offset(1) && empty(); }
  // Appends a whole block of outside bytes, which becomes the newest one, or, if it is packed or has gaps, the last
  // full one. Its offsets must continue those before it, unless gaps are allowed in it and before it. The first block
  // of an empty object decides where its offsets begin. A packed block needs a packer, which must outlive the messages;
  // without one it is refused.
  // Failure: Corrupt; nothing is changed then.
  enum class Gaps { Refused, Allowed };
  Result<void> append_block(BlockHeader header, Buffer bytes, BlockPacker* packer = nullptr, Gaps gaps = Gaps::Refused);
  // Sets the clock, and evicts the part of the first block that was already evicted when the blocks were saved. With
  // gaps allowed, the last messages may have been removed. Failure: Corrupt, and nothing is changed, if the head does
  // not belong to these blocks.
  Result<void> restore_head(const MessagesHead& head, Gaps gaps = Gaps::Refused);

  // Bytes of memory, the object included. Cost: O(evicted blocks that have not been taken).
  uint64_t memory() const {
    return sizeof(*this) + full_.memory() + full_.totals().memory + newest_.memory() + tags_.memory() +
           evicted_.memory();
  }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  const Block& block(BlockList::Place place) const { return place == full_.end() ? newest_ : full_[place]; }
  const Block& oldest() const { return full_.empty() ? newest_ : full_.front(); }
  UnixMs last_time() const {
    return newest_.empty() && !full_.empty() ? full_.back().last_time() : newest_.last_time();
  }
  void seal_newest();
  void start_newest(Offset first);
  // Both add what is evicted to `evicted`.
  void drop_blocks_before(Offset new_first, Evicted& evicted);
  void walk_front_to(Offset new_first, Evicted& evicted);
  void rewrite(BlockList::Place from, BlockList::Place to, std::span<const Removal::Range> without, BlockLimits limits,
               const OnRewritten& on_rewritten);
  const char* check_blocks() const;

  BlockList full_;
  Block newest_;         // may be empty; its first offset is then the next offset
  TagIndex tags_;        // of newest_
  BlockPosition front_;  // the first message that is not evicted, in oldest()
  UnixMs clock_;
  uint64_t payload_ = 0;
  EvictedBlocks evicted_;
};

}  // namespace millrace
