// The memory of recipients: one after the other, each with its name, in chunks that never move. The place of a removed
// recipient is used again for one of the same size.
//
//   number    chunk << 15 | where in it, in units of 8 bytes
//   chunk     | ann ... | bob ... | a longer name ... |      |
//                                                     ^ used ^ size
//
// The first chunk has room for one recipient. Each further chunk is as large as all before it together up to 512 bytes,
// then an eighth of them, up to 256 KiB. So little memory is unused, and a million recipients need a list of a few
// hundred chunks, which stays in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/shard/recipient.h"

namespace millrace {

class RecipientChunks {
 public:
  RecipientChunks() = default;
  RecipientChunks(RecipientChunks&&) noexcept = default;
  RecipientChunks& operator=(RecipientChunks&& other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(bytes_, other.bytes_);
    std::swap(free_, other.free_);
    return *this;
  }
  ~RecipientChunks();

  Recipient& operator[](RecipientId id) { return *at(id); }
  const Recipient& operator[](RecipientId id) const { return *at(id); }

  bool is_full() const { return chunks_.size() == kMostChunks; }
  // Whether this many more recipients fit, with names of `name_bytes` bytes in total. It may return false too early
  // when the last chunks are in use. If is_full() is false, one more fits.
  bool has_room_for(uint64_t recipients, uint64_t name_bytes) const {
    // Near the limit each new chunk is of the largest size, and more than half full when the next one is added.
    const uint64_t bytes = recipients * (sizeof(Recipient) + alignof(Recipient)) + name_bytes;
    return chunks_.size() + bytes / (kLargest / 2) < kMostChunks;
  }
  // REQUIRES: !is_full()
  RecipientId add(ByteView name);
  void remove(RecipientId id);

  // Calls visit(id) for `most` recipients, starting at a place (0: the first), and returns the place to continue from,
  // 0 at the end. A recipient that exists all the time is visited exactly once. REQUIRES: `from` is 0, or a place that
  // walk() or place_from() returned
  template <class Visit>
  uint64_t walk(uint64_t from, uint64_t most, Visit visit) const {
    auto chunk = static_cast<uint32_t>(from >> 32);
    auto offset = static_cast<uint32_t>(from);
    for (; chunk < chunks_.size(); ++chunk, offset = 0) {
      while (offset < chunks_[chunk].used) {
        if (most-- == 0) return uint64_t{chunk} << 32 | offset;
        const RecipientId id = id_of(chunk, offset);
        offset += at(id)->size();
        if (!at(id)->is_free()) visit(id);
      }
    }
    return 0;
  }

  // The place for walk() that belongs to a number from outside, or the next place after it. Reads one chunk.
  uint64_t place_from(uint64_t number) const;

  // Calls visit(id) for each recipient, in the order of their arrival.
  template <class Visit>
  void each(Visit visit) const {
    for (uint32_t chunk = 0; chunk < chunks_.size(); ++chunk) {
      for (uint32_t offset = 0; offset < chunks_[chunk].used;) {
        const RecipientId id = id_of(chunk, offset);
        offset += at(id)->size();
        if (!at(id)->is_free()) visit(id);
      }
    }
  }

  // The name of the recipient at this place, if there is one. If the id points into the middle of another recipient,
  // any bytes; if it is beyond all of them, empty.
  ByteView name_if_any(RecipientId id) const;

  // Does not include memory that the recipients own elsewhere.
  size_t memory() const;

 private:
  static constexpr uint32_t kUnit = 8;
  static constexpr uint32_t kUnitBits = 15;
  static constexpr uint32_t kSmall = 512;
  static constexpr uint32_t kLargest = kUnit << kUnitBits;
  static constexpr size_t kMostChunks = size_t{1} << (32 - kUnitBits);

  struct Chunk {
    std::unique_ptr<char[]> bytes;
    uint32_t used;
    uint32_t size;
  };

  static RecipientId id_of(uint32_t chunk, uint32_t offset) { return RecipientId(chunk << kUnitBits | offset / kUnit); }
  static uint32_t chunk_of(RecipientId id) { return id.value() >> kUnitBits; }
  static uint32_t offset_of(RecipientId id) { return (id.value() & ((1U << kUnitBits) - 1)) * kUnit; }
  Recipient* at(RecipientId id) const {
    return reinterpret_cast<Recipient*>(chunks_[chunk_of(id)].bytes.get() + offset_of(id));
  }
  void add_chunk(uint32_t at_least);

  std::vector<Chunk> chunks_;
  size_t bytes_ = 0;                                   // of all chunks
  std::map<uint32_t, std::vector<RecipientId>> free_;  // places of removed recipients, by size
};

}  // namespace millrace
