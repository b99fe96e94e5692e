// A run of messages in one allocation (the "macro node" of RCP 11). Blocks other than a log's newest never change, are
// saved as they are, and are freed as a whole. They may be packed: then only their metadata (offsets, dates, sizes, the
// tag filter) is directly available, and Records unpacks the rest.
//
// Offsets in a block are consecutive, except in a block that compaction has written: it has gaps between its first and
// its last message, and every record says how large the gap before it is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/buffer.h"
#include "engine/base/error.h"
#include "engine/base/record_format.h"
#include "engine/base/strong.h"
#include "engine/blocks/tag_filter.h"
#include "engine/blocks/unpacked_blocks.h"

namespace millrace {

class BlockPacker;
class TagIndex;

// When a block is full: a message that would exceed one of the limits starts the next block. A message larger than
// `bytes` has a block to itself.
struct BlockLimits {
  uint32_t bytes = 14 * 1024;
  // Limits the walk to a message inside a block when messages are tiny.
  uint32_t messages = 1024;
};

// Data that is not in the block's bytes; saved beside them.
struct BlockHeader {
  Offset first;
  UnixMs first_time;
  uint32_t count = 0;
  uint32_t unpacked = 0;  // unpacked size of packed bytes; 0: not packed
  uint64_t missing = 0;   // offsets without a message between the first and the last
};

// The position of a message in a block: its offset, when it was written, and where its record starts.
struct BlockPosition {
  Offset offset;
  UnixMs time;
  uint32_t byte = 0;
  uint32_t index = 0;  // which message of the block it is, from 0
};

class Block {
 public:
  Block() = default;
  explicit Block(Offset first) : first_(first) {}
  Block(Block&&) noexcept = default;
  Block& operator=(Block&&) noexcept = default;

  // Takes over bytes from outside after checking every record: lengths are inside the buffer, tag references point to
  // stored tags, the count is right, and dates do not overflow. Cost: one pass. Failure: Corrupt, with the reason.
  // `tags` must be empty; afterwards it contains the block's tags. Packed bytes are unpacked by `packer` for the check
  // and stay packed; the block is then sealed. Without a packer they are refused.
  static Result<Block> from_bytes(BlockHeader header, Buffer bytes, TagIndex& tags, BlockPacker* packer = nullptr);

  Block clone() const;

  // Appends, or returns false and changes nothing if that would exceed the limits.
  // An empty block takes any message.
  // REQUIRES: time >= last_time() unless empty; `tags` contains this block's tags.
  bool append(TagIndex& tags, ByteView tag, ByteView entry, UnixMs time, BlockLimits limits);

  // `pairs` are messages: tag, entry, tag, entry, …, and the first of them was appended last. Appends the messages
  // after it, with its date, as long as they have its tag, which is stored at `tag`, and fit into the room there is.
  // Returns how many were appended. REQUIRES: !empty()
  size_t append_alike(TagPosition tag, std::span<const ByteView> pairs, BlockLimits limits);

  // The same for messages that are stored in memory as the records of a block: copies many at once. It stops before a
  // message that does not directly follow the previous one in memory, and before one whose record would have another
  // size here.
  size_t append_records(TagPosition tag, std::span<const ByteView> pairs, BlockLimits limits);

  // Allocates the memory of a full block at once. REQUIRES: empty()
  void reserve(BlockLimits limits) { bytes_.reserve(limits.bytes); }

  // Called when no more will be appended: builds the tag filter and frees unused memory.
  void seal(const TagIndex& tags);

  // --- packing ---
  // False once packing was tried: a block that does not get smaller is not tried again.
  bool may_be_packed() const { return unpacked_ == 0; }
  // Packs the bytes if that makes them smaller. The packer must outlive the block (block_packer.h).
  // REQUIRES: sealed; may_be_packed()
  void pack(BlockPacker& packer, int level);
  // Marks the block as tried. REQUIRES: may_be_packed()
  void leave_unpacked() { unpacked_ = bytes_.size(); }
  bool is_packed() const { return unpacked_ > bytes_.size(); }
  // How many bytes packing saves.
  uint32_t saved() const { return is_packed() ? unpacked_ - bytes_.size() : 0; }
  // Removes the block from the cache of unpacked blocks. For a block whose messages are deleted or rewritten.
  void forget_unpacked() const;
  // Unpacks the block permanently. REQUIRES: is_packed()
  void unpack_in_place();

