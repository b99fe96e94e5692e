// Maps the hash of a name to the recipients that may have it. The table grows one line at a time (linear hashing, as
// engine/base/hash_index.h), so that no single insertion has to move all the others.
//
// With a million recipients, almost every access is a cache miss, and a chain of dependent reads costs more than all
// other work. So a search reads one cache line, whose address is computed without reading another one first. Entries
// that do not fit are in a second line:
//
//   line   | tag 0 … tag 9 | size, more | id 0 … id 9 |      64 bytes
//                                 `--> a line of the overflow, if ten are not enough
//
// A tag is 16 bits of the hash. If a line's number is the lowest n bits of the hash (its depth), the tag begins at the
// multiple of 8 at or below n. So the tag also tells which entries move when the line is split. Only every eighth split
// hashes the names again, because the tags then begin 8 bits higher.
//
//   hash    … 1 0 1 1 0 0 1 0 0 1 1 0 1 1 0 1 0 0 0 1 1 1 0 1 1 0
//                                   `-----------------------------' number of a line of depth 17
//               `-----------------------------' its tags
//                                 ^ the bit that its split goes by
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/base/slots.h"
#include "engine/shard/recipient.h"

namespace millrace {

class RecipientIndex {
 public:
  size_t size() const { return size_; }

  // The recipient with this hash for which is_it(id), none if there is none.
  template <class IsIt>
  RecipientId find(uint64_t hash, IsIt is_it) const {
    if (lines_.limit() == 0) return RecipientId::none();
    const uint32_t number = line_of(hash);
    const uint16_t tag = tag_of(hash, depth_of(number));
    for (const Line* line = &lines_[number];; line = &overflow_[line->more]) {
      for (uint32_t found = line->places_of(tag); found != 0; found &= found - 1) {
        const RecipientId id = line->ids[std::countr_zero(found)];
        if (is_it(id)) return id;
      }
      if (line->more == kNoMore) return RecipientId::none();
    }
  }

  // Adds a recipient. O(1), amortised; sometimes calls hash_of(id) for a few others.
  // REQUIRES: size() < UINT32_MAX
  template <class HashOf>
  void add(uint64_t hash, RecipientId id, HashOf hash_of) {
    if (lines_.size() == 0) lines_.add();
    const uint32_t number = line_of(hash);
    put(number, tag_of(hash, depth_of(number)), id);
    if (++size_ > kFull * lines_.size()) split_one(hash_of);
  }

  // Removes a recipient. O(1) on average. Lines are not freed but reused. REQUIRES: it is in the index.
  void remove(uint64_t hash, RecipientId id) {
    const uint32_t number = line_of(hash);
    Line* line = &lines_[number];
    uint32_t place = line->place_of(id);
    while (place == kEntries) {
      line = &overflow_[line->more];
      place = line->place_of(id);
    }
    // The last entry of the last line takes its place.
    Line* before = nullptr;
    Line* last = line;
    if (last == &lines_[number] && last->more == kNoMore) {
      // The usual case.
    } else {
      for (last = &lines_[number]; last->more != kNoMore; last = &overflow_[last->more]) before = last;
    }
    --last->size;
    line->tags[place] = last->tags[last->size];
    line->ids[place] = last->ids[last->size];
    --size_;
    if (last->size != 0 || before == nullptr) return;
    const uint32_t empty = before->more;
    before->more = kNoMore;
    overflow_.remove(empty);
  }

  size_t memory() const { return lines_.memory() + overflow_.memory(); }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  template <class HashOf>
  const char* check(HashOf hash_of) const {
    size_t count = 0;
    size_t overflow = 0;
    for (uint32_t i = 0; i < lines_.size(); ++i) {
      for (const Line* line = &lines_[i];; line = &overflow_[line->more], ++overflow) {
        for (uint32_t at = 0; at < line->size; ++at, ++count) {
          const uint64_t hash = hash_of(line->ids[at]);
          if (line_of(hash) != i) return "a recipient is in the wrong line";
          if (tag_of(hash, depth_of(i)) != line->tags[at]) return "a recipient has the wrong tag";
        }
        if (line->more == kNoMore) break;
        if (line->size != kEntries) return "a line with room has an overflow";
      }
    }
    if (overflow != overflow_.size()) return "a line of the overflow is lost";
    return count == size_ ? nullptr : "the size is not the number of entries";
  }

