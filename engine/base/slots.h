// Things by number. A thing keeps its number (slot) until it is removed; then the number is used again. Adding a thing
// never moves the others, and few things take little memory: pieces double in size up to a thousand. A piece without
// things is freed, but one empty piece is kept as a spare, so that adding and removing a single thing does not allocate
// a piece each time.
//
//   piece   0   1   2     3         4 …         10              11 …
//   slots   0   1   2-3   4-7       8-15 …      512-1023        1024-2047 …
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace millrace {

// A T that was made by T() is what an unused slot holds. `Slot` is the type of the numbers: a StrongId, or uint32_t.
template <class T, class Slot = uint32_t>
class Slots {
 public:
  // A copy with the same numbers; clone(thing) copies each thing.
  template <class Clone>
  Slots clone(Clone clone) const {
    Slots copy;
    copy.free_ = free_;
    copy.limit_ = limit_;
    copy.spare_ = spare_;
    copy.pieces_.resize(pieces_.size());
    for (size_t i = 0; i < pieces_.size(); ++i) {
      copy.pieces_[i].used = pieces_[i].used;
      if (pieces_[i].things == nullptr) continue;
      copy.pieces_[i].things = std::make_unique<T[]>(piece_size(i));
      for (size_t at = 0; at < piece_size(i); ++at) copy.pieces_[i].things[at] = clone(pieces_[i].things[at]);
    }
    return copy;
  }

  // The number of things, without unused slots.
  size_t size() const { return limit_ - free_.size(); }
  // All slots are less than this.
  uint32_t limit() const { return limit_; }
  // All slots below limit(), in ascending order; some may be unused. Valid until the next change.
  auto all() const {
    return std::views::iota(uint32_t{0}, limit_) | std::views::transform([](uint32_t number) { return Slot(number); });
  }

  // REQUIRES: size() < UINT32_MAX
  Slot add() {
    const Slot slot = free_.empty() ? Slot(limit_++) : free_.back();
    if (!free_.empty()) free_.pop_back();
    const size_t at = place_of(slot).piece;
    if (at == pieces_.size()) pieces_.emplace_back();
    Piece& piece = pieces_[at];
    if (piece.things == nullptr) piece.things = std::make_unique<T[]>(piece_size(at));
    if (piece.used++ == 0 && at == spare_) spare_ = kNoPiece;
    return slot;
  }

  // REQUIRES: it holds a thing
  void remove(Slot slot) {
    const Place place = place_of(slot);
    Piece& piece = pieces_[place.piece];
    piece.things[place.at] = T();
    free_.push_back(slot);
    if (size() == 0) {
      *this = {};
      return;
    }
    if (--piece.used == 0) {
      drop_spare();
      spare_ = static_cast<uint32_t>(place.piece);
    }
    if (spare_ != kNoPiece && size() < piece_size(spare_)) drop_spare();
  }

  // Destroys the thing in the last slot; false if there is no slot. REQUIRES: after it, only free_last() and the
  // destructor are called
  bool free_last() {
    if (limit_ == 0) return false;
    const Place place = place_of(Slot(--limit_));
    Piece& piece = pieces_[place.piece];
    if (piece.things != nullptr) piece.things[place.at] = T();
    if (place.at == 0) piece.things.reset();
    return true;
  }

  // REQUIRES: it holds a thing
  T& operator[](Slot slot) {
    const Place place = place_of(slot);
    return pieces_[place.piece].things[place.at];
  }
  // REQUIRES: slot is below limit()
  const T& operator[](Slot slot) const {
    const Place place = place_of(slot);
    const Piece& piece = pieces_[place.piece];
    return piece.things != nullptr ? piece.things[place.at] : nothing();
  }

  // Frees up to a thousand things; false once nothing is left. REQUIRES: after it, only free_some() and the destructor
  // are called.
  bool free_some() {
    if (!pieces_.empty()) pieces_.pop_back();
    return !pieces_.empty();
  }

  size_t memory() const {
    size_t bytes = pieces_.capacity() * sizeof(Piece) + free_.capacity() * sizeof(Slot);
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (pieces_[i].things != nullptr) bytes += piece_size(i) * sizeof(T);
    }
    return bytes;
  }

 private:
  static constexpr uint32_t kPiece = 1024;
  static constexpr uint32_t kNoPiece = UINT32_MAX;

  struct Piece {
    std::unique_ptr<T[]> things;  // null: the piece has no things
    uint32_t used = 0;
  };

  struct Place {
    size_t piece;
    size_t at;
  };

  static uint32_t number_of(Slot slot) {
    if constexpr (std::is_same_v<Slot, uint32_t>) {
      return slot;
    } else {
      return slot.value();
    }
  }

  static Place place_of(Slot slot) {
    const uint32_t number = number_of(slot);
    if (number >= kPiece) return {static_cast<size_t>(std::bit_width(kPiece - 1) + number / kPiece), number % kPiece};
    return {static_cast<size_t>(std::bit_width(number)), number - std::bit_floor(number)};
  }
  static size_t piece_size(size_t piece) {
    return piece <= 1 ? 1 : size_t{1} << std::min<size_t>(piece - 1, std::bit_width(kPiece) - 1);
  }

  static const T& nothing() {
    static const T unused{};
    return unused;
  }

  void drop_spare() {
    if (spare_ != kNoPiece) pieces_[spare_].things.reset();
    spare_ = kNoPiece;
  }

  std::vector<Piece> pieces_;
  std::vector<Slot> free_;
  uint32_t limit_ = 0;
  uint32_t spare_ = kNoPiece;  // the piece that is empty and has memory, if there is one
};

}  // namespace millrace
