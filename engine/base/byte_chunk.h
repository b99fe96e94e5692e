// A few dozen sorted byte strings in one allocation: the leaves of a ByteOrder. The common prefix of all strings is
// stored once. If all have the same length, no lengths are stored, and a string is found by binary search.
//
//   fixed       prefix | rest | rest | rest …             each `stride` bytes
//   variable    prefix | size rest | size rest | …        size as a varint
//
// Numbers of 8 bytes with a document id of 4 share most of their leading bytes, so that an entry takes 6 to 8 bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/bytes.h"

namespace millrace {

class ByteChunk {
 public:
  static constexpr size_t kMostEntries = 128;
  // A chunk of more bytes is split, if it has at least two entries.
  static constexpr size_t kMostBytes = 4096;

  ByteChunk() = default;
  // REQUIRES: sorted, without duplicates.
  explicit ByteChunk(std::span<const std::string> entries) { encode(entries); }
  ByteChunk clone() const;

  size_t count() const { return count_; }
  bool is_full() const { return count_ >= kMostEntries || (used_ > kMostBytes && count_ > 1); }
  size_t memory() const { return capacity_; }

  // The first eight bytes of an entry as a number, for quick comparisons.
  static uint64_t head_of(ByteView entry);
  // The head of the first entry. REQUIRES: count() > 0
  uint64_t head() const { return head_; }
  // True if the first entry is greater. `head` is head_of(entry). REQUIRES: count() > 0
  bool begins_after(ByteView entry, uint64_t head) const;

  // The position of an entry: its index, and where its bytes begin.
  struct Spot {
    uint32_t index;
    uint32_t offset;
  };
  // The first entry that is not less than `bound`; index count() if there is none.
  Spot lower_bound(ByteView bound) const;
  Spot first() const { return {0, prefix_}; }
  // REQUIRES: spot.index < count()
  Spot after(Spot spot) const;
  // REQUIRES: index < count()
  Spot spot_of(size_t index) const;
  void read(Spot spot, std::string& entry) const;
  bool is_equal(Spot spot, ByteView entry) const;

  // Calls visit(number) for the entries from `begin` on, up to the one with the index `end`: the number is made of the
  // last four bytes of an entry, the most significant one first. REQUIRES: every entry has four
  template <class Visit>
  void each_ending(Spot begin, size_t end, Visit visit) const {
    const char* at = bytes_.get() + begin.offset;
    const size_t count = end > begin.index ? end - begin.index : 0;
    switch (stride_) {
      case 1:
        return each_short_ending<1>(at, count, visit);
      case 2:
        return each_short_ending<2>(at, count, visit);
      case 3:
        return each_short_ending<3>(at, count, visit);
      default:
        break;
    }
    if (is_fixed() && stride_ >= kEndingBytes) {
      at += stride_ - kEndingBytes;
      for (size_t i = 0; i < count; ++i, at += stride_) visit(number_at(at));
      return;
    }
    for (Spot spot = begin; spot.index < end; spot = after(spot)) visit(ending(spot));
  }

  // A hint that the whole chunk will be read soon.
  void prefetch() const {
    constexpr uint32_t kLine = 64;
    for (uint32_t at = 0; at < used_; at += kLine) __builtin_prefetch(bytes_.get() + at);
  }

  // False if the entry is there already.
  bool insert(ByteView entry);
  // False if there is no such entry.
  bool erase(ByteView entry);
  // Moves the upper half into a new chunk. REQUIRES: count() > 1
  ByteChunk split();
  // Takes the entries of the chunk after this one.
  void absorb(const ByteChunk& next);

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  static constexpr uint16_t kVariable = UINT16_MAX;
  static constexpr size_t kEndingBytes = 4;

  static uint32_t number_at(const char* at) {
    uint32_t number;
    std::memcpy(&number, at, sizeof(number));
    return std::endian::native == std::endian::little ? __builtin_bswap32(number) : number;
  }
  uint32_t ending(Spot spot) const;
  // The same for the next `count` entries, of which only `stride` bytes are stored: the other bytes of the number are
  // the last ones of the shared prefix. So it is where many documents have the same value.
  template <size_t stride, class Visit>
  void each_short_ending(const char* at, size_t count, Visit visit) const {
    uint32_t shared_part = 0;
    for (size_t i = stride; i < kEndingBytes; ++i) {
      shared_part = shared_part << 8 | static_cast<uint8_t>(bytes_[prefix_ + i - kEndingBytes]);
    }
    for (; count > 0; --count) {
      uint32_t number = shared_part;
      for (size_t i = 0; i < stride; ++i) number = number << 8 | static_cast<uint8_t>(*at++);
      visit(number);
    }
  }

  ByteView shared() const { return {bytes_.get(), prefix_}; }
  bool is_fixed() const { return stride_ != kVariable; }
  // The stored part of an entry, after the shared prefix.
  ByteView rest(Spot spot) const;
  uint32_t offset_after(uint32_t offset) const;
  // Below 0 if `bound` is less than all strings that begin with the prefix, above 0 if greater, 0 if it begins with the
  // prefix.
  int compare_with_shared(ByteView bound) const;
  void collect(std::vector<std::string>& entries) const;
  void encode(std::span<const std::string> entries);
  void insert_and_encode(size_t index, ByteView entry);
  void insert_and_widen(size_t index, ByteView entry);
  void update_head();

  uint64_t head_ = 0;
  std::unique_ptr<char[]> bytes_;
  uint32_t used_ = 0;
  uint32_t capacity_ = 0;
  uint16_t count_ = 0;
  uint16_t prefix_ = 0;
  uint16_t stride_ = 0;
};

}  // namespace millrace
