// Reads an untrusted frame (frame_format.h): every number is checked before it is used, and no memory is allocated
// because of a number in the frame. The caller unpacks packed blocks.
//
//   FrameReader frame(bytes);
//   for (FrameBlock block; frame.next_block(block);) {
//     frame.enter(block.unpacked == 0 ? block.bytes : unpacked(block));
//     for (Message message; frame.next(message);) …
//   }
//   if (frame.failure() != nullptr) …          what came until then must not be used
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/decoder.h"
#include "engine/base/frame_format.h"
#include "engine/base/limits.h"
#include "engine/base/message.h"
#include "engine/base/record_reader.h"
#include "engine/base/strong.h"

namespace millrace {

class FrameReader {
 public:
  // Borrows the bytes as long as it reads them.
  explicit FrameReader(ByteView frame) : in_(frame) { read_head(frame); }

  // What is wrong with the frame; nullptr while no error was found.
  const char* failure() const { return failure_; }
  // REQUIRES: no failure
  const FrameHead& head() const { return head_; }

  // The next block; false at the end of the frame and on failure. REQUIRES: next() has returned false, unless it is the
  // first block.
  bool next_block(FrameBlock& block) {
    if (failure_ != nullptr) return false;
    if (in_.finished()) {
      if (given_ != head_.count) fail("a frame with another number of messages than it says");
      return false;
    }
    block.first = Offset(in_.number());
    block.first_time = UnixMs(in_.number());
    block.count = in_.number();
    block.unpacked = in_.number();
    block.missing = in_.number();
    const uint64_t size = in_.number();
    block.bytes = in_.bytes(size);
    if (!in_.ok() || size > UINT32_MAX) return wrong("a frame that ends inside a block");
    if (block.unpacked != 0 && (block.unpacked > kMostUnpacked || block.unpacked <= size)) {
      return wrong("a packed block of an impossible size");
    }
    if (block.count == 0) return wrong("a block without messages");
    if (block.first_time.value() > INT64_MAX) return wrong("a block beyond the end of time");
    if (block.first > kMaxOffset || block.count > kMaxOffset - block.first ||
        block.missing > kMaxOffset - block.first - block.count) {
      return wrong("a block beyond the last offset");
    }
    const Offset end = block.first + block.count + block.missing;
    if (block.first < behind_) return wrong("a block that does not come behind the one before it");
    if (end <= head_.from || block.first >= head_.end) return wrong("a block outside of its frame");
    behind_ = end;
    block_ = block;
    return true;
  }

  // `records` are the block's bytes, or what they unpack to. They are borrowed until the next block.
  void enter(ByteView records) {
    if (failure_ != nullptr) return;
    records_.open(records, block_.missing != 0);
    walk_ = {block_.first, block_.first_time, block_.count, 0};
  }

  // Called if the packed bytes do not unpack to the stated size.
  void fail_unpacking() { fail("a packed block that does not unpack"); }

  // The next message of the block that belongs to the frame; false at the end of the block and on failure.
  bool next(Message& message) {
    while (walk_.left != 0) {
      if (const char* const reason = step(walk_, message)) [[unlikely]] {
        return wrong(reason);
      }
      if (walk_.left == 0 && !ends_as_it_says()) [[unlikely]] {
        return false;
      }
      if (!is_inside(message)) [[unlikely]] {
        continue;
      }
      ++given_;
      return true;
    }
    return false;
  }

  // Calls take(message) for all of them; faster than next(). False on failure: the messages taken must not be used.
  template <class Take>
  bool each(Take take) {
    if (failure_ != nullptr) return false;
    Walk walk = walk_;  // a local copy, so that it stays in registers
    Message message{};
    uint64_t given = 0;
    const bool is_all_inside = block_.first >= head_.from && block_.first + block_.count + block_.missing <= head_.end;
    while (walk.left != 0) {
      if (is_all_inside && walk.left != block_.count) {
        // As many as cannot reach the end of time.
        const uint64_t most = std::min(walk.left, (INT64_MAX - walk.time.value()) / 0x80);
        const uint64_t alike = records_.next_alike(most, [&](ByteView tag, ByteView entry, uint64_t delta) {
          walk.time = walk.time + delta;
          take(Message{walk.offset, tag, entry, walk.time});
          ++walk.offset;
        });
        walk.left -= alike;
        given += alike;
        if (walk.left == 0) break;
      }
      if (const char* const reason = step(walk, message)) [[unlikely]] {
        return wrong(reason);
      }
      if (!is_inside(message)) [[unlikely]] {
        continue;
      }
      take(message);
      ++given;
    }
    walk_ = walk;
    given_ += given;
    return ends_as_it_says();
  }

 private:
  static constexpr const char* kOtherGaps = "a block whose gaps do not match its header";

  void read_head(ByteView frame) {
    if (!frame.starts_with(kFrameMark.substr(0, kFrameMark.size() - 1))) return fail("bytes that are no frame");
    if (!frame.starts_with(kFrameMark)) return fail("a frame of a version that is not known here");
    in_.bytes(kFrameMark.size());
    head_.epoch = LogEpoch(in_.number());
    head_.log_first = Offset(in_.number());
    head_.log_next = Offset(in_.number());
    head_.from = Offset(in_.number());
    head_.end = Offset(in_.number());
    head_.count = in_.number();
    if (!in_.ok()) return fail("a frame that ends inside its head");
    if (head_.epoch > kMaxEpoch || head_.log_next > kMaxOffset || head_.log_first > head_.log_next ||
        head_.from.value() == 0 || head_.end > kMaxOffset || head_.from > head_.end ||
        head_.count > head_.end - head_.from) {
      fail("a frame with impossible offsets");
    }
  }
  void fail(const char* reason) {
    if (failure_ == nullptr) failure_ = reason;
    walk_.left = 0;
  }
  bool wrong(const char* reason) {
    fail(reason);
    return false;
  }
  bool ends_as_it_says() {
    if (!records_.at_end()) return wrong("bytes after the last message of a block");
    return walk_.missing == block_.missing || wrong(kOtherGaps);
  }

  // The position in a block.
  struct Walk {
    Offset offset;  // offset of the next message, if there is no gap before it
    UnixMs time;    // time of the previous message
    uint64_t left;  // messages
    uint64_t missing;
  };
  // Reads the next message of the block. Returns what is wrong with it, or nullptr. REQUIRES: messages are left
  [[gnu::always_inline]] const char* step(Walk& walk, Message& message) {
    Record record;
    uint64_t gap;
    if (const char* const reason = records_.next(record, gap)) [[unlikely]] {
      return reason;
    }
    const bool is_first = walk.left == block_.count;
    if (gap > block_.missing - walk.missing || (is_first && gap != 0)) [[unlikely]] {
      return kOtherGaps;
    }
    if (record.time_delta > INT64_MAX - walk.time.value() || (is_first && record.time_delta != 0)) [[unlikely]] {
      return "a message beyond the end of time";
    }
    walk.missing += gap;
    walk.time = walk.time + record.time_delta;
    message = {walk.offset + gap, record.tag, record.entry, walk.time};
    walk.offset = message.offset + 1;
    --walk.left;
    return nullptr;
  }
  bool is_inside(const Message& message) const { return message.offset >= head_.from && message.offset < head_.end; }

  Decoder in_;
  FrameHead head_;
  const char* failure_ = nullptr;
  Offset behind_{1};    // where the previous block ends
  uint64_t given_ = 0;  // messages
  // The block that is being read:
  FrameBlock block_;
  RecordReader records_;
  Walk walk_{};
};

}  // namespace millrace
