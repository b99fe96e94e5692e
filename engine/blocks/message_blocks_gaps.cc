// Removing messages from the middle, and counting the offsets without a message.
#include "engine/blocks/block_rewriter.h"
#include "engine/blocks/message_blocks.h"

namespace millrace {

void MessageBlocks::remove(const Removal& removal, BlockLimits limits, const OnRewritten& on_rewritten) {
  const auto& ranges = removal.ranges;
  if (ranges.back().to > newest_.first()) seal_newest();
  for (size_t r = 0; r < ranges.size();) {
    // Adjacent blocks that lose messages form a run, which is rewritten as a whole; the blocks between two runs are not
    // touched.
    const auto from = full_.find([&](const Block& b) { return b.end() > ranges[r].from; });
    auto to = from;
    size_t end = r;
    while (end < ranges.size() && to != full_.end() && ranges[end].from < full_[to].end()) {
      while (end < ranges.size() && ranges[end].to <= full_[to].end()) ++end;
      to = full_.after(to);
    }
    rewrite(from, to, std::span(ranges).subspan(r, end - r), limits, on_rewritten);
    r = end;
  }
}

// Writes the full blocks of [from, to) again without some of their messages. Small neighbours are merged, so that there
// are no more blocks than necessary.
void MessageBlocks::rewrite(BlockList::Place from, BlockList::Place to, std::span<const Removal::Range> without,
                            BlockLimits limits, const OnRewritten& on_rewritten) {
  const auto is_small = [&](const Block& b) {
    return b.size() <= limits.bytes / 2 && b.count() <= limits.messages / 2;
  };
  if (from != full_.begin() && is_small(full_[full_.before(from)])) from = full_.before(from);
  if (to != full_.end() && is_small(full_[to])) to = full_.after(to);

  const bool is_oldest = from == full_.begin();
  const Offset begin = is_oldest ? Offset(0) : full_[full_.before(from)].end();
  uint64_t before = 0, size = 0;
  for (auto place = from; place != to; place = full_.after(place)) {
    before += full_[place].payload();
    size += full_[place].size() + full_[place].count();  // a byte for each gap
  }
  BlockRewriter rewriter(limits, size);
  Message message{};
  const Offset end = full_[full_.before(to)].end();
  auto gone = without.begin();
  for (auto place = from; place != to; place = full_.after(place)) {
    const Block& block = full_[place];
    while (gone != without.end() && gone->to <= block.first()) ++gone;
    // A block that is removed as a whole need not be read.
    if (gone != without.end() && gone->from <= block.first() && gone->to >= block.end()) continue;
    for (Cursor cursor(*this, block.first()); cursor.at() < block.end();) {
      cursor.next(message);
      while (gone != without.end() && gone->to <= message.offset) ++gone;
      if (gone == without.end() || message.offset < gone->from) rewriter.add(message);
    }
  }
  std::vector<Block> blocks = rewriter.finish();
  for (auto place = from; place != to; place = full_.after(place)) full_[place].forget_unpacked();
  uint64_t after = 0;
  for (const Block& block : blocks) after += block.payload();
  payload_ -= before - after;
  on_rewritten(begin, end, blocks);
  full_.replace(from, to, std::move(blocks));
  // The evicted messages of the oldest block are not written again.
  if (is_oldest) front_ = oldest().begin();
}

uint64_t MessageBlocks::missing_from(Offset from) const {
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

MessageBlocks::BlockSpan MessageBlocks::block_span(Offset from) const {
  const Block& found = block(full_.find([&](const Block& b) { return b.end() > from; }));
  return {found.first(), found.end()};
}

}  // namespace millrace
