// A log: messages with logical offsets 1, 2, 3, … that are never reused and never
// change. New ones are appended at the end, old ones evicted at the front, and by
// compaction those in between go that have a newer one of the same tag.
//
//        evicted      full blocks               newest block
//   ...............[ 71 .. 230 ][ 231 .. 388 ][ 389 .. 402 ]
//                       ^ first = 75                   ^ last = 402, next = 403
//
// Eviction is exact: it moves `first`, and a block goes when its last message does.
// `first > last` always means empty; a new log has first = 1, last = 0.
//
// Compaction leaves gaps: offsets between first and last that have no message. There is
// always one at `first` and at `last`. What goes at the front moves `first` as well, but
// is not evicted: `evicted_end` stays, because readers are told of evicted offsets only.
//
// Dates never run backwards inside a log: `tick` moves its clock on, an earlier date
// is ignored, so that TSEEK has one answer whatever the host's clock did.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/blocks/block.h"
#include "engine/blocks/block_list.h"
#include "engine/blocks/message.h"
#include "engine/blocks/removal.h"
#include "engine/blocks/tag_index.h"
#include "engine/log/compaction.h"
#include "engine/log/group.h"
#include "engine/log/retention.h"

namespace millrace {

// What a log is besides its blocks: what RDB and AOF rewrite save beside them.
struct LogHead {
  Offset first{1};
  Offset next{1};
  UnixMs clock;
  Retention retention;
  uint64_t blocks = 0;
  uint64_t groups = 0;
  Offset evicted_end{1};
  uint64_t compacted = 0;
};

class Log {
 public:
  // The first message will have this offset.
  explicit Log(Offset first = Offset(1));
  Log(Log&&) noexcept = default;
  Log& operator=(Log&&) noexcept = default;

  Log clone() const;

  // --- where it stands ---
  Offset first() const { return front_.offset; }
  Offset next() const { return newest_.end(); }  // the offset the next message gets
  Offset last() const { return next() - 1; }
  bool empty() const { return first() == next(); }
  uint64_t count() const { return next() - first() - missing(); }
  // Offsets in [first, next) without a message.
  uint64_t missing() const { return gaps_ ? gaps_->missing : 0; }
  // One past the last evicted message; at most first().
  Offset evicted_end() const { return gaps_ ? gaps_->evicted_end : first(); }
  // Messages that compaction has ever taken out.
  uint64_t compacted_total() const { return gaps_ ? gaps_->compacted : 0; }
  uint64_t payload() const { return payload_; }      // bytes of tags and entries
  UnixMs clock() const { return clock_; }            // the date the next message gets
  UnixMs first_time() const { return front_.time; }  // REQUIRES: !empty()
  size_t block_count() const { return full_.size() + (newest_.empty() ? 0 : 1); }

  // --- writing ---
  // Moves the clock to `now` unless it is there or past it; true if it moved.
  bool tick(UnixMs now);
  // How many more messages its offsets allow. next() stays an offset too: it is saved.
  uint64_t room() const { return kMaxOffset - next(); }
  // Appends with the date clock() and returns the offset. O(1), amortised.
  // REQUIRES: room() > 0; tag and entry together under 2 GiB.
  Offset append(ByteView tag, ByteView entry, BlockLimits limits = {});

  // --- evicting ---
  // Evicts all messages before `new_first` (at most next(), beyond which it stops)
  // and returns how many. Cost: the blocks that go, plus a walk inside one.
  // The bytes of whole blocks are not freed here: see take_evicted().
  uint64_t evict_before(Offset new_first);
  // Evicts so that `count` messages remain, fewer if there are fewer.
  uint64_t keep_newest(uint64_t count);

  const Retention& retention() const { return retention_; }
  void set_retention(Retention retention);
  // Evicts what the limits on count and bytes do not keep. These two depend on the log
  // alone, so replicas and the AOF repeat them; age depends on the time and is not
  // enforced here.
  uint64_t enforce_size_limits();
  // Evicts what is too old at `now`.
  uint64_t enforce_age(UnixMs now);
  // Evicts what every group has finished with, if the retention says so. To be called
  // whenever a group may have moved on.
  uint64_t enforce_acked();
  // When enforce_age() will next have something to do; nothing if never.
  std::optional<UnixMs> next_age_due() const;
  TailHolder tail_holder(UnixMs now) const;

