// The fuzzers' payloads, one by one: a name that begins with "bad_" promises that one of its
// parts is refused, any other that they are a table.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/base/decoder.h"
#include "engine/route/route_codec.h"

namespace millrace::testing {
namespace {

Result<void> restore_all(RouteTable& table, ByteView bytes) {
  Decoder parts(bytes);
  while (!parts.finished()) {
    const ByteView part = parts.bytes(parts.number());
    if (!parts.ok()) return fail(ErrorCode::Corrupt, "cut short");
    if (auto restored = restore_route_part(table, part); !restored) return restored;
  }
  return {};
}

TEST(RouteCorpus, IsAcceptedOrRefusedAsItsNamesPromise) {
  int payloads = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_CORPUS "/route_payload")) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    RouteTable table{HashKey{}};
    const auto restored = restore_all(table, bytes);
    EXPECT_EQ(restored.has_value(), !entry.path().filename().string().starts_with("bad_"))
        << (restored ? "accepted" : restored.error().text);
    EXPECT_EQ(table.check(), nullptr);
    ++payloads;
  }
  EXPECT_GT(payloads, 0);
}

}  // namespace
}  // namespace millrace::testing
