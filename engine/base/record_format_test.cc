#include "engine/base/record_format.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

// Appends a record as a block does, and checks that it takes exactly the room that it asked for.
void append(std::string& block, TagPosition known, ByteView tag, uint64_t delta, ByteView entry) {
  const size_t start = block.size();
  const uint64_t size = record_size(known, tag, delta, entry);
  block.resize(start + size + 1, '#');  // one more, to see a write too far
  write_record(block.data() + start, known, tag, delta, entry);
  EXPECT_EQ(block.back(), '#');
  block.pop_back();
}

struct Row {
  const char* name;
  ByteView tag;
  uint64_t delta;
  ByteView entry;
};

const std::string kLong(300, 'x');
const std::string kVeryLong(70000, 'y');

const Row kRows[] = {
    {"a tag and an entry", "t", 0, "hi"},
    {"nothing at all", "", 0, ""},
    {"views of no memory", {}, 0, {}},
    {"bytes that are not text", ByteView("\0\xff\r\n", 4), 1, ByteView("\x80\0", 2)},
    {"lengths of two bytes", kLong, 128, kLong},
    {"lengths of three bytes", kVeryLong, 1 << 20, kVeryLong},
    {"the longest time", "t", UINT64_MAX, "e"},
};

TEST(RecordFormat, IsWrittenAsItsHeaderDrawsIt) {
  std::string block;
  append(block, 0, "t", 0, "hi");
  append(block, 1, "t", 3, "yo");
  EXPECT_EQ(block, std::string("\0\1t\0\2hi\1\3\2yo", 12));
}

TEST(RecordFormat, ARecordThatBringsItsTagComesBack) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    std::string block;
    append(block, 0, row.tag, row.delta, row.entry);
    Record record{};
    EXPECT_EQ(read_record(block.data(), block.data(), record), block.data() + block.size());
    EXPECT_EQ(record.tag, row.tag);
    EXPECT_EQ(record.entry, row.entry);
    EXPECT_EQ(record.time_delta, row.delta);
    EXPECT_EQ(tag_at(block.data(), 1), row.tag);
  }
}

TEST(RecordFormat, ARecordThatRefersToATagComesBack) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    std::string block;
    append(block, 0, row.tag, 0, kLong);
    const size_t second = block.size();
    append(block, 1, row.tag, row.delta, row.entry);
    Record record{};
    EXPECT_EQ(read_record(block.data(), block.data() + second, record), block.data() + block.size());
    EXPECT_EQ(record.tag, row.tag);
    EXPECT_EQ(record.tag.data(), tag_at(block.data(), 1).data()) << "the tag is stored once";
    EXPECT_EQ(record.entry, row.entry);
    EXPECT_EQ(record.time_delta, row.delta);
  }
}

TEST(RecordFormat, SkippingEndsWhereReadingEnds) {
  for (const Row& row : kRows) {
    for (TagPosition known : {TagPosition{0}, TagPosition{1}}) {
      SCOPED_TRACE(::testing::Message() << row.name << ", tag at " << known);
      std::string block;
      append(block, 0, row.tag, 0, "");
      const size_t second = block.size();
      append(block, known, row.tag, row.delta, row.entry);
      uint64_t delta = 0;
      EXPECT_EQ(skip_record(block.data() + second, delta), block.data() + block.size());
      EXPECT_EQ(delta, row.delta);
    }
  }
}

}  // namespace
}  // namespace millrace
