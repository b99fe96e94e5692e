#include "engine/base/hash_slot.h"

#include <gtest/gtest.h>

#include <string>

namespace millrace {
namespace {

// The values are what CLUSTER KEYSLOT answers.
TEST(HashSlot, HasTheValuesThatAClusterSays) {
  EXPECT_EQ(hash_slot(""), 0);
  EXPECT_EQ(hash_slot("123456789"), 12739);
  EXPECT_EQ(hash_slot("foo"), 12182);
  EXPECT_EQ(hash_slot("bar"), 5061);
  EXPECT_EQ(hash_slot("hello"), 866);
}

TEST(HashSlot, OnlyTheFirstTagThatIsNotEmptyCounts) {
  const struct {
    const char* name;
    ByteView key;
    ByteView hashed;
  } rows[] = {
      {"a tag at the front", "{foo}.jobs", "foo"},
      {"a tag at the end", "jobs.{foo}", "foo"},
      {"two tags", "{foo}{bar}", "foo"},
      {"two tags behind other text", "a{b}{c}", "b"},
      {"a brace inside the tag", "{{foo}}", "{foo"},
      {"a brace that closes before one opens", "}{foo}", "foo"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(hash_slot(row.key), hash_slot(row.hashed));
    EXPECT_LT(hash_slot(row.key), kHashSlots);
  }
}

// The CRC of the whole key, bit by bit as a polynomial division over its bits.
uint16_t slot_of_whole(const std::string& key) {
  uint32_t rest = 0;
  for (size_t bit = 0; bit < key.size() * 8 + 16; ++bit) {
    const bool one = bit / 8 < key.size() && ((static_cast<uint8_t>(key[bit / 8]) >> (7 - bit % 8)) & 1) != 0;
    rest = (rest << 1) | (one ? 1 : 0);
    if ((rest & 0x10000) != 0) rest ^= 0x11021;
  }
  return static_cast<uint16_t>(rest & 0x3fff);
}

TEST(HashSlot, WithoutATagTheWholeKeyCounts) {
  for (const std::string key : {"foo{}{bar}", "foo{bar", "foo}bar", "{", "}", "{}", "\xff\x80 bytes"}) {
    SCOPED_TRACE(key);
    EXPECT_EQ(hash_slot(key), slot_of_whole(key));
  }
  const std::string zeroes(3, '\0');
  EXPECT_EQ(hash_slot(zeroes), slot_of_whole(zeroes));
}

}  // namespace
}  // namespace millrace