  // Blocks that went since the last call, for the caller to free at its leisure:
  // freeing thousands at once would be a pause.
  EvictedBlocks take_evicted() { return std::exchange(evicted_, {}); }
  // The same of all blocks it has. REQUIRES: nothing but its destruction follows.
  EvictedBlocks take_all_blocks();

  // What it knew of tags when it kept only the newest of each; null if nothing is left of that. With many tags it is
  // large, and can be freed in parts.
  std::unique_ptr<Compaction> take_unused_compaction() { return gaps_ ? std::move(gaps_->unused) : nullptr; }

  // --- packing ---
  // Only how blocks are held: it changes nothing that a reader, a copy's digest or a
  // replica could see.
  // True if there is a full block that has not been tried.
  bool has_unpacked() const { return full_.totals().untried != 0; }
  // The date of the last message of the oldest such block; nothing if there is none.
  std::optional<UnixMs> oldest_unpacked() const;
  // Tries to pack that block, and says how many bytes that saved: none if it stays as it
  // is. REQUIRES: has_unpacked()
  uint64_t pack_next(int level);
  uint64_t packed_blocks() const { return full_.totals().packed; }
  uint64_t saved_by_packing() const { return full_.totals().saved; }

  // --- compaction ---
  // A slice of the work that retention().latest asks for: looks at about `budget`
  // messages, takes those out that are not the newest of their tag, and says which, for
  // others to remove() the same. REQUIRES: retention().latest
  Removal compact(uint64_t budget, BlockLimits limits = {});
  // True if there is something to do for compact().
  bool wants_compaction() const;
  // True if that is worth its time now: a third of the messages or more have a newer one,
  // or it is not known yet how many do.
  bool compaction_is_urgent() const;
  CompactionProgress compaction_progress() const;
  // Takes messages out, from groups too. Cost: the blocks they are in, twice.
  // REQUIRES: there are some; holds_all(removal), and none is last().
  void remove(const Removal& removal, BlockLimits limits = {});
  // True if there is a message at every one of these offsets.
  bool holds_all(const Removal& removal) const;
  // How many offsets from `from` on have no message. O(1) at first() and next() and in a
  // log without gaps, else a step for each hundred blocks.
  uint64_t missing_from(Offset from) const;
  // The block with the first message at or after `from`: its offsets, [first, end).
  // REQUIRES: from < next()
  struct BlockSpan {
    Offset first;
    Offset end;
  };
  BlockSpan block_span(Offset from) const;
  // Bit i says whether there is a message at `first` + i.
  uint64_t messages_at(Offset first) const;

  // --- groups ---
  using Groups = std::map<std::string, Group, std::less<>>;
  const Groups& groups() const { return groups_ ? *groups_ : no_groups(); }
  // Null if there is none of that name. Valid until it is dropped.
  Group* group(ByteView name);
  // A new group that will deliver `next` first.
  // REQUIRES: there is none of that name; first() <= next <= this->next()
  Group& create_group(ByteView name, Offset next);
  bool drop_group(ByteView name);
  // Says of a planned delivery which offsets its fresh messages have: in a log with gaps
  // they do not follow on. To be called between plan and apply.
  void locate(Delivery& delivery) const;
  // The group with the lowest unfinished() offset. REQUIRES: there is a group.
  const Groups::value_type& slowest_group() const;
  // When a pending message of any group is due or expires; nothing if never.
  std::optional<UnixMs> next_group_event() const;

  // The earlier of next_age_due() and next_group_event().
  std::optional<UnixMs> next_date() const;

  // A note of the caller's: the date it has promised to come back at. Not copied, not saved.
  UnixMs promised() const { return UnixMs(promised_); }
  void promise(UnixMs date) { promised_ = std::min(date.value(), kNotPromised) & kNotPromised; }
  // Another: that it will see to has_unpacked().
  bool packing_is_promised() const { return packing_promised_; }
  void promise_packing(bool promised) { packing_promised_ = promised ? 1 : 0; }

  // --- reading ---
  // The first message written at or after `time`; next() if there is none. O(log n)
  // plus a walk inside one block.
  Offset seek(UnixMs time) const;

