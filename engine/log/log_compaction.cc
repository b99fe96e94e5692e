// The part of a log that removes messages from its middle.
#include <algorithm>
#include <vector>

#include "engine/log/log.h"

namespace millrace {

CompactedPart& Log::compacted_part() {
  auto& part = with_extras().compacted;
  if (!part) part = std::make_unique<CompactedPart>(0, first(), nullptr, nullptr);
  return *part;
}

Removal Log::compact(const HashKey& tag_key, uint64_t budget, BlockLimits limits) {
  auto& compaction = compacted_part().compaction;
  if (!compaction) compaction = std::make_unique<Compaction>(messages_, tag_key);
  Removal removal = compaction->find(messages_, budget);
  if (!removal.empty()) remove(removal, limits);
  return removal;
}

bool Log::wants_compaction() const {
  if (!retention_.latest || empty()) return false;
  return compaction() == nullptr || compaction()->has_work(messages_);
}

bool Log::compaction_is_urgent() const {
  const CompactionProgress progress = compaction_progress();
  return progress.state == CompactionProgress::State::Indexing || progress.superseded * 3 >= count();
}

CompactionProgress Log::compaction_progress() const {
  if (!retention_.latest) return {};
  if (compaction() == nullptr) {
    return {empty() ? CompactionProgress::State::Clean : CompactionProgress::State::Indexing, first(), 0};
  }
  return compaction()->progress(messages_);
}

bool Log::holds_all(const Removal& removal) const {
  if (removal.empty()) return true;
  Message message{};
  Cursor cursor(*this, removal.ranges.front().from);
  for (const Removal::Range& range : removal.ranges) {
    for (Offset offset = range.from; offset < range.to; ++offset) {
      do {
        if (!cursor.next(message)) return false;
      } while (message.offset < offset);
      if (message.offset != offset) return false;
    }
  }
  return true;
}

void Log::remove(const Removal& removal, BlockLimits limits) {
  CompactedPart& part = compacted_part();
  take_out(removal, limits);
  part.total = std::min(part.total + removal.count(), uint64_t{INT64_MAX});
}

void Log::delete_messages(const Removal& removal, BlockLimits limits) {
  CompactedPart& part = compacted_part();
  // Compaction may have recorded one of these as the newest of its tag, so it starts again.
  if (part.compaction) part.unused = std::move(part.compaction);
  take_out(removal, limits);
  LogExtras& extras = with_extras();
  extras.deleted.add(removal);
  extras.deleted_total = std::min(extras.deleted_total + removal.count(), uint64_t{INT64_MAX});
}

void Log::take_out(const Removal& removal, BlockLimits limits) {
  CompactedPart& part = compacted_part();
  catch_up();
  messages_.remove(removal, limits, [&](Offset from, Offset to, const std::vector<Block>& blocks) {
    if (part.compaction) part.compaction->on_rewritten(from, to, blocks);
  });
  if (groups_) {
    for (auto& [name, group] : *groups_) group.on_removed(removal, first(), missing());
    groups_->told_first = first();
  }
}

uint64_t Log::messages_at(Offset first) const {
  uint64_t bits = 0;
  Message message{};
  for (Cursor cursor(*this, first); cursor.next(message) && message.offset - first < 64;) {
    if (message.offset >= first) bits |= uint64_t{1} << (message.offset - first);
  }
  return bits;
}

void Log::locate(Delivery& delivery) const {
  delivery.fresh_end = delivery.fresh_first + delivery.fresh_count;
  if (missing() == 0 || delivery.fresh_count == 0) return;
  Message message{};
  Cursor cursor(*this, delivery.fresh_first);
  for (uint64_t i = 0; i < delivery.fresh_count && cursor.next(message); ++i) {
    auto& bits = delivery.fresh_bits;
    if (bits.empty() || message.offset - bits.back().first >= 64) bits.push_back({message.offset, 0});
    bits.back().bits |= uint64_t{1} << (message.offset - bits.back().first);
  }
  delivery.fresh_end = message.offset + 1;
}

}  // namespace millrace
