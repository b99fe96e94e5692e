// A run of messages in one allocation (the "macro node" of RCP 11). Blocks other than a
// log's newest never change, are saved as they are, and are given back whole.
//
// Their offsets follow on, except in a block that compaction has written: it has gaps,
// between its first and its last message, and says so in every record.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/buffer.h"
#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/log/record_format.h"
#include "engine/log/tag_filter.h"

namespace millrace {

class TagIndex;

// When a block is full: the message that would take it past either limit starts
// the next one. A message larger than `bytes` has a block to itself.
struct BlockLimits {
  uint32_t bytes = 14 * 1024;
  // Keeps walking to a message inside a block short when messages are tiny.
  uint32_t messages = 1024;
};

// What a block's bytes alone do not say; saved beside them.
struct BlockHeader {
  Offset first;
  UnixMs first_time;
  uint32_t count = 0;
  uint64_t missing = 0;  // offsets between the first and the last that have no message
};

// The first of something inside a block: a message, where its record starts, and
// when it was written.
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

  // Takes over bytes from outside after checking every record of them: lengths
  // inside the buffer, tag references to stored tags, the right count, dates that
  // do not pass the end of time. Cost: one pass. Failure: Corrupt, with the reason.
  // `tags`, empty before, then knows the block's tags.
  static Result<Block> from_bytes(BlockHeader header, Buffer bytes, TagIndex& tags);

  Block clone() const;

  // Appends, or returns false and changes nothing if that would pass the limits.
  // An empty block takes any message.
  // REQUIRES: time >= last_time() unless empty; `tags` knows this block's tags.
  bool append(TagIndex& tags, ByteView tag, ByteView entry, UnixMs time, BlockLimits limits);

  // Takes the room of a full block at once. REQUIRES: empty()
  void reserve(BlockLimits limits) { bytes_.reserve(limits.bytes); }

  // No more will be appended: builds the tag filter and gives back slack.
  void seal(const TagIndex& tags);

  bool empty() const { return count_ == 0; }
  uint32_t count() const { return count_; }
  Offset first() const { return first_; }
  Offset end() const { return first_ + count_ + missing_; }  // one past the last
  uint64_t missing() const { return missing_; }
  bool has_gaps() const { return missing_ != 0; }
  UnixMs first_time() const { return first_time_; }
  UnixMs last_time() const { return last_time_; }
  BlockHeader header() const { return {first_, first_time_, count_, missing_}; }
  ByteView bytes() const { return bytes_.view(); }
  const TagFilter& tag_filter() const { return filter_; }

  // Bytes of the tags and entries of its messages, evicted ones not counted.
  uint64_t payload() const { return payload_; }
  void forget_payload(uint64_t evicted) { payload_ -= evicted; }

  // The first message. REQUIRES: !empty()
  BlockPosition begin() const { return {first_, first_time_, 0, 0}; }
  // Close to the first message at or after `offset`, never behind it; advance() does the
  // rest, fewer than kStride times unless the block has gaps.
  // REQUIRES: offset < end()
  BlockPosition near(Offset offset) const;
  // Moves one message on. At the block's end the byte is bytes().size() and the time
  // stays that of the last message.
  void advance(BlockPosition& position) const;
  // The message there. The views live as long as the block's bytes.
  void read(const BlockPosition& position, Record& record) const;

  // What it holds besides itself.
  uint64_t memory() const { return bytes_.capacity() + landmarks_.capacity() * sizeof(Landmark) + filter_.memory(); }

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

  static constexpr uint32_t kStride = 16;

 private:
  // Where message number kStride, 2 * kStride, … of the block is, so that finding one in
  // the middle does not walk through half the block. Derived: never saved. A block with
  // gaps has none, for it would have to say the offsets as well.
  struct Landmark {
    uint32_t byte;
    uint32_t ms;  // since first_time_
  };

  friend class BlockRewriter;

  const char* behind_gap(const char* at, uint64_t& gap) const;
  void make_room(uint64_t needed, BlockLimits limits);
  // To be called before message number count_ is added at `byte`.
  void mark(uint32_t byte, UnixMs time);

  Buffer bytes_;
  Offset first_;
  UnixMs first_time_;
  UnixMs last_time_;
  uint64_t payload_ = 0;
  uint64_t missing_ = 0;
  uint32_t count_ = 0;
  std::vector<Landmark> landmarks_;
  TagFilter filter_;
};

}  // namespace millrace
