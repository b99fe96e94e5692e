// The example of docs/formats/frame.md is a valid frame, and equals the frame that the engine makes of those messages.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/model/frames.h"

namespace millrace::testing {
namespace {

// The hexadecimal numbers at the beginning of each line between "## An example" and the end of its listing.
std::string documented_frame() {
  std::ifstream file(MILLRACE_DOCS "/formats/frame.md");
  std::string bytes, line;
  while (std::getline(file, line) && line != "## An example") {
  }
  while (std::getline(file, line) && line != "```") {
  }
  while (std::getline(file, line) && line != "```") {
    std::istringstream numbers(line.substr(0, line.find("   ")));
    for (std::string number; numbers >> number;) bytes += static_cast<char>(std::stoi(number, nullptr, 16));
  }
  return bytes;
}

TEST(FrameExample, IsWhatTheDocumentSays) {
  const ReadFrame frame = read_frame(documented_frame());
  EXPECT_EQ(frame.failure, "");
  EXPECT_EQ(frame.head.epoch, LogEpoch(77));
  EXPECT_EQ(frame.head.log_next, Offset(9));
  EXPECT_EQ(frame.head.end, Offset(7));
  const std::vector<FrameMessage> expected = {{Offset(5), "t", "hi", UnixMs(1700000000000)},
                                              {Offset(6), "t", "yo", UnixMs(1700000000003)}};
  EXPECT_EQ(frame.messages, expected);
}

TEST(FrameExample, IsWhatTheEngineMakes) {
  MessageBlocks messages;
  const auto append = [&](uint64_t time, ByteView entry) {
    messages.tick(UnixMs(time));
    messages.append("t", entry);
  };
  for (int i = 0; i < 4; ++i) append(1690000000000, "before");
  append(1700000000000, "hi");
  append(1700000000003, "yo");
  for (int i = 0; i < 2; ++i) append(1710000000000, "behind");
  FrameHead head;
  head.epoch = LogEpoch(77);
  head.log_next = messages.next();
  EXPECT_EQ(build_frame(messages, head, Offset(5), {.messages = 2}).bytes, documented_frame());
}

}  // namespace
}  // namespace millrace::testing
