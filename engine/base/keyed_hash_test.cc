#include "engine/base/keyed_hash.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace millrace {
namespace {

// 00 01 02 … 0f, the key of SipHash's published vectors.
HashKey counting_key() {
  HashKey key;
  for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(i);
  return key;
}

// The bytes 00 01 02 …, as many as asked for.
std::string counting_bytes(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(i);
  return bytes;
}

// From the paper "SipHash: a fast short-input PRF", appendix A (15 bytes), and from the
// table of its reference implementation (the others).
TEST(KeyedHash, IsSipHash24) {
  const struct {
    size_t size;
    uint64_t hash;
  } rows[] = {{0, 0x726fdb47dd0e0e31}, {1, 0x74f839c593dc67fd},  {7, 0xab0200f58b01d137},
              {8, 0x93f5f5799a932462}, {15, 0xa129ca6149be45e5}, {63, 0x958a324ceb064572}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.size);
    EXPECT_EQ(keyed_hash(counting_key(), counting_bytes(row.size)), row.hash);
  }
}

TEST(KeyedHash, OfATableIsSipHashWithFewerRounds) {
  for (size_t size = 0; size < 100; ++size) {
    SCOPED_TRACE(size);
    const std::string bytes = counting_bytes(size);
    EXPECT_EQ((siphash<2, 4>(counting_key().data(), bytes)), keyed_hash(counting_key(), bytes));
  }
  // From the reference implementation with these rounds.
  EXPECT_EQ(table_hash(counting_key(), ""), 0xabac0158050fc4dc);
}

TEST(KeyedHash, EveryBitOfTheKeyMatters) {
  std::set<uint64_t> hashes = {keyed_hash(counting_key(), "bytes")};
  for (size_t bit = 0; bit < 8 * sizeof(HashKey); ++bit) {
    HashKey key = counting_key();
    key[bit / 8] = static_cast<unsigned char>(key[bit / 8] ^ 1 << bit % 8);
    EXPECT_TRUE(hashes.insert(keyed_hash(key, "bytes")).second) << "bit " << bit;
  }
}

TEST(KeyedHash, EveryPurposeHasAKeyOfItsOwn) {
  std::set<HashKey> keys = {counting_key()};
  HashKey other = counting_key();
  other[15] = 0;
  for (const HashKey& key : {counting_key(), other}) {
    for (const char* purpose : {"", "ids", "id", "ids0", "subscribers"}) {
      EXPECT_EQ(derived_key(key, purpose), derived_key(key, purpose));
      EXPECT_TRUE(keys.insert(derived_key(key, purpose)).second) << purpose;
    }
  }
}

TEST(KeyedHash, BothHalvesOfADerivedKeyDiffer) {
  const HashKey key = derived_key(counting_key(), "ids");
  EXPECT_NE(std::memcmp(key.data(), key.data() + 8, 8), 0);
}

}  // namespace
}  // namespace millrace
