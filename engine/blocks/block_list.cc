#include "engine/blocks/block_list.h"

#include <iterator>
#include <utility>

namespace millrace {

constinit const BlockList::Body BlockList::kNothing;

void BlockList::push_back(Block block) {
  if (!body_) body_ = std::make_unique<Body>();
  auto& chunks = body_->chunks;
  if (chunks.empty() || chunks.back().blocks.size() >= kChunk) {
    chunks.emplace_back();
    // The first chunk grows with its log; a log that has filled one will fill the next.
    if (body_->size >= kChunk) chunks.back().blocks.reserve(kChunk);
  }
  chunks.back().totals.add(block);
  body_->totals.add(block);
  chunks.back().blocks.push_back(std::move(block));
  ++body_->size;
}

BlockTotals BlockList::take_before(Offset offset, EvictedBlocks& taken) {
  BlockTotals gone;
  while (!empty() && body_->chunks[body_->head].blocks.back().end() <= offset) {
    Chunk& chunk = body_->chunks[body_->head];
    gone += chunk.totals;
    chunk.blocks.erase(chunk.blocks.begin(), chunk.blocks.begin() + static_cast<ptrdiff_t>(body_->front));
    body_->totals -= chunk.totals;
    body_->size -= chunk.blocks.size();
    taken.add_run(std::move(chunk.blocks));
    drop_first_chunk();
  }
  while (!empty() && front().end() <= offset) {
    Chunk& chunk = body_->chunks[body_->head];
    Block& block = chunk.blocks[body_->front++];
    gone.add(block);
    chunk.totals.remove(block);
    body_->totals.remove(block);
    --body_->size;
    taken.add(std::move(block));
  }
  return gone;
}

// Amortised O(1): the entries of taken chunks are removed when they are half of the list.
void BlockList::drop_first_chunk() {
  auto& [chunks, head, front, size, totals] = *body_;
  ++head;
  front = 0;
  if (size == 0) {
    body_.reset();
  } else if (head * 2 >= chunks.size()) {
    chunks.erase(chunks.begin(), chunks.begin() + static_cast<ptrdiff_t>(head));
    head = 0;
    if (chunks.capacity() > 4 * chunks.size()) chunks.shrink_to_fit();
  }
}

void BlockList::replace(Place from, Place to, std::vector<Block> blocks) {
  auto& chunks = body_->chunks;
  if (from.chunk == body_->head) {
    // First removes the places of taken blocks, which are no longer counted.
    auto& first = chunks[from.chunk].blocks;
    first.erase(first.begin(), first.begin() + static_cast<ptrdiff_t>(body_->front));
    from.slot -= body_->front;
    if (to.chunk == from.chunk) to.slot -= body_->front;
    body_->front = 0;
  }
  if (to.chunk == from.chunk) {
    take_out(from.chunk, from.slot, to.slot);
  } else {
    take_out(from.chunk, from.slot, chunks[from.chunk].blocks.size());
    for (size_t i = from.chunk + 1; i < to.chunk; ++i) take_out(i, 0, chunks[i].blocks.size());
    if (to.slot > 0) take_out(to.chunk, 0, to.slot);
    chunks.erase(chunks.begin() + static_cast<ptrdiff_t>(from.chunk + 1),
                 chunks.begin() + static_cast<ptrdiff_t>(to.chunk));
  }
  Chunk& chunk = chunks[from.chunk];
  for (const Block& block : blocks) {
    chunk.totals.add(block);
    body_->totals.add(block);
  }
  body_->size += blocks.size();
  chunk.blocks.insert(chunk.blocks.begin() + static_cast<ptrdiff_t>(from.slot), std::move_iterator(blocks.begin()),
                      std::move_iterator(blocks.end()));
  tidy(from.chunk);
}

void BlockList::take_out(size_t index, size_t from, size_t to) {
  Chunk& chunk = body_->chunks[index];
  for (size_t slot = from; slot < to; ++slot) {
    chunk.totals.remove(chunk.blocks[slot]);
    body_->totals.remove(chunk.blocks[slot]);
  }
  body_->size -= to - from;
  chunk.blocks.erase(chunk.blocks.begin() + static_cast<ptrdiff_t>(from),
                     chunk.blocks.begin() + static_cast<ptrdiff_t>(to));
}

// Makes sure that no chunk is empty or much too large, and merges small neighbours.
void BlockList::tidy(size_t index) {
  auto& chunks = body_->chunks;
  const auto place = chunks.begin() + static_cast<ptrdiff_t>(index);
  auto& blocks = place->blocks;
  if (body_->size == 0) {
    body_.reset();
  } else if (blocks.empty()) {
    chunks.erase(place);
  } else if (blocks.size() > 2 * kChunk) {
    const auto half = blocks.begin() + static_cast<ptrdiff_t>(blocks.size() / 2);
    Chunk upper{{std::move_iterator(half), std::move_iterator(blocks.end())}, {}};
    for (const Block& block : upper.blocks) upper.totals.add(block);
    place->totals -= upper.totals;
    blocks.erase(half, blocks.end());
    chunks.insert(place + 1, std::move(upper));
  } else if (index > body_->head && (place - 1)->blocks.size() + blocks.size() <= kChunk / 2) {
    std::move(blocks.begin(), blocks.end(), std::back_inserter((place - 1)->blocks));
    (place - 1)->totals += place->totals;
    chunks.erase(place);
  } else if (blocks.capacity() > 4 * blocks.size() + 16) {
    blocks.shrink_to_fit();
  }
}

BlockList::Place BlockList::find_sum(uint64_t BlockTotals::*sum, uint64_t& amount) const {
  Place place = begin();
  while (place != end() && body_->chunks[place.chunk].totals.*sum < amount) {
    amount -= body_->chunks[place.chunk].totals.*sum;
    place = {place.chunk + 1, 0};
  }
  while (place != end() && BlockTotals::of((*this)[place]).*sum < amount) {
    amount -= BlockTotals::of((*this)[place]).*sum;
    place = after(place);
  }
  return place;
}

BlockTotals BlockList::before_sums(Place place) const {
  BlockTotals sums;
  for (Place at = begin(); at != place;) {
    if (at.chunk < place.chunk) {
      sums += body_->chunks[at.chunk].totals;
      at = {at.chunk + 1, 0};
    } else {
      sums.add((*this)[at]);
      ++at.slot;
    }
  }
  return sums;
}

BlockList BlockList::clone() const {
  BlockList copy;
  for (Place place = begin(); place != end(); place = after(place)) copy.push_back((*this)[place].clone());
  return copy;
}

size_t BlockList::memory() const {
  if (empty()) return 0;
  const auto& chunks = body_->chunks;
  size_t bytes = sizeof(Body) + chunks.capacity() * sizeof(Chunk);
  for (size_t i = body_->head; i < chunks.size(); ++i) bytes += chunks[i].blocks.capacity() * sizeof(Block);
  return bytes;
}

const char* BlockList::check() const {
  if (empty()) return nullptr;
  BlockTotals all;
  size_t size = 0;
  for (size_t i = body_->head; i < body_->chunks.size(); ++i) {
    const Chunk& chunk = body_->chunks[i];
    const size_t from = i == body_->head ? body_->front : 0;
    if (from >= chunk.blocks.size()) return "a chunk without blocks";
    BlockTotals totals;
    for (size_t slot = from; slot < chunk.blocks.size(); ++slot) totals.add(chunk.blocks[slot]);
    if (totals != chunk.totals) return "the sums of a chunk are not those of its blocks";
    all += totals;
    size += chunk.blocks.size() - from;
  }
  if (all != body_->totals) return "the sums of a block list are not those of its chunks";
  return size == body_->size && size > 0 ? nullptr : "a block list that miscounts its blocks";
}

}  // namespace millrace
