#include "engine/blocks/packing.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace millrace {
namespace {

ZstdContexts zstd;

std::string json(size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += R"({"id":)" + std::to_string(i * 7919) + R"(,"kind":"paid"})";
  text.resize(size);
  return text;
}

std::string noise(size_t size) {
  std::mt19937_64 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(Packing, PackedBytesAreRestoredAtEveryLevel) {
  for (size_t size : {size_t{100}, size_t{14 * 1024}, size_t{kMostUnpacked}}) {
    for (int level = kLeastPackLevel; level <= kMostPackLevel; ++level) {
      SCOPED_TRACE(::testing::Message() << size << " bytes at level " << level);
      const std::string bytes = json(size);
      const auto packed = zstd.pack(bytes, level);
      ASSERT_TRUE(packed);
      EXPECT_LE(packed->size(), size - size / 16);
      EXPECT_EQ(packed->capacity(), packed->size()) << "no room is kept";
      std::string again(size, '\0');
      ASSERT_TRUE(zstd.unpack(packed->view(), again.data(), static_cast<uint32_t>(size)));
      EXPECT_EQ(again, bytes);
    }
  }
}

TEST(Packing, DoesNotPackBytesThatDoNotGetSmaller) {
  for (size_t size : {0u, 1u, 15u, 16u, 17u, 100u, 14u * 1024u}) EXPECT_FALSE(zstd.pack(noise(size), 1)) << size;
}

TEST(Packing, RefusesDamagedPackedBytes) {
  const std::string bytes = json(2000);
  const std::string packed(zstd.pack(bytes, 1)->view());
  std::string room(4000, '\0');
  EXPECT_FALSE(zstd.unpack(packed, room.data(), 1999));
  EXPECT_FALSE(zstd.unpack(packed, room.data(), 2001));
  EXPECT_FALSE(zstd.unpack("", room.data(), 2000));
  EXPECT_FALSE(zstd.unpack(packed + "x", room.data(), 2000));
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(zstd.unpack(ByteView(packed).substr(0, size), room.data(), 2000)) << size;
  }
  for (size_t at = 0; at < packed.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      // The format has a few unused bits, which may be changed; the content must stay the same.
      if (zstd.unpack(damaged, room.data(), 2000)) {
        EXPECT_EQ(room.substr(0, 2000), bytes) << at << " " << bit;
      }
    }
  }
}

}  // namespace
}  // namespace millrace
