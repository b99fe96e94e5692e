// The fuzzers' payloads, one by one: a name that begins with "bad_" promises that one of its
// parts is refused, any other that they are an index.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/base/decoder.h"
#include "engine/index/index_parts.h"

namespace millrace::testing {
namespace {

Result<void> restore_all(Index& index, ByteView bytes) {
  Decoder parts(bytes);
  while (!parts.finished()) {
    const auto kind = static_cast<IndexPart>(parts.number() & 7);
    const ByteView part = parts.bytes(parts.number());
    if (!parts.ok()) return fail(ErrorCode::Corrupt, "cut short");
    if (auto restored = restore_part(index, kind, part); !restored) return restored;
  }
  return {};
}

TEST(IndexCorpus, IsAcceptedOrRefusedAsItsNamesPromise) {
  int payloads = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_CORPUS "/index_payload")) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    Index index(IndexSchema(), HashKey{});
    const auto restored = restore_all(index, bytes);
    EXPECT_EQ(restored.has_value(), !entry.path().filename().string().starts_with("bad_"))
        << (restored ? "accepted" : restored.error().text);
    EXPECT_EQ(index.check(), nullptr);
    ++payloads;
  }
  EXPECT_GT(payloads, 0);
}

}  // namespace
}  // namespace millrace::testing
