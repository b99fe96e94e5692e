// The part of a log that takes messages out of its middle.
#include <algorithm>

#include "engine/blocks/block_rewriter.h"
#include "engine/log/log.h"

namespace millrace {

Log::CompactedPart& Log::compacted_part() {
  if (!gaps_) gaps_ = std::make_unique<CompactedPart>(0, 0, first(), nullptr, nullptr);
  return *gaps_;
}

Removal Log::compact(uint64_t budget, BlockLimits limits) {
  auto& compaction = compacted_part().compaction;
  if (!compaction) compaction = std::make_unique<Compaction>(*this);
  Removal removal = compaction->find(*this, budget);
  if (!removal.empty()) remove(removal, limits);
  return removal;
}

bool Log::wants_compaction() const {
  if (!retention_.latest || empty()) return false;
  return compaction() == nullptr || compaction()->has_work(*this);
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
  return compaction()->progress(*this);
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
  CompactedPart& part = compacted_part();
  const Offset old_first = first();
  for (size_t r = 0; r < ranges.size();) {
    // Neighbours that lose something become one row of blocks; what lies between two rows
    // is not touched.
    const auto from = full_.find([&](const Block& b) { return b.end() > ranges[r].from; });
    auto to = from;
    size_t end = r;
    while (end < ranges.size() && to != full_.end() && ranges[end].from < full_[to].end()) {
      while (end < ranges.size() && ranges[end].to <= full_[to].end()) ++end;
      to = full_.after(to);
    }
    rewrite(from, to, std::span(ranges).subspan(r, end - r), limits);
    r = end;
  }
  part.missing += removal.count() - (first() - old_first);
  part.compacted = std::min(part.compacted + removal.count(), uint64_t{INT64_MAX});
  if (groups_) {
    for (auto& [name, group] : *groups_) group.on_removed(removal, first(), part.missing);
  }
}

// Writes the full blocks of [from, to) anew without some of their messages. Small
// neighbours join, so that blocks do not become more than they are worth.
void Log::rewrite(BlockList::Place from, BlockList::Place to, std::span<const Removal::Range> without,
                  BlockLimits limits) {
  const auto is_small = [&](const Block& b) {
    return b.size() <= limits.bytes / 2 && b.count() <= limits.messages / 2;
  };
  if (from != full_.begin() && is_small(full_[full_.before(from)])) from = full_.before(from);
  if (to != full_.end() && is_small(full_[to])) to = full_.after(to);

  const bool is_oldest = from == full_.begin();
  const Offset begin = is_oldest ? Offset(0) : full_[full_.before(from)].end();
  uint64_t before = 0;
  for (auto place = from; place != to; place = full_.after(place)) before += full_[place].payload();
  BlockRewriter rewriter(limits);
  Message message{};
  const Offset end = full_[full_.before(to)].end();
  auto gone = without.begin();
  for (Cursor cursor(*this, full_[from].first()); cursor.next(message) && message.offset < end;) {
    while (gone != without.end() && gone->to <= message.offset) ++gone;
    if (gone == without.end() || message.offset < gone->from) rewriter.add(message);
  }
  std::vector<Block> blocks = rewriter.finish();
  uint64_t after = 0;
  for (const Block& block : blocks) after += block.payload();
  payload_ -= before - after;
  if (compaction() != nullptr) compaction()->on_rewritten(begin, end, blocks);
  full_.replace(from, to, std::move(blocks));
  // What was evicted of the oldest block is not written again.
  if (is_oldest) front_ = oldest().begin();
}

uint64_t Log::missing_from(Offset from) const {
  if (missing() == 0 || from >= next()) return 0;
  if (from <= first()) return missing();
  const auto place = full_.find([&](const Block& b) { return b.end() > from; });
  const Block& found = block(place);
  BlockPosition at = found.near(from);
  if (at.offset < from) {
    const Records records(found);
    while (at.offset < from) records.advance(at);
  }
  const uint64_t before = full_.before_sums(place).messages + at.index - front_.index;
  return missing() - (from - first() - before);
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
