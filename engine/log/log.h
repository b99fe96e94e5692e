// A log: messages in blocks (engine/blocks/message_blocks.h), a retention that says which of them are kept, and groups
// that distribute them to consumers.
//
// Messages that the retention does not keep go in two ways. Old messages are evicted at the front. Compaction removes
// messages anywhere that have a newer one of the same tag, and leaves gaps. When compaction removes the first message,
// first() moves too, but that is not an eviction: evicted_end() stays, because reads report evicted offsets only.
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
#include "engine/log/forgotten.h"
#include "engine/log/group.h"
#include "engine/log/log_bounds.h"
#include "engine/log/log_extras.h"
#include "engine/log/retention.h"

namespace millrace {

// What is saved of a log besides its blocks and groups.
struct LogHead : MessagesHead {
  Retention retention;
  uint64_t groups = 0;  // number of groups
  Offset evicted_end{1};
  uint64_t compacted = 0;
};

class Log {
 public:
  // The first message will have this offset.
  explicit Log(Offset first = Offset(1)) : messages_(first) {}
  Log(Log&&) noexcept = default;
  Log& operator=(Log&&) noexcept = default;

  // The copy has the same epoch: a reader may continue in the copy from a position in the original.
  Log clone() const;

  // Drawn when the log is created, and never changed.
  LogEpoch epoch() const { return LogEpoch(retention_.epoch); }
  void set_epoch(LogEpoch epoch) {
    static constexpr uint64_t kEpochBits = kMaxEpoch.value();
    retention_.epoch = epoch.value() & kEpochBits;
  }
  LogBounds bounds() const { return {first(), last(), epoch()}; }

