#include "engine/base/frame_reader.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace millrace {
namespace {

// "hi" and "yo" with the tag "t", 3 ms apart: the example of record_format.h.
constexpr ByteView kRecords("\x00\x01t\x00\x02hi\x01\x03\x02yo", 12);
// The same at the offsets 5 and 7.
constexpr ByteView kRecordsWithGap("\x00\x00\x01t\x00\x02hi\x01\x02\x03\x02yo", 14);

FrameHead head_of_two() {
  FrameHead head;
  head.from = Offset(5);
  head.end = Offset(7);
  head.count = 2;
  return head;
}

FrameBlock block_of_two() {
  FrameBlock block;
  block.first = Offset(5);
  block.first_time = UnixMs(1000);
  block.count = 2;
  block.bytes = kRecords;
  return block;
}

std::string frame_of(const FrameHead& head, const FrameBlock& block) {
  std::string frame;
  append_frame_head(frame, head);
  append_frame_block(frame, block);
  return frame;
}

// What is read, or the error; message by message, or a whole block at once.
std::string text_of(ByteView bytes, bool at_once) {
  FrameReader frame(bytes);
  std::string text;
  const auto take = [&](const Message& message) {
    text += std::to_string(message.offset.value()) + "@" + std::to_string(message.written.value()) + " " +
            std::string(message.tag) + "=" + std::string(message.entry) + " ";
  };
  for (FrameBlock block; frame.next_block(block);) {
    frame.enter(block.bytes);
    if (at_once) {
      const bool is_right = frame.each(take);
      EXPECT_EQ(is_right, frame.failure() == nullptr);
    } else {
      for (Message message; frame.next(message);) take(message);
    }
  }
  return frame.failure() != nullptr ? frame.failure() : text;
}

std::string text_of(ByteView bytes) {
  std::string text = text_of(bytes, false);
  EXPECT_EQ(text, text_of(bytes, true));
  return text;
}

TEST(FrameReader, ReadsTheMessagesOfItsBlocks) {
  EXPECT_EQ(text_of(frame_of(head_of_two(), block_of_two())), "5@1000 t=hi 6@1003 t=yo ");
}

TEST(FrameReader, RefusesAReferenceBeforeAnyTagWhateverItIs) {
  for (const uint64_t reference : {uint64_t{1}, uint64_t{9}, UINT64_MAX}) {
    std::string records;
    append_varint(records, reference);
    records += ByteView("\x00\x02hi\x00\x01t\x00\x02yo", 10);
    FrameBlock block = block_of_two();
    block.bytes = records;
    EXPECT_EQ(text_of(frame_of(head_of_two(), block)), "a message refers to a tag that is not there") << reference;
  }
}

TEST(FrameReader, LeavesOutWhatIsNotOfTheFrame) {
  FrameHead head = head_of_two();
  head.count = 1;
  head.from = Offset(6);
  EXPECT_EQ(text_of(frame_of(head, block_of_two())), "6@1003 t=yo ");
  head.from = Offset(5);
  head.end = Offset(6);
  EXPECT_EQ(text_of(frame_of(head, block_of_two())), "5@1000 t=hi ");
}

struct Row {
  const char* name;
  std::function<void(FrameHead&, FrameBlock&)> change;
  const char* expected;
};

const Row kRows[] = {
    {"gaps", [](auto& head, auto& block) { head.end = Offset(8), block.missing = 1, block.bytes = kRecordsWithGap; },
     "5@1000 t=hi 7@1003 t=yo "},
    {"fewer gaps than it says",
     [](auto& head, auto& block) { head.end = Offset(9), block.missing = 2, block.bytes = kRecordsWithGap; },
     "a block whose gaps do not match its header"},
    {"more messages than there are", [](auto& head, auto&) { head.end = Offset(8), head.count = 3; },
     "a frame with another number of messages than it says"},
    {"more messages than offsets", [](auto& head, auto&) { head.count = 3; }, "a frame with impossible offsets"},
    {"an end before its beginning", [](auto& head, auto&) { head.end = Offset(4); }, "a frame with impossible offsets"},
    {"the offset 0", [](auto& head, auto&) { head.from = Offset(0); }, "a frame with impossible offsets"},
    {"an offset beyond all", [](auto& head, auto&) { head.end = kMaxOffset + 1; }, "a frame with impossible offsets"},
    {"an epoch beyond all", [](auto& head, auto&) { head.epoch = kMaxEpoch + 1; }, "a frame with impossible offsets"},
    {"a block of nothing", [](auto&, auto& block) { block.count = 0; }, "a block without messages"},
    {"a block of fewer messages", [](auto&, auto& block) { block.count = 1; },
     "bytes after the last message of a block"},
    {"a block of more messages", [](auto&, auto& block) { block.count = 3; }, "a block ends inside a message"},
    {"a block at the offset 0", [](auto&, auto& block) { block.first = Offset(0); },
     "a block that does not come behind the one before it"},
    {"a block behind the frame", [](auto&, auto& block) { block.first = Offset(7); }, "a block outside of its frame"},
    {"a block before the frame", [](auto&, auto& block) { block.first = Offset(3); }, "a block outside of its frame"},
    {"a block of too many", [](auto&, auto& block) { block.count = UINT64_MAX; }, "a block beyond the last offset"},
    {"a block of too many gaps", [](auto&, auto& block) { block.missing = UINT64_MAX; },
     "a block beyond the last offset"},
    {"a date beyond all", [](auto&, auto& block) { block.first_time = UnixMs(UINT64_MAX); },
     "a block beyond the end of time"},
    {"a second date beyond all", [](auto&, auto& block) { block.first_time = UnixMs(INT64_MAX - 1); },
     "a message beyond the end of time"},
    {"packed to more", [](auto&, auto& block) { block.unpacked = 5; }, "a packed block of an impossible size"},
    {"packed too much", [](auto&, auto& block) { block.unpacked = kMostUnpacked + 1; },
     "a packed block of an impossible size"},
    {"a reference to nowhere",
     [](auto&, auto& block) { block.bytes = ByteView("\x00\x01t\x00\x02hi\x02\x03\x02yo", 12); },
     "a message refers to a tag that is not there"},
    {"a tag beyond the block", [](auto&, auto& block) { block.bytes = ByteView("\x00\x7ft\x00\x02hi", 7); },
     "a block ends inside a tag"},
};

TEST(FrameReader, RefusesWhatDoesNotHold) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    FrameHead head = head_of_two();
    FrameBlock block = block_of_two();
    row.change(head, block);
    EXPECT_EQ(text_of(frame_of(head, block)), row.expected);
  }
}

TEST(FrameReader, RefusesEveryFrameThatWasCutShort) {
  const std::string frame = frame_of(head_of_two(), block_of_two());
  for (size_t size = 0; size < frame.size(); ++size) {
    FrameReader reader(ByteView(frame).substr(0, size));
    for (FrameBlock block; reader.next_block(block);) {
      reader.enter(block.bytes);
      for (Message message; reader.next(message);) {
      }
    }
    EXPECT_NE(reader.failure(), nullptr) << size;
  }
}

TEST(FrameReader, RefusesWhatIsNoFrameAndVersionsItDoesNotKnow) {
  EXPECT_EQ(text_of(""), "bytes that are no frame");
  EXPECT_EQ(text_of("{\"json\":1}"), "bytes that are no frame");
  EXPECT_EQ(text_of("MRF\x02"), "a frame of a version that is not known here");
}

TEST(FrameReader, RefusesBlocksThatOverlap) {
  std::string frame;
  append_frame_head(frame, head_of_two());
  append_frame_block(frame, block_of_two());
  append_frame_block(frame, block_of_two());
  EXPECT_EQ(text_of(frame), "a block that does not come behind the one before it");
}

}  // namespace
}  // namespace millrace
