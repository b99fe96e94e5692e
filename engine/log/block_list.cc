#include "engine/log/block_list.h"

namespace millrace {

constinit const BlockList::Body BlockList::kNothing;

void BlockList::push_back(Block block) {
  if (!body_) body_ = std::make_unique<Body>();
  auto& chunks = body_->chunks;
  if (chunks.empty() || chunks.back().blocks.size() == kChunk) {
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

// Amortised O(1): the room of taken chunks is closed when it is half of the list.
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

BlockList::Place BlockList::find_payload(uint64_t& payload) const {
  Place place = begin();
  while (place != end() && body_->chunks[place.chunk].totals.payload < payload) {
    payload -= body_->chunks[place.chunk].totals.payload;
    place = {place.chunk + 1, 0};
  }
  while (place != end() && (*this)[place].payload() < payload) {
    payload -= (*this)[place].payload();
    place = after(place);
  }
  return place;
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
  // All but the first and the last have the same room.
  const size_t used = chunks.size() - body_->head;
  bytes += chunks.back().blocks.capacity() * sizeof(Block);
  if (used > 1) bytes += chunks[body_->head].blocks.capacity() * sizeof(Block);
  if (used > 2) bytes += (used - 2) * kChunk * sizeof(Block);
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
