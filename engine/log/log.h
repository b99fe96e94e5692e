// A log: messages in blocks (engine/blocks/message_blocks.h), a retention that says what is kept
// of them, and groups that share them out among consumers.
//
// Of what the retention does not keep, old messages are evicted at the front, and compaction takes
// out those in between that have a newer one of the same tag. It leaves gaps. Where it takes out
// the first message, first() moves as well, but nothing is evicted: `evicted_end` stays, because
// readers are told of evicted offsets only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/blocks/message_blocks.h"
#include "engine/log/compaction.h"
#include "engine/log/group.h"
#include "engine/log/log_bounds.h"
#include "engine/log/log_extras.h"
#include "engine/log/retention.h"

namespace millrace {

// What is saved of a log besides its blocks and groups.
struct LogHead : MessagesHead {
  Retention retention;
  uint64_t groups = 0;  // how many there are
  Offset evicted_end{1};
  uint64_t compacted = 0;
};

class Log {
 public:
  // The first message will have this offset.
  explicit Log(Offset first = Offset(1)) : messages_(first) {}
  Log(Log&&) noexcept = default;
  Log& operator=(Log&&) noexcept = default;

  // The same life: a reader of the copy may continue from a position in the original.
  Log clone() const;

  // Drawn when the log is created, and never changed.
  LogEpoch epoch() const { return LogEpoch(retention_.epoch); }
  void set_epoch(LogEpoch epoch) { retention_.epoch = epoch.value() & kMaxEpoch.value(); }
  LogBounds bounds() const { return {first(), last(), epoch()}; }

  // --- messages: as message_blocks.h says ---
  const MessageBlocks& messages() const { return messages_; }
  Offset first() const { return messages_.first(); }
  Offset next() const { return messages_.next(); }
  Offset last() const { return messages_.last(); }
  bool empty() const { return messages_.empty(); }
  uint64_t count() const { return messages_.count(); }
  uint64_t missing() const { return messages_.missing(); }
  uint64_t payload() const { return messages_.payload(); }
  UnixMs clock() const { return messages_.clock(); }
  UnixMs first_time() const { return messages_.first_time(); }
  size_t block_count() const { return messages_.block_count(); }
  uint64_t room() const { return messages_.room(); }
  Offset seek(UnixMs time) const { return messages_.seek(time); }
  uint64_t missing_from(Offset from) const { return messages_.missing_from(from); }
  bool tick(UnixMs now) { return messages_.tick(now); }
  Offset append(ByteView tag, ByteView entry, BlockLimits limits = {}) {
    const Offset offset = messages_.append(tag, entry, limits);
    if (compaction() != nullptr) [[unlikely]] {
      compaction()->on_append(messages_, offset, tag);
    }
    return offset;
  }
  // Of tag, entry, tag, entry, …
  void append_all(std::span<const ByteView> pairs, BlockLimits limits = {}) {
    if (compaction() == nullptr) [[likely]] {
      return messages_.append_all(pairs, limits);
    }
    for (size_t i = 0; i < pairs.size(); i += 2) append(pairs[i], pairs[i + 1], limits);
  }

  class Cursor : public MessageBlocks::Cursor {
   public:
    Cursor(const Log& log, Offset from) : MessageBlocks::Cursor(log.messages_, from) {}
  };

  template <class Visit>
  void each_block(Visit visit) const {
    messages_.each_block(visit);
  }

  bool has_unpacked() const { return messages_.has_unpacked(); }
  std::optional<UnixMs> oldest_unpacked() const { return messages_.oldest_unpacked(); }
  uint64_t pack_next(BlockPacker& packer, int level) { return messages_.pack_next(packer, level); }
  uint64_t packed_blocks() const { return messages_.packed_blocks(); }
  uint64_t saved_by_packing() const { return messages_.saved_by_packing(); }

