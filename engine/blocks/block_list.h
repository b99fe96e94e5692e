// The full blocks of a log, oldest first. Blocks are added at the end, taken from the front, found by offset or date in
// O(log n), and replaced in the middle where a log is compacted.
//
//   chunks   [ . . b c ] [ d e f g ] [ h i ]      about kChunk blocks each at most
//               ^ front: the blocks before it have been taken
//
// The list is in chunks because a log of a hundred million messages has a million blocks: one array would sometimes
// have to move all of them, which would be a pause. Each chunk stores the sums over its blocks, so that taking many
// blocks costs one step per chunk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/blocks/block.h"
#include "engine/blocks/evicted_blocks.h"

namespace millrace {

// Sums over blocks.
struct BlockTotals {
  uint64_t messages = 0;  // including evicted ones
  uint64_t payload = 0;
  uint64_t memory = 0;   // besides the blocks themselves
  uint64_t saved = 0;    // bytes saved by packing
  uint64_t packed = 0;   // number of packed blocks
  uint64_t untried = 0;  // number of blocks that packing was not tried for

  void add(const Block& block) { *this += of(block); }
  void remove(const Block& block) { *this -= of(block); }
  BlockTotals& operator+=(const BlockTotals& other) {
    messages += other.messages;
    payload += other.payload;
    memory += other.memory;
    saved += other.saved;
    packed += other.packed;
    untried += other.untried;
    return *this;
  }
  BlockTotals& operator-=(const BlockTotals& other) {
    messages -= other.messages;
    payload -= other.payload;
    memory -= other.memory;
    saved -= other.saved;
    packed -= other.packed;
    untried -= other.untried;
    return *this;
  }
  friend bool operator==(const BlockTotals&, const BlockTotals&) = default;

 private:
  friend class BlockList;
  static BlockTotals of(const Block& block) {
    BlockTotals totals;
    totals.messages = block.count();
    totals.payload = block.payload();
    totals.memory = block.memory();
    totals.saved = block.saved();
    totals.packed = block.is_packed() ? 1 : 0;
    totals.untried = block.may_be_packed() ? 1 : 0;
    return totals;
  }
};

class BlockList {
 public:
  // Where a block is. Invalid after the list has grown or shrunk.
  struct Place {
    size_t chunk;
    size_t slot;
    friend bool operator==(Place, Place) = default;
  };

  bool empty() const { return body_ == nullptr; }
  size_t size() const { return body().size; }
  const BlockTotals& totals() const { return body().totals; }

  Place begin() const { return {body().head, body().front}; }
  Place end() const { return {body().chunks.size(), 0}; }
  Place after(Place place) const {
    return place.slot + 1 < body_->chunks[place.chunk].blocks.size() ? Place{place.chunk, place.slot + 1}
                                                                     : Place{place.chunk + 1, 0};
  }
  // REQUIRES: place is not begin()
  Place before(Place place) const {
    return place.slot > 0 ? Place{place.chunk, place.slot - 1}
                          : Place{place.chunk - 1, body_->chunks[place.chunk - 1].blocks.size() - 1};
  }
  const Block& operator[](Place place) const { return body_->chunks[place.chunk].blocks[place.slot]; }
  // REQUIRES: !empty()
  const Block& front() const { return (*this)[begin()]; }
  const Block& back() const { return body_->chunks.back().blocks.back(); }

  void push_back(Block block);

  // Calls `change(block)`, which must not change the messages of the block.
  template <class Change>
  void change(Place place, Change change) {
    Chunk& chunk = body_->chunks[place.chunk];
    Block& block = chunk.blocks[place.slot];
    body_->totals -= chunk.totals;
    chunk.totals.remove(block);
    change(block);
    chunk.totals.add(block);
    body_->totals += chunk.totals;
  }

  // Replaces the blocks in [from, to) by `blocks`. Cost: O(blocks in both), and the rest of one or two chunks.
  // REQUIRES: from != to
  void replace(Place from, Place to, std::vector<Block> blocks);

  // Moves all blocks that end at or before `offset` to `taken`, and returns the sums over them.
  // Cost: O(chunks taken), plus the blocks of one chunk.
  BlockTotals take_before(Offset offset, EvictedBlocks& taken);

  // The first block for which `is_past` is true; end() if there is none.
  // REQUIRES: is_past is false up to some block and true after it.
  template <class Predicate>
  Place find(Predicate is_past) const {
    const auto& chunks = body().chunks;
    const auto chunk = std::partition_point(chunks.begin() + static_cast<ptrdiff_t>(body().head), chunks.end(),
                                            [&](const Chunk& c) { return !is_past(c.blocks.back()); });
    if (chunk == chunks.end()) return end();
    const auto index = static_cast<size_t>(chunk - chunks.begin());
    const auto from = chunk->blocks.begin() + static_cast<ptrdiff_t>(index == body().head ? body().front : 0);
    const auto block = std::partition_point(from, chunk->blocks.end(), [&](const Block& b) { return !is_past(b); });
    return {index, static_cast<size_t>(block - chunk->blocks.begin())};
  }

  // The first block at whose end the running sum is at least `amount`; end() if there is none. Lowers `amount` by the
  // sum before that block. Cost: as take_before().
  Place find_sum(uint64_t BlockTotals::*sum, uint64_t& amount) const;
  // The sums over the blocks before this one. Cost: as take_before().
  BlockTotals before_sums(Place place) const;

  BlockList clone() const;

  // Bytes of memory of the list itself, without its blocks' contents.
  size_t memory() const;

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

  static constexpr size_t kChunk = 128;

 private:
  struct Chunk {
    std::vector<Block> blocks;  // never empty
    BlockTotals totals;
  };

  struct Body {
    std::vector<Chunk> chunks;  // [0, head) have been taken
    size_t head = 0;
    size_t front = 0;  // slots of the first chunk that have been taken
    size_t size = 0;   // never 0
    BlockTotals totals;
  };

  void take_out(size_t chunk, size_t from, size_t to);
  void tidy(size_t chunk);

  const Body& body() const { return body_ ? *body_ : kNothing; }
  void drop_first_chunk();

  static const Body kNothing;

  std::unique_ptr<Body> body_;  // null if empty: most logs are small and never have a full block
};

}  // namespace millrace