  // Walks messages in order.
  //   Log::Cursor cursor(log, from);
  //   while (cursor.next(message)) …
  class Cursor {
   public:
    // Starts at the first message at or after `from`. O(log n) plus a walk inside one
    // block. Invalid after the log is changed.
    Cursor(const Log& log, Offset from);
    // False at the end of the log; `message` is then unchanged.
    bool next(Message& message);
    // Goes on behind the current block if that block cannot hold any of the tags;
    // true if it did. Only at a block's first message does it look, and it unpacks none
    // that it passes by.
    bool skip_block_without(const std::vector<TagFilter::Probe>& tags);

   private:
    void enter(BlockList::Place place);
    void open();
    // True if there is another message, at at_.
    bool reach_message();
    bool is_in_newest() const { return place_ == log_->full_.end(); }

    const Log* log_;
    BlockList::Place place_;  // full_.end() for the newest block
    const Block* block_;
    Records records_;  // of block_, once it is open
    bool is_open_;
    const char* at_;
    const char* end_;
    Offset offset_;
    UnixMs time_;
  };

  // --- as a value ---
  // All blocks, oldest first, the one being written last.
  template <class Visit>
  void each_block(Visit visit) const {
    for (auto place = full_.begin(); place != full_.end(); place = full_.after(place)) visit(full_[place]);
    if (!newest_.empty()) visit(newest_);
  }

  // Appends a whole block of outside bytes, which becomes the newest one, or, if it is
  // packed or has gaps, the last full one.
  // Failure: Corrupt; the log is unchanged then. It must follow on, unless gaps are
  // allowed in it and before it; a log that has never had a message or a group begins
  // where its first block does.
  enum class Gaps { Refused, Allowed };
  Result<void> append_block(BlockHeader header, Buffer bytes, Gaps gaps = Gaps::Refused);
  // Makes the head what it was when the blocks were saved: the clock, the limits, and
  // what had been evicted of the first block. Failure: Corrupt, and unchanged, if these
  // are not that log's blocks.
  Result<void> restore_head(const LogHead& head);

  // Everything it holds, itself included. Costs the groups, not the messages.
  uint64_t memory() const;

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  // What only a compacted log needs to know.
  struct CompactedPart {
    uint64_t missing = 0;
    uint64_t compacted = 0;
    Offset evicted_end;
    std::unique_ptr<Compaction> compaction;  // only where compact() has been called
    std::unique_ptr<Compaction> unused;      // since LATEST was switched off
  };
  // Which it is from now on.
  CompactedPart& compacted_part();
  Compaction* compaction() const { return gaps_ ? gaps_->compaction.get() : nullptr; }

  const Block& block(BlockList::Place place) const { return place == full_.end() ? newest_ : full_[place]; }
  const Block& oldest() const { return full_.empty() ? newest_ : full_.front(); }
  // True if nothing says yet where it begins.
  bool has_no_history() const { return next() == Offset(1) && empty() && !groups_; }
  UnixMs last_time() const {
    return newest_.empty() && !full_.empty() ? full_.back().last_time() : newest_.last_time();
  }
  void seal_newest();
  void start_newest(Offset first);
  // Both return how many messages went.
  uint64_t drop_blocks_before(Offset new_first);
  uint64_t walk_front_to(Offset new_first);
  Offset offset_of(uint64_t index) const;
  void rewrite(BlockList::Place from, BlockList::Place to, std::span<const Removal::Range> without, BlockLimits limits);
  Offset first_within_bytes(uint64_t limit) const;
  static const Groups& no_groups();
  const char* check_pending_exist(const Group& group) const;

  BlockList full_;
  Block newest_;         // may be empty; then it says what the next offset is
  TagIndex tags_;        // of newest_
  BlockPosition front_;  // the first message that is not evicted, in oldest()
  UnixMs clock_;
  uint64_t payload_ = 0;
  Retention retention_;
  EvictedBlocks evicted_;
  std::unique_ptr<Groups> groups_;       // most small logs have none
  std::unique_ptr<CompactedPart> gaps_;  // null unless it has been compacted, or is to be
  static constexpr uint64_t kNotPromised = INT64_MAX;
  // Both in one word: small logs are many.
  uint64_t promised_ : 63 = kNotPromised;
  uint64_t packing_promised_ : 1 = 0;
};

}  // namespace millrace
