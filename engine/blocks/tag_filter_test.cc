#include "engine/blocks/tag_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace {
namespace {

TagFilter filter_of(const std::vector<std::string>& tags) {
  std::string block = "#";  // no tag is ever at position 0
  std::vector<TagPosition> positions;
  for (const std::string& tag : tags) {
    positions.push_back(static_cast<TagPosition>(block.size()));
    append_varint(block, tag.size());
    block += tag;
  }
  return TagFilter::build(block.data(), positions);
}

std::vector<std::string> numbered(const std::string& prefix, int count) {
  std::vector<std::string> tags;
  for (int i = 0; i < count; ++i) tags.push_back(prefix + std::to_string(i));
  return tags;
}

TEST(TagFilter, AFilterThatWasNotBuiltExcludesNothing) {
  TagFilter filter;
  EXPECT_TRUE(filter.may_hold(TagFilter::Probe("")));
  EXPECT_TRUE(filter.may_hold(TagFilter::Probe("anything")));
  EXPECT_EQ(filter.memory(), 0u);
}

TEST(TagFilter, NeverExcludesATagThatIsThere) {
  for (int count : {1, 2, 7, 8, 9, 100, 1024}) {
    SCOPED_TRACE(count);
    const auto tags = numbered("", count);
    const TagFilter filter = filter_of(tags);
    for (const std::string& tag : tags) EXPECT_TRUE(filter.may_hold(TagFilter::Probe(tag))) << tag;
  }
}

TEST(TagFilter, ContainsTheEmptyTag) {
  const TagFilter filter = filter_of({""});
  EXPECT_TRUE(filter.may_hold(TagFilter::Probe("")));
}

TEST(TagFilter, ExcludesMostTagsThatAreNotThere) {
  for (int count : {1, 10, 100, 1024}) {
    SCOPED_TRACE(count);
    const TagFilter filter = filter_of(numbered("here ", count));
    int wrong = 0;
    for (const std::string& tag : numbered("elsewhere ", 10000)) {
      if (filter.may_hold(TagFilter::Probe(tag))) ++wrong;
    }
    // Hashes are fixed, so this is exact; the bound is twice what the header's 1 in 20 says.
    EXPECT_LT(wrong, 1000);
  }
}

TEST(TagFilter, TakesAtMostTwoBytesPerTagPlusOneWord) {
  for (int count : {1, 10, 100, 1024}) {
    SCOPED_TRACE(count);
    const uint64_t memory = filter_of(numbered("", count)).memory();
    EXPECT_GE(memory, static_cast<uint64_t>(count));
    EXPECT_LE(memory, static_cast<uint64_t>(count) * 2 + sizeof(uint64_t));
  }
}

TEST(TagFilter, ACloneAnswersTheSame) {
  const TagFilter filter = filter_of(numbered("here ", 50));
  const TagFilter copy = filter.clone();
  EXPECT_EQ(copy.memory(), filter.memory());
  for (const std::string& tag : numbered("here ", 100)) {
    EXPECT_EQ(copy.may_hold(TagFilter::Probe(tag)), filter.may_hold(TagFilter::Probe(tag))) << tag;
  }
  EXPECT_TRUE(TagFilter().clone().may_hold(TagFilter::Probe("x")));
}

}  // namespace
}  // namespace millrace