  EvictedBlocks take_evicted() { return messages_.take_evicted(); }
  bool has_evicted() const { return messages_.has_evicted(); }
  EvictedBlocks take_all_blocks() { return messages_.take_all_blocks(); }

  // --- ids, schedule, deletions ---
  // Null if it has none of them.
  const LogExtras* extras() const { return extras_.get(); }
  LogExtras* extras() { return extras_.get(); }
  // Made if there are none.
  LogExtras& with_extras() {
    if (!extras_) extras_ = std::make_unique<LogExtras>();
    return *extras_;
  }
  // Messages that were ever deleted.
  uint64_t deleted_total() const { return extras_ ? extras_->deleted_total : 0; }
  // Takes messages out as remove() does, but readers are told of them. Cost: the blocks they are in, twice.
  // REQUIRES: there are some; holds_all(removal)
  void delete_messages(const Removal& removal, BlockLimits limits = {});
  // One past the last message there is; next() unless that was deleted. REQUIRES: !empty()
  Offset end_of_messages() const { return messages_.end_of_messages(); }

  // --- evicting ---
  // Evicts all messages before `new_first`, for groups too, and returns how many.
  uint64_t evict_before(Offset new_first);
  // Evicts so that `count` messages remain, fewer if there are fewer.
  uint64_t keep_newest(uint64_t count) { return evict_before(messages_.first_of_newest(count)); }
  // One past the last evicted message; at most first().
  Offset evicted_end() const { return compacted() ? compacted()->evicted_end : first(); }

  Retention retention() const {
    return {.count = retention_.count,
            .age_ms = retention_.age_ms,
            .bytes = retention_.bytes,
            .acked = retention_.acked != 0,
            .ids_ms = extras_ ? extras_->ids_ms : 0,
            .refuse = retention_.refuse != 0,
            .latest = retention_.latest != 0};
  }
  // retention().refuse
  bool refuses() const { return retention_.refuse != 0; }
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

  // --- compaction ---
  // A slice of the work that retention().latest asks for: looks at about `budget`
  // messages, takes those out that are not the newest of their tag, and says which, for
  // others to remove() the same. `tag_key` is used from the first slice after LATEST was switched
  // on until it is switched off. REQUIRES: retention().latest
  Removal compact(const HashKey& tag_key, uint64_t budget, BlockLimits limits = {});
  // True if there is something to do for compact().
  bool wants_compaction() const;
  // True if that is worth its time now: a third of the messages or more have a newer one,
  // or it is not known yet how many do.
  bool compaction_is_urgent() const;
  CompactionProgress compaction_progress() const;
  // Takes messages out, from groups too. Cost: the blocks they are in, twice.
  // REQUIRES: there are some; holds_all(removal)
  void remove(const Removal& removal, BlockLimits limits = {});
  // True if there is a message at every one of these offsets.
  bool holds_all(const Removal& removal) const;
  // Bit i says whether there is a message at `first` + i.
  uint64_t messages_at(Offset first) const;
  // Messages that compaction has ever taken out.
  uint64_t compacted_total() const { return compacted() ? compacted()->total : 0; }
  // What it knew of tags when it kept only the newest of each; null if nothing is left of that. With many tags it is
  // large, and can be freed in parts.
  std::unique_ptr<Compaction> take_unused_compaction() {
    return compacted() ? std::move(compacted()->unused) : nullptr;
  }
  bool has_unused_compaction() const { return compacted() && compacted()->unused; }

