#include "engine/blocks/tag_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace millrace {
namespace {

// Bytes with nothing but tags, stored in the same way as in a block.
class StoredTags {
 public:
  TagPosition store(ByteView tag) {
    const auto position = static_cast<TagPosition>(bytes_.size());
    append_varint(bytes_, tag.size());
    bytes_ += tag;
    return position;
  }
  const char* block() const { return bytes_.data(); }

 private:
  std::string bytes_ = "#";  // no tag is ever at position 0
};

TEST(TagIndex, IsEmptyAtFirst) {
  TagIndex index;
  EXPECT_EQ(index.find("", ""), 0u);
  EXPECT_EQ(index.find("", "a"), 0u);
  EXPECT_TRUE(index.positions().empty());
}

TEST(TagIndex, ASingleTagNeedsNoAllocation) {
  StoredTags tags;
  TagIndex index;
  const TagPosition only = tags.store("only");
  index.add(tags.block(), only);
  EXPECT_EQ(index.find(tags.block(), "only"), only);
  EXPECT_EQ(index.find(tags.block(), "other"), 0u);
  EXPECT_EQ(index.positions(), std::vector{only});
  EXPECT_EQ(index.memory(), 0u);
}

TEST(TagIndex, FindsTheEmptyTagAndTagsThatAreNotText) {
  StoredTags tags;
  TagIndex index;
  const TagPosition empty = tags.store("");
  const TagPosition zero = tags.store(ByteView("\0", 1));
  const TagPosition zeros = tags.store(ByteView("\0\0", 2));
  for (TagPosition position : {empty, zero, zeros}) index.add(tags.block(), position);
  EXPECT_EQ(index.find(tags.block(), ""), empty);
  EXPECT_EQ(index.find(tags.block(), ByteView("\0", 1)), zero);
  EXPECT_EQ(index.find(tags.block(), ByteView("\0\0", 2)), zeros);
  EXPECT_EQ(index.find(tags.block(), ByteView("\0\0\0", 3)), 0u);
}

TEST(TagIndex, FindsEveryTagForAnyNumberOfTags) {
  StoredTags tags;
  TagIndex index;
  std::vector<TagPosition> added;
  for (int i = 0; i < 1000; ++i) {
    const std::string tag = std::to_string(i);
    ASSERT_EQ(index.find(tags.block(), tag), 0u);
    added.push_back(tags.store(tag));
    index.add(tags.block(), added.back());
    // As long as there are few tags, all of them are looked up: then the table grows for the first time.
    for (int j = i < 50 ? 0 : i; j <= i; ++j) {
      ASSERT_EQ(index.find(tags.block(), std::to_string(j)), added[static_cast<size_t>(j)]) << "tag " << j;
    }
  }
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(index.find(tags.block(), std::to_string(i)), added[static_cast<size_t>(i)]) << "tag " << i;
  }
  std::vector<TagPosition> positions = index.positions();
  std::ranges::sort(positions);
  EXPECT_EQ(positions, added);
}

TEST(TagIndex, IsEmptyAfterClear) {
  for (int count : {1, 2, 100}) {
    SCOPED_TRACE(count);
    StoredTags tags;
    TagIndex index;
    for (int i = 0; i < count; ++i) {
      const TagPosition position = tags.store(std::to_string(i));  // before block(): it moves the bytes
      index.add(tags.block(), position);
    }
    index.clear();
    EXPECT_EQ(index.find(tags.block(), "0"), 0u);
    EXPECT_TRUE(index.positions().empty());
    EXPECT_EQ(index.memory(), 0u);
    const TagPosition again = tags.store("again");
    index.add(tags.block(), again);
    EXPECT_EQ(index.find(tags.block(), "again"), again);
  }
}

}  // namespace
}  // namespace millrace