  // --- messages: see message_blocks.h ---
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
  // `pairs` are tag, entry, tag, entry, …
  void append_all(std::span<const ByteView> pairs, BlockLimits limits = {}, bool are_records = false) {
    if (compaction() == nullptr) [[likely]] {
      return messages_.append_all(pairs, limits, are_records);
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
  // Created if the log has none.
  LogExtras& with_extras() {
    if (!extras_) extras_ = std::make_unique<LogExtras>();
    return *extras_;
  }
  // How many messages were deleted since the log was created.
  uint64_t deleted_total() const { return extras_ ? extras_->deleted_total : 0; }
  // Removes messages as remove() does, but reads report that they were deleted. Cost: rewrites the blocks they are in,
  // twice. REQUIRES: there are some; holds_all(removal)
  void delete_messages(const Removal& removal, BlockLimits limits = {});
  // One past the last existing message; that is next() unless the last message was deleted. REQUIRES: !empty()
  Offset end_of_messages() const { return messages_.end_of_messages(); }

  // --- evicting ---
  // Evicts all messages before `new_first`, also from groups, and returns how many.
  uint64_t evict_before(Offset new_first);
  // Evicts all but the newest `count` messages.
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
  // Enforces the limits on count and bytes. They depend on the log alone, so replicas and a replay of the AOF repeat
  // them. The age limit depends on the time and is not enforced here.
  uint64_t enforce_size_limits();
  // Evicts messages that are too old at `now`.
  uint64_t enforce_age(UnixMs now);
  // Evicts messages that every group has finished, if the retention says so. Called whenever a group may have moved on.
  uint64_t enforce_acked();
  // When enforce_age() has work to do next; nullopt if never.
  std::optional<UnixMs> next_age_due() const;
  TailHolder tail_holder(UnixMs now) const;

  // --- compaction ---
  // Does a slice of the work that retention().latest asks for: looks at about `budget` messages and takes out those
  // that are not the newest of their tag. Returns them, so that replicas can remove() the same. The `tag_key` of the
  // first slice after LATEST was switched on is used until it is switched off. REQUIRES: retention().latest
  Removal compact(const HashKey& tag_key, uint64_t budget, BlockLimits limits = {});
  // True if compact() has work to do.
  bool wants_compaction() const;
  // True if compact() should run now: a third of the messages or more have a newer one, or their number is not known
  // yet.
  bool compaction_is_urgent() const;
  CompactionProgress compaction_progress() const;
  // Takes messages out, also from groups. Cost: rewrites the blocks they are in, twice.
  // REQUIRES: there are some; holds_all(removal)
  void remove(const Removal& removal, BlockLimits limits = {});
  // True if there is a message at every one of these offsets.
  bool holds_all(const Removal& removal) const;
  // Bit i says whether there is a message at `first` + i.
  uint64_t messages_at(Offset first) const;
  // How many messages compaction has removed since the log was created.
  uint64_t compacted_total() const { return compacted() ? compacted()->total : 0; }
  // The compaction index that is unused since LATEST was switched off; null if there is none. With many tags it is
  // large, and can be freed in parts.
  std::unique_ptr<Compaction> take_unused_compaction() {
    return compacted() ? std::move(compacted()->unused) : nullptr;
  }
  bool has_unused_compaction() const { return compacted() && compacted()->unused; }

  // --- groups ---
  using Groups = std::map<std::string, Group, std::less<>>;
  // Cost: O(groups) if messages were evicted since the last call.
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
  // For what its groups forget. REQUIRES: it has a group
  Forgotten* forgotten() { return &groups_->forgotten; }
  // What its groups have forgotten since it was last taken. If it is large, it can be freed in parts.
  Forgotten take_forgotten();
  bool has_forgotten() const { return groups_ && !groups_->forgotten.empty(); }
  // How much the groups have pending: how many ranges and consumers. Cost: O(groups)
  size_t pending_parts() const;
  // Makes all groups forget what they have pending.
  void forget_all_pending();
  // Sets the offsets of the fresh messages in a planned delivery: in a log with gaps they are not consecutive. Called
  // between plan and apply.
  void locate(Delivery& delivery) const;
  // With retention().refuse, a write may not evict messages that some group has not finished. Returns the name of such
  // a group for a write of this many messages and bytes; null if the write is allowed. Cost: O(groups), if there is a
  // limit.
  const std::string* refusing_group(uint64_t messages, uint64_t bytes) const;
  // How many more messages of any size can be written before refusing_group() returns a group.
  uint64_t room_for_groups() const;
  // The group with the lowest unfinished() offset. REQUIRES: there is a group.
  const Groups::value_type& slowest_group() const;
  // In how many milliseconds a group needs work: a pending message becomes due or expires, or the group may be idle.
  // nullopt if no group will need any.
  std::optional<uint64_t> ms_until_group_event(const Now& now) const;
  bool has_group_events() const;
  // Runs the clock of each group with pending messages: see Group::run_clock().
  void run_group_clocks(const Now& now);
  // The date of the oldest message that a group has not finished; nullopt if it has finished all.
  std::optional<UnixMs> oldest_unfinished(const Group& group) const;

  // --- as a value ---
  // Same as in MessageBlocks. A block with gaps, or after a gap, is refused if the log already has a group, because
  // groups are restored after all blocks. Failure: Corrupt, and unchanged.
  using Gaps = MessageBlocks::Gaps;
  Result<void> append_block(BlockHeader header, Buffer bytes, BlockPacker& packer, Gaps gaps = Gaps::Refused);
  // Restores the clock, the retention, and the evicted part of the first block. Failure: Corrupt, and unchanged, if the
  // head does not belong to these blocks.
  Result<void> restore_head(const LogHead& head);

  // Bytes of memory, the object included. Cost: O(groups), not O(messages).
  uint64_t memory() const;

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  // Null unless the log has been compacted, is to be compacted, or has had messages deleted. While it is null, all
  // offsets before first() have been evicted.
  CompactedPart* compacted() const { return extras_ ? extras_->compacted.get() : nullptr; }
  // Created if there is none.
  CompactedPart& compacted_part();
  // Takes messages out of the blocks, and out of groups.
  void take_out(const Removal& removal, BlockLimits limits);
  // How many messages there are from `from` on.
  uint64_t count_from(Offset from) const { return next() - from - missing_from(from); }
  Compaction* compaction() const { return compacted() ? compacted()->compaction.get() : nullptr; }
  // Updates a group after evictions. A write that evicts does not update the groups: with ten thousand groups that
  // would be most of its cost. A group is updated when it is next accessed. Its counters are the same at whatever time
  // that happens.
  void catch_up(Group& group) const {
    if (groups_->told_first != first()) group.on_evicted(first(), missing(), &groups_->forgotten);
  }
  void catch_up() const;
  static const Groups& no_groups();
  const char* check_pending_exist(const Group& group) const;

  MessageBlocks messages_;
  // The retention without ids_ms, and the epoch, packed tightly because most logs are small.
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

    Offset told_first;            // first() when all groups were last updated
    Forgotten forgotten;          // not yet taken
    value_type* found = nullptr;  // the group that was looked up last: most requests use the same group again
  };

  std::unique_ptr<ToldGroups> groups_;  // most small logs have none
  std::unique_ptr<LogExtras> extras_;
};

}  // namespace millrace
