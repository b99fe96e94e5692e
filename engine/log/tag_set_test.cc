#include "engine/log/tag_set.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace {
namespace {

constexpr HashKey kKey{};

std::vector<std::string> tags_of(int count) {
  std::vector<std::string> tags;
  for (int i = 0; i < count; ++i) tags.push_back("tag " + std::to_string(i));
  return tags;
}

TEST(TagSet, ContainsExactlyTheGivenTagsForAnyNumberOfThem) {
  for (const int count : {1, 4, 5, 1000}) {
    const std::vector<std::string> given = tags_of(count);
    const std::vector<ByteView> views(given.begin(), given.end());
    const TagSet tags(kKey, views);
    for (const std::string& tag : given) EXPECT_TRUE(tags.contains(tag)) << count;
    for (const char* other : {"", "tag", "tag 1000", "tag  1"}) EXPECT_FALSE(tags.contains(other)) << count;
    EXPECT_EQ(tags.probes().size(), views.size());
  }
}

TEST(TagSet, TagsMayBeEmptyBinaryAndNamedTwice) {
  const std::string binary("\0\xff\r\n", 4);
  const std::vector<ByteView> views = {"", binary, "", binary, "a", "a", "a"};
  const TagSet tags(kKey, views);
  EXPECT_TRUE(tags.contains(""));
  EXPECT_TRUE(tags.contains(binary));
  EXPECT_TRUE(tags.contains("a"));
  EXPECT_FALSE(tags.contains(ByteView(binary).substr(0, 3)));
}

}  // namespace
}  // namespace millrace
