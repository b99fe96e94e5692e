// Things by number: a number stays with its thing until that goes, and is then given to
// another. Adding one never moves the others, and a few take little room: pieces double in
// size up to a thousand.
//
//   piece   0   1   2     3         4 …         10              11 …
//   slots   0   1   2-3   4-7       8-15 …      512-1023        1024-2047 …
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace millrace {

inline constexpr uint32_t kNoSlot = UINT32_MAX;

// A T that was made by T() is what an unused slot holds.
template <class T>
class Slots {
 public:
  // Things, unused slots not counted.
  size_t size() const { return limit_ - free_.size(); }
  // Slots are below this.
  uint32_t limit() const { return limit_; }

  // REQUIRES: size() < kNoSlot
  uint32_t add() {
    if (!free_.empty()) {
      const uint32_t slot = free_.back();
      free_.pop_back();
      return slot;
    }
    if (place_of(limit_).piece == pieces_.size()) pieces_.push_back(std::make_unique<T[]>(piece_size(limit_)));
    return limit_++;
  }

  void remove(uint32_t slot) {
    (*this)[slot] = T();
    free_.push_back(slot);
    if (size() == 0) *this = {};
  }

  T& operator[](uint32_t slot) {
    const Place place = place_of(slot);
    return pieces_[place.piece][place.at];
  }
  const T& operator[](uint32_t slot) const {
    const Place place = place_of(slot);
    return pieces_[place.piece][place.at];
  }

  size_t memory() const {
    size_t bytes = pieces_.capacity() * sizeof(pieces_[0]) + free_.capacity() * sizeof(uint32_t);
    if (limit_ > 0) bytes += (limit_ - 1 - place_of(limit_ - 1).at + piece_size(limit_ - 1)) * sizeof(T);
    return bytes;
  }

 private:
  static constexpr uint32_t kPiece = 1024;

  struct Place {
    size_t piece;
    size_t at;
  };

  static Place place_of(uint32_t slot) {
    if (slot >= kPiece) return {static_cast<size_t>(std::bit_width(kPiece - 1) + slot / kPiece), slot % kPiece};
    return {static_cast<size_t>(std::bit_width(slot)), slot - std::bit_floor(slot)};
  }
  // Of the piece that the slot is in.
  static size_t piece_size(uint32_t slot) { return slot == 0 ? 1 : std::min(std::bit_floor(slot), kPiece); }

  std::vector<std::unique_ptr<T[]>> pieces_;
  std::vector<uint32_t> free_;
  uint32_t limit_ = 0;
};

}  // namespace millrace
