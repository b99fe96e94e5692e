// The part of a log that takes messages out of its middle.
#include <algorithm>

#include "engine/log/block_rewriter.h"
#include "engine/log/log.h"

namespace millrace {

Removal Log::compact(uint64_t budget, BlockLimits limits) {
  if (!compaction_) compaction_ = std::make_unique<Compaction>(*this);
  Removal removal = compaction_->find(*this, budget);
  if (!removal.empty()) remove(removal, limits);
  return removal;
}

bool Log::wants_compaction() const {
  if (!retention_.latest || empty()) return false;
  return !compaction_ || compaction_->has_work(*this);
}

CompactionProgress Log::compaction_progress() const {
  if (!retention_.latest) return {};
  if (!compaction_) return {CompactionProgress::State::Indexing, first(), 0};
  return compaction_->progress(*this);
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
  const auto& ranges = removal.ranges;
  if (ranges.back().to > newest_.first()) seal_newest();
  const Offset old_first = first();
  for (size_t r = 0; r < ranges.size();) {
    // Neighbours that lose something become one row of blocks; what lies between two rows
    // is not touched.
    const size_t from = full_.find([&](const Block& b) { return b.end() > ranges[r].from; });
    size_t to = from, end = r;
    while (end < ranges.size() && to < full_.size() && ranges[end].from < full_[to].end()) {
      while (end < ranges.size() && ranges[end].to <= full_[to].end()) ++end;
      ++to;
    }
    rewrite(from, to, std::span(ranges).subspan(r, end - r), limits);
    r = end;
  }
  missing_ += removal.count() - (first() - old_first);
  compacted_ = std::min(compacted_ + removal.count(), uint64_t{INT64_MAX});
  if (groups_) {
    for (auto& [name, group] : *groups_) group.on_removed(removal, first(), missing_);
  }
}

// Writes the full blocks numbered [from, to) anew without some of their messages. Small
// neighbours join, so that blocks do not become more than they are worth.
void Log::rewrite(size_t from, size_t to, std::span<const Removal::Range> without, BlockLimits limits) {
  const auto is_small = [&](const Block& b) {
    return b.bytes().size() <= limits.bytes / 2 && b.count() <= limits.messages / 2;
  };
  if (from > 0 && is_small(full_[from - 1])) --from;
  if (to < full_.size() && is_small(full_[to])) ++to;

  uint64_t before = 0;
  for (size_t i = from; i < to; ++i) before += full_[i].payload();
  BlockRewriter rewriter(limits);
  Message message{};
  const Offset end = full_[to - 1].end();
  auto gone = without.begin();
  for (Cursor cursor(*this, full_[from].first()); cursor.next(message) && message.offset < end;) {
    while (gone != without.end() && gone->to <= message.offset) ++gone;
    if (gone == without.end() || message.offset < gone->from) rewriter.add(message);
  }
  std::vector<Block> blocks = rewriter.finish();
  uint64_t after = 0;
  for (const Block& block : blocks) after += block.payload();
  payload_ -= before - after;
  full_.replace(from, to, std::move(blocks));
  // What was evicted of the oldest block is not written again.
  if (from == 0) front_ = oldest().begin();
}

uint64_t Log::missing_from(Offset from) const {
  if (missing_ == 0 || from >= next()) return 0;
  if (from <= first()) return missing_;
  // Messages before it in its block, and in the blocks on the shorter side.
  const size_t index = full_.find([&](const Block& b) { return b.end() > from; });
  BlockPosition at = block(index).near(from);
  while (at.offset < from) block(index).advance(at);
  uint64_t before = at.index;
  if (index < full_.size() / 2) {
    for (size_t i = 0; i < index; ++i) before += full_[i].count();
    before -= front_.index;
    return missing_ - (from - first() - before);
  }
  uint64_t behind = newest_.count();
  for (size_t i = index; i < full_.size(); ++i) behind += full_[i].count();
  return next() - from - (behind - before);
}

Log::BlockSpan Log::block_span(Offset from) const {
  const Block& found = block(full_.find([&](const Block& b) { return b.end() > from; }));
  return {found.first(), found.end()};
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
  if (missing_ == 0 || delivery.fresh_count == 0) return;
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