  // --- groups ---
  using Groups = std::map<std::string, Group, std::less<>>;
  // Costs a step for each group if something has been evicted since.
  const Groups& groups() const {
    if (!groups_) return no_groups();
    catch_up();
    return *groups_;
  }
  // Null if there is none of that name. Valid until it is dropped.
  Group* group(ByteView name);
  const Group* group(ByteView name) const { return const_cast<Log*>(this)->group(name); }
  // A new group that will deliver `next` first.
  // REQUIRES: there is none of that name; first() <= next <= this->next()
  Group& create_group(ByteView name, Offset next);
  bool drop_group(ByteView name);
  // Says of a planned delivery which offsets its fresh messages have: in a log with gaps
  // they do not follow on. To be called between plan and apply.
  void locate(Delivery& delivery) const;
  // With retention().refuse: the group that has not finished what this many more messages, of this many bytes, would
  // evict; null if they may be written. Cost: the groups, if there is a limit.
  const std::string* refusing_group(uint64_t messages, uint64_t bytes) const;
  // How many more messages, of any size, may be written before there is one.
  uint64_t room_for_groups() const;
  // The group with the lowest unfinished() offset. REQUIRES: there is a group.
  const Groups::value_type& slowest_group() const;
  // How many milliseconds from now a group is to be looked after: a pending message is due or expires, or it may be
  // idle. Nothing if none ever is.
  std::optional<uint64_t> ms_until_group_event(const Now& now) const;
  bool has_group_events() const;
  // The time of each group with pending messages goes on from here: see Group::run_clock().
  void run_group_clocks(const Now& now);
  // The date of the oldest message that a group has not finished; nothing if it has finished all.
  std::optional<UnixMs> oldest_unfinished(const Group& group) const;

  // --- as a value ---
  // As MessageBlocks does. A block with gaps, or behind one, is refused once there is a group:
  // groups are restored after all blocks. Failure: Corrupt, and unchanged.
  using Gaps = MessageBlocks::Gaps;
  Result<void> append_block(BlockHeader header, Buffer bytes, BlockPacker& packer, Gaps gaps = Gaps::Refused);
  // Makes the log what it was when its blocks were saved: the clock, the retention, and what had
  // been evicted of the first block. Failure: Corrupt, and unchanged, if the head does not belong
  // to these blocks.
  Result<void> restore_head(const LogHead& head);

  // Everything it holds, itself included. Costs the groups, not the messages.
  uint64_t memory() const;

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  // Null unless it has been compacted, or is to be, or messages were deleted. Until then all that is before first() has
  // been evicted.
  CompactedPart* compacted() const { return extras_ ? extras_->compacted.get() : nullptr; }
  // Made if there is none.
  CompactedPart& compacted_part();
  // Takes messages out of the blocks, and out of groups.
  void take_out(const Removal& removal, BlockLimits limits);
  // How many messages there are from `from` on.
  uint64_t count_from(Offset from) const { return next() - from - missing_from(from); }
  Compaction* compaction() const { return compacted() ? compacted()->compaction.get() : nullptr; }
  // Tells groups what has been evicted. A write that evicts tells none of them: with ten thousand groups that would be
  // most of its cost. A group is told when it is looked at, and sums up the same whenever that is.
  void catch_up(Group& group) const {
    if (groups_->told_first != first()) group.on_evicted(first(), missing());
  }
  void catch_up() const;
  static const Groups& no_groups();
  const char* check_pending_exist(const Group& group) const;

  MessageBlocks messages_;
  // The retention, but for ids_ms, and the epoch, in as few bytes as they need: most logs are small.
  struct Kept {
    uint64_t count = 0;
    uint64_t age_ms = 0;
    uint64_t bytes = 0;
    uint64_t epoch : 48 = 0;
    uint64_t acked : 1 = 0;
    uint64_t refuse : 1 = 0;
    uint64_t latest : 1 = 0;
  };
  Kept retention_;
  struct ToldGroups : Groups {
    explicit ToldGroups(Offset first) : told_first(first) {}
    ToldGroups(const ToldGroups& other) : Groups(other), told_first(other.told_first) {}
    ToldGroups& operator=(const ToldGroups&) = delete;

    Offset told_first;            // first() when all of them were last told of it
    value_type* found = nullptr;  // the last one that was asked for: most are asked for again and again
  };

  std::unique_ptr<ToldGroups> groups_;  // most small logs have none
  std::unique_ptr<LogExtras> extras_;
};

}  // namespace millrace
