#include "engine/blocks/block_rewriter.h"

#include <algorithm>

namespace millrace {

namespace {

// The additional number for each gap must not push the last messages of a full block into a separate tiny block.
BlockLimits with_room_for_gaps(BlockLimits limits) {
  return {.bytes = limits.bytes + limits.bytes / 8, .messages = limits.messages};
}

}  // namespace

BlockRewriter::BlockRewriter(BlockLimits limits, uint64_t expected)
    : limits_(with_room_for_gaps(limits)), expected_(expected) {}

void BlockRewriter::add(const Message& message) {
  if (append(message)) return;
  close();
  append(message);
}

// Like Block::append, but with a gap before each record.
bool BlockRewriter::append(const Message& message) {
  if (block_.empty()) {
    block_ = Block(message.offset);
    block_.first_time_ = block_.last_time_ = message.written;
    if (expected_ != 0) block_.bytes_.reserve(static_cast<uint32_t>(std::min<uint64_t>(expected_, limits_.bytes)));
  }
  Buffer& bytes = block_.bytes_;
  const uint64_t gap = message.offset - block_.end();
  const TagPosition known = tags_.find(bytes.data(), message.tag);
  const uint64_t delta = message.written - block_.last_time_;
  const uint64_t size = varint_size(gap) + record_size(known, message.tag, delta, message.entry);
  const uint64_t needed = bytes.size() + size;
  if (!block_.empty() && (needed > limits_.bytes || block_.count_ >= limits_.messages)) return false;
  if (needed > bytes.capacity()) block_.make_room(needed, limits_);

  const uint32_t start = bytes.size();
  char* const record = put_varint(bytes.extend(static_cast<uint32_t>(size)), gap);
  write_record(record, known, message.tag, delta, message.entry);
  // After the gap and the reference, which is one byte with 0.
  if (known == 0) tags_.add(bytes.data(), start + static_cast<uint32_t>(varint_size(gap)) + 1);
  block_.last_time_ = message.written;
  block_.payload_ += message.tag.size() + message.entry.size();
  block_.missing_ += gap;
  ++block_.count_;
  return true;
}

void BlockRewriter::close() {
  expected_ -= std::min<uint64_t>(expected_, block_.bytes_.size());
  if (block_.missing_ == 0) {
    // A block without gaps has no gap fields, so it is written as a plain block.
    Block plain(block_.first());
    TagIndex tags;
    UnixMs time = block_.first_time_;
    const char* const base = block_.bytes_.data();
    for (const char* at = base; at != base + block_.bytes_.size();) {
      Record record;
      at = read_record(base, at + 1, record);
      time = time + record.time_delta;
      plain.append(tags, record.tag, record.entry, time, limits_);
    }
    block_ = std::move(plain);
    tags_ = std::move(tags);
  }
  block_.seal(tags_);
  blocks_.push_back(std::move(block_));
  block_ = Block();
  tags_.clear();
}

std::vector<Block> BlockRewriter::finish() {
  if (!block_.empty()) close();
  return std::move(blocks_);
}

}  // namespace millrace
