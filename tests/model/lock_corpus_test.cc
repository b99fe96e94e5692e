// The fuzzers' payloads, one by one: a name that begins with "bad_" promises that the last
// changes in it are refused, any other that all are accepted.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/base/decoder.h"
#include "engine/lock/lock_codec.h"

namespace millrace::testing {
namespace {

TEST(LockCorpus, IsAcceptedOrRefusedAsItsNamesPromise) {
  Now now;
  now.wall = UnixMs(1'000'000);
  now.monotonic = MonotonicMs(5000);
  now.clock_id = 7;
  int payloads = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_CORPUS "/lock_payload")) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    Decoder in(bytes);
    Lock lock;
    Token greatest;
    while (!in.finished()) {
      const ByteView changes = in.bytes(in.number());
      ASSERT_TRUE(in.ok());
      const auto applied = apply_changes(lock, changes, now, Token(1'000'000), greatest);
      const bool refused = in.finished() && entry.path().filename().string().starts_with("bad_");
      EXPECT_EQ(applied.has_value(), !refused) << (applied ? "accepted" : applied.error().text);
      EXPECT_EQ(lock.check(), nullptr);
    }
    ++payloads;
  }
  EXPECT_GT(payloads, 0);
}

}  // namespace
}  // namespace millrace::testing