 private:
  static constexpr uint32_t kEntries = 10;
  // The largest average number of entries per line: then three of a hundred are in the overflow.
  static constexpr size_t kFull = 6;
  static constexpr uint32_t kNoMore = (1U << 28) - 1;

  struct Line {
    uint16_t tags[kEntries];
    uint32_t size : 4 = 0;
    uint32_t more : 28 = kNoMore;
    RecipientId ids[kEntries];

    // kEntries if it is not in this line.
    uint32_t place_of(RecipientId id) const {
      for (uint32_t i = 0; i < size; ++i) {
        if (ids[i] == id) return i;
      }
      return kEntries;
    }
    // A bit for each entry with this tag.
    uint32_t places_of(uint16_t tag) const {
      uint32_t found = 0;
#ifdef __SSE2__
      // All tags at once; the second half has two tags, and the fields after them.
      const __m128i sought = _mm_set1_epi16(static_cast<int16_t>(tag));
      const auto* half = reinterpret_cast<const __m128i*>(tags);
      const __m128i first = _mm_cmpeq_epi16(_mm_loadu_si128(half), sought);
      const __m128i second = _mm_cmpeq_epi16(_mm_loadl_epi64(half + 1), sought);
      found = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(first, second)));
#else
      for (uint32_t i = 0; i < kEntries; ++i) found |= static_cast<uint32_t>(tags[i] == tag) << i;
#endif
      return found & ((1U << size) - 1);
    }
  };
  static_assert(sizeof(Line) == 64);

  // The first bit of the tags in a line of this depth, and the tag of a hash.
  static uint32_t tags_begin(uint32_t depth) { return depth & ~7U; }
  static uint16_t tag_of(uint64_t hash, uint32_t depth) { return static_cast<uint16_t>(hash >> tags_begin(depth)); }

  // REQUIRES: there is a line.
  uint32_t line_of(uint64_t hash) const {
    const uint32_t lines = lines_.limit();
    const uint32_t mask = std::bit_ceil(lines) - 1;
    const uint32_t wide = static_cast<uint32_t>(hash) & mask;
    return wide < lines ? wide : wide & (mask >> 1);
  }

  // How many bits of the hash are a line's number: one more once it has been split.
  uint32_t depth_of(uint32_t line) const {
    const uint32_t lines = lines_.limit();  // none is ever removed
    const auto deepest = static_cast<uint32_t>(std::bit_width(lines - 1));
    const uint32_t half = std::bit_ceil(lines) >> 1;
    return line < half && line + half >= lines ? deepest - 1 : deepest;
  }

  void put(uint32_t number, uint16_t tag, RecipientId id) {
    Line* line = &lines_[number];
    while (line->size == kEntries) {
      if (line->more == kNoMore) line->more = overflow_.add() & kNoMore;
      line = &overflow_[line->more];
    }
    line->tags[line->size] = tag;
    line->ids[line->size] = id;
    ++line->size;
  }

  template <class HashOf>
  void split_one(HashOf hash_of) {
    const uint32_t made = lines_.add();
    const auto depth = static_cast<uint32_t>(std::bit_width(made));  // the depth of both lines from now on
    const uint32_t origin = made - std::bit_floor(made);
    const bool tags_stay = tags_begin(depth) == tags_begin(depth - 1);
    Line old = std::exchange(lines_[origin], Line());
    while (true) {
      for (uint32_t at = 0; at < old.size; ++at) {
        const uint64_t hash = tags_stay ? uint64_t{old.tags[at]} << tags_begin(depth) : hash_of(old.ids[at]);
        put((hash >> (depth - 1) & 1) != 0 ? made : origin, tag_of(hash, depth), old.ids[at]);
      }
      if (old.more == kNoMore) return;
      const uint32_t next = old.more;
      old = overflow_[next];
      overflow_.remove(next);
    }
  }

  Slots<Line> lines_;
  Slots<Line> overflow_;
  size_t size_ = 0;
};

}  // namespace millrace
