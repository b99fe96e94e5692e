// A sorted set of byte strings that supports ranks. The orders of an index and the agenda are made of it. No string may
// be a prefix of another. Strings are in chunks (byte_chunk.h), chunks in groups of up to 128; a million numbers with
// their documents take some 8 bytes each.
//
// Finding, adding and removing take O(log n) plus a move of part of a chunk and of a group. A rank takes O(log n) plus
// a look at up to 128 chunks; the first rank after a change also takes O(groups), and there are about n / 8,000 groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/byte_chunk.h"
#include "engine/base/bytes.h"

namespace millrace {

class ByteOrder {
 public:
  uint64_t size() const { return size_; }
  ByteOrder clone() const;

  // False if the entry is there already. REQUIRES: 1 to 60,000 bytes
  bool insert(ByteView entry);
  // False if there is no such entry.
  bool erase(ByteView entry);
  bool contains(ByteView entry) const;

  // The first eight bytes of the first entry as a number, the most significant one first. O(1). REQUIRES: size() > 0
  uint64_t first_head() const { return groups_.front()->chunks.front().head(); }

  // How many entries are less than `bound`.
  uint64_t rank(ByteView bound) const;
  // The entry with this many entries before it. REQUIRES: rank < size()
  void at_rank(uint64_t rank, std::string& entry) const;

  // Calls visit(number) for each entry in [from, to), or from `from` on if `to` is empty: the number is made of the
  // last four bytes of the entry. Cheaper than a walk, because entries are not assembled. REQUIRES: every entry has
  // four
  template <class Visit>
  void each_ending(ByteView from, ByteView to, Visit visit) const {
    if (size_ == 0) return;
    Place at = place_of(from);
    const Place last = to.empty() ? Place{groups_.size() - 1, groups_.back()->chunks.size() - 1} : place_of(to);
    auto begin = chunk_at(at).lower_bound(from);
    while (at != last) {
      const ByteChunk& chunk = chunk_at(at);
      chunk.each_ending(begin, chunk.count(), visit);
      at = at.chunk + 1 < groups_[at.group]->chunks.size() ? Place{at.group, at.chunk + 1} : Place{at.group + 1, 0};
      begin = chunk_at(at).first();
      const std::vector<ByteChunk>& chunks = groups_[at.group]->chunks;
      if (at.chunk + 1 < chunks.size()) chunks[at.chunk + 1].prefetch();
    }
    const ByteChunk& chunk = chunk_at(last);
    chunk.each_ending(begin, to.empty() ? chunk.count() : chunk.lower_bound(to).index, visit);
  }

  // One entry after the other, in either direction. Valid until the next change.
  class Walk {
   public:
    explicit Walk(const ByteOrder& order) : order_(order) {}
    // To the first entry that is not less than `bound`.
    void seek(ByteView bound);
    // To the last entry that is less than `bound`.
    void seek_before(ByteView bound);
    void seek_last();
    // False before the first seek and beyond an end.
    bool is_at_entry() const { return is_at_entry_; }
    // REQUIRES: is_at_entry(), for all of these. Valid until the next move.
    ByteView entry() const { return entry_; }
    void next();
    void previous();

   private:
    void take();

    const ByteOrder& order_;
    size_t group_ = 0;
    size_t chunk_ = 0;
    ByteChunk::Spot spot_{};
    bool is_at_entry_ = false;
    std::string entry_;
  };

  // O(number of groups)
  size_t memory() const;
  // Frees a part; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some();

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  static constexpr size_t kMostChunks = 128;
  // A chunk with fewer entries is merged with a neighbour, if both together have at most kUnited.
  static constexpr size_t kSparse = 32;
  static constexpr size_t kUnited = 96;

  struct Group {
    std::vector<ByteChunk> chunks;
    uint64_t count = 0;
  };
  struct Place {
    size_t group;
    size_t chunk;
    friend bool operator==(const Place&, const Place&) = default;
  };

  // The chunk in which `entry` is or belongs. REQUIRES: size() > 0
  Place place_of(ByteView entry) const;
  const ByteChunk& chunk_at(Place place) const { return groups_[place.group]->chunks[place.chunk]; }
  void add_chunk(Place behind, ByteChunk chunk);
  void drop_chunk(Place place);
  void unite(Place place);
  // For each group, how many entries are before it.
  const std::vector<uint64_t>& counts_before() const;

  std::vector<std::unique_ptr<Group>> groups_;
  uint64_t size_ = 0;
  size_t chunk_bytes_ = 0;  // allocated by all chunks
  // Empty after a change, until the next call of rank().
  mutable std::vector<uint64_t> counts_before_;
};

}  // namespace millrace