  bool empty() const { return count_ == 0; }
  uint32_t count() const { return count_; }
  Offset first() const { return first_; }
  Offset end() const { return first_ + count_ + missing_; }  // one past the last
  uint64_t missing() const { return missing_; }
  bool has_gaps() const { return missing_ != 0; }
  UnixMs first_time() const { return first_time_; }
  UnixMs last_time() const { return last_time_; }
  BlockHeader header() const { return {first_, first_time_, count_, is_packed() ? unpacked_ : 0, missing_}; }
  // The bytes as they are saved: packed or not.
  ByteView bytes() const { return bytes_.view(); }
  // The unpacked size of its records.
  uint32_t size() const { return is_packed() ? unpacked_ : bytes_.size(); }
  const TagFilter& tag_filter() const { return filter_; }

  // Bytes of the tags and entries of its messages, without evicted ones.
  uint64_t payload() const { return payload_; }
  void forget_payload(uint64_t evicted) { payload_ -= evicted; }

  // The first message. REQUIRES: !empty()
  BlockPosition begin() const { return {first_, first_time_, 0, 0}; }
  // A position at or shortly before the first message at or after `offset`. The caller then calls Records::advance(),
  // fewer than kStride times. If the block is packed or has gaps, it is the position of the block's first message.
  // REQUIRES: offset < end()
  BlockPosition near(Offset offset) const;

  // Bytes of memory besides the object itself.
  uint64_t memory() const { return bytes_.capacity() + landmarks_.capacity() + filter_.memory(); }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

  static constexpr uint32_t kStride = 16;

 private:
  friend class Records;
  friend class BlockRewriter;

  static Result<Block> from_records(BlockHeader header, Buffer bytes, TagIndex& tags);
  static Result<Block> from_packed(BlockHeader header, Buffer packed, TagIndex& tags, BlockPacker& packer);

  // The positions of messages number kStride, 2 * kStride, … of the block, so that finding a message in the middle does
  // not need a walk through half the block. Derived, and never saved. A packed block has none, because unpacking costs
  // far more than the walk. A block with gaps has none either, because a landmark would also need the offset.
  struct Landmark {
    uint32_t byte;
    uint32_t ms;  // since first_time_
  };

  uint32_t landmark_count() const { return landmarks_.size() / uint32_t{sizeof(Landmark)}; }
  Landmark landmark(size_t index) const;

  void make_room(uint64_t needed, BlockLimits limits);
  // Called before message number count_ is added at `byte`.
  void mark(uint32_t byte, UnixMs time);

  Buffer bytes_;
  Offset first_;
  UnixMs first_time_;
  UnixMs last_time_;
  uint64_t payload_ = 0;
  uint64_t missing_ = 0;
  uint32_t count_ = 0;
  uint32_t unpacked_ = 0;  // size of the records once packing was tried; 0: not tried
  // If packed:
  BlockPacker* packer_ = nullptr;
  PackedId packed_id_ = 0;
  Buffer landmarks_;  // a Buffer takes eight bytes less than a vector
  TagFilter filter_;
};

// The records of a block, unpacked if necessary. The bytes do not move while this object exists and the block does not
// change.
class Records {
 public:
  Records() = default;
  explicit Records(const Block& block);

  const char* begin() const { return bytes_.data(); }
  const char* end() const { return bytes_.data() + bytes_.size(); }

  // Moves to the next message. At the end, the byte is that of end() and the time stays that of the last message.
  void advance(BlockPosition& position) const;
  // The message there.
  void read(const BlockPosition& position, Record& record) const;
  // How many offsets without a message are before the record at `at`. Moves `at` to the rest of the record.
  uint64_t gap_at(const char*& at) const {
    uint64_t gap = 0;
    if (has_gaps_) [[unlikely]] {
      at = get_varint_unchecked(at, gap);
    }
    return gap;
  }

 private:
  ByteView bytes_;
  bool has_gaps_ = false;
  std::shared_ptr<const Buffer> unpacked_;  // owns the bytes, if the block is packed
};

}  // namespace millrace
