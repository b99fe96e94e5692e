// The fuzzers' payloads and receipts, one by one: a name that begins with "bad_" promises
// that it is refused, any other that it is a channel or a receipt.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/channel/receipt.h"
#include "tests/model/channel_bytes.h"

namespace millrace::testing {
namespace {

// Calls is_accepted(bytes) for each file of a folder.
template <class IsAccepted>
void expect_as_promised(const char* folder, IsAccepted is_accepted) {
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(is_accepted(bytes), !entry.path().filename().string().starts_with("bad_"));
    ++inputs;
  }
  EXPECT_GT(inputs, 0);
}

TEST(ChannelCorpus, IsAcceptedOrRefusedAsItsNamesPromise) {
  expect_as_promised(MILLRACE_CORPUS "/channel_payload", [](ByteView bytes) {
    const auto channel = channel_from_bytes(bytes, [](const Channel& step) { EXPECT_STREQ(step.check(), nullptr); });
    return channel.has_value();
  });
}

// The key is the fuzzer's, and the lines are as it reads them.
TEST(ReceiptCorpus, IsAcceptedOrRefusedAsItsNamesPromise) {
  expect_as_promised(MILLRACE_CORPUS "/receipt", [](ByteView bytes) {
    const size_t channel = bytes.find('\n'), subscriber = bytes.find('\n', channel + 1);
    return read_receipt({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}, bytes.substr(0, channel),
                        bytes.substr(channel + 1, subscriber - channel - 1), bytes.substr(subscriber + 1))
        .has_value();
  });
}

}  // namespace
}  // namespace millrace::testing
