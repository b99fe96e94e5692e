#include "engine/blocks/frame_builder.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "engine/blocks/block_rewriter.h"

namespace millrace {

namespace {

// The messages of one block stay in one block.
constexpr BlockLimits kNoLimits{.bytes = UINT32_MAX / 2, .messages = UINT32_MAX};

FrameBlock as_it_lies(const Block& block) {
  const BlockHeader header = block.header();
  return {header.first, header.first_time, header.count, header.unpacked, header.missing, block.bytes()};
}

class FrameBuilder {
 public:
  FrameBuilder(const MessageBlocks& messages, Offset from, FrameLimits limits)
      : messages_(messages), limits_(limits), from_(from), end_(from) {}

  BuiltFrame build(FrameHead head, std::string room) {
    const bool is_whole = messages_.each_block_from(from_, [&](const Block& block) { return add(block); });
    // The last messages may have been deleted: a reader that has all messages continues at the end of the log.
    if (is_whole) end_ = messages_.next();
    head.from = from_;
    head.end = end_;
    head.count = count_;
    size_t size = kMostFrameHeadBytes;
    for (const FrameBlock& block : blocks_) size += kMostFrameHeadBytes + block.bytes.size();
    BuiltFrame built{std::move(room), count_};
    built.bytes.clear();
    built.bytes.reserve(size);
    append_frame_head(built.bytes, head);
    for (const FrameBlock& block : blocks_) append_frame_block(built.bytes, block);
    return built;
  }

 private:
  // False if the frame is complete without this block, or with a part of it.
  bool add(const Block& block) {
    const uint64_t left = limits_.messages - count_;
    if (left == 0 || (!blocks_.empty() && block.payload() > limits_.bytes - bytes_)) return false;
    bytes_ += std::min(block.payload(), limits_.bytes - bytes_);
    if (block.first() < from_) return block.is_packed() ? add_packed(block, left) : add_anew(block, left);
    if (block.count() <= left) {
      take(as_it_lies(block), block.count(), block.end());
      return true;
    }
    return block.is_packed() ? add_packed(block, left) : add_beginning(block, left);
  }

  void take(const FrameBlock& block, uint64_t count, Offset end) {
    blocks_.push_back(block);
    count_ += count;
    end_ = end;
  }

  // The first `left` messages. REQUIRES: it has more, and is not packed
  bool add_beginning(const Block& block, uint64_t left) {
    const Records records(block);
    BlockPosition at = block.has_gaps() ? block.begin() : block.near(block.first() + left - 1);
    while (at.index + 1 < left) records.advance(at);
    const Offset end = at.offset + 1;
    records.advance(at);
    FrameBlock part = as_it_lies(block);
    part.count = left;
    part.missing = end - block.first() - left;
    part.bytes = part.bytes.substr(0, at.byte);
    // A block that is cut before its first gap would have gap fields but no gaps, so its messages are written again.
    if (block.has_gaps() && part.missing == 0) return add_anew(block, left);
    take(part, left, end);
    return false;
  }

  // A packed block of which only some messages belong to the frame.
  bool add_packed(const Block& block, uint64_t left) {
    const Offset from = std::max(from_, block.first());
    uint64_t count;
    Offset end;
    if (!block.has_gaps()) {
      count = std::min(left, block.end() - from);
      end = from + count;
    } else {
      count = 0;
      const Records records(block);
      BlockPosition at = block.begin();
      for (; at.index < block.count() && count < left; records.advance(at)) {
        if (at.offset < from) continue;
        ++count;
        end = at.offset + 1;
      }
      if (at.index == block.count()) end = block.end();
    }
    take(as_it_lies(block), count, end);
    return end == block.end();
  }

  // Writes the messages from from_ on of an unpacked block to a new block.
  bool add_anew(const Block& block, uint64_t left) {
    uint64_t count = 0;
    Message message{};
    MessageBlocks::Cursor cursor(messages_, std::max(from_, block.first()));
    if (block.has_gaps()) {
      BlockRewriter rewriter(kNoLimits);
      for (; count < left && cursor.next(message) && message.offset < block.end(); ++count) rewriter.add(message);
      anew_.push_back(std::move(rewriter.finish().front()));
    } else {
      Block part(std::max(from_, block.first()));
      TagIndex tags;
      for (; count < left && cursor.at() < block.end() && cursor.next(message); ++count) {
        part.append(tags, message.tag, message.entry, message.written, kNoLimits);
      }
      anew_.push_back(std::move(part));
    }
    const Block& part = anew_.back();
    const bool is_whole = count < left || part.end() == block.end();
    take(as_it_lies(part), count, is_whole ? block.end() : part.end());
    return is_whole;
  }

  const MessageBlocks& messages_;
  const FrameLimits limits_;
  const Offset from_;
  Offset end_;
  uint64_t count_ = 0;
  uint64_t bytes_ = 0;
  std::vector<FrameBlock> blocks_;
  std::deque<Block> anew_;  // own the bytes of those blocks_ that are not in the log
};

}  // namespace

BuiltFrame build_frame(const MessageBlocks& messages, FrameHead head, Offset from, FrameLimits limits,
                       std::string room) {
  return FrameBuilder(messages, std::max(from, messages.first()), limits).build(head, std::move(room));
}

std::string empty_frame(FrameHead head, Offset from) {
  std::string frame;
  head.from = head.end = from;
  head.count = 0;
  append_frame_head(frame, head);
  return frame;
}

}  // namespace millrace
