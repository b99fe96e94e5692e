#include "client/load/checkpoint.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

Checkpoint example() {
  return {.load = "csv as \"SET {id}\" of \"a b.csv\"",
          .position = {.file = 1, .offset = UINT64_MAX, .line = 3, .trace = InputTrace{9, UINT32_MAX}},
          .database = 4,
          .counts = {.sent = 5, .succeeded = 6, .failed = 7, .bad = 8},
          .server = "[::1]:6379"};
}

TEST(Checkpoint, WhatIsWrittenIsRead) {
  const auto read = parse_checkpoint(example().text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->load, example().load);
  EXPECT_EQ(read->position, example().position);
  EXPECT_EQ(read->position.trace, example().position.trace);
  EXPECT_EQ(read->database, 4U);
  EXPECT_EQ(read->counts.sent, 5U);
  EXPECT_EQ(read->counts.bad, 8U);
  EXPECT_EQ(read->server, "[::1]:6379");
  EXPECT_EQ(read->text(), example().text());
}

TEST(Checkpoint, AnOlderOneHasNoServerAndNoTrace) {
  Checkpoint older = example();
  older.server.clear();
  EXPECT_EQ(parse_checkpoint(older.text())->position.trace, older.position.trace);
  older.position.trace.reset();
  const auto read = parse_checkpoint(older.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->position.trace, std::nullopt);
  EXPECT_EQ(read->server, "");
  EXPECT_EQ(read->text(), older.text());
}

TEST(Checkpoint, WhatIsCutAnywhereIsRefused) {
  const std::string text = example().text();
  for (size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(parse_checkpoint(text.substr(0, size))) << size;
  EXPECT_FALSE(parse_checkpoint(text + "x"));
}

TEST(Checkpoint, InvalidNumbersAreRefused) {
  for (const char* wrong : {"-1", "x", "", " 1", "99999999999999999999"}) {
    std::string text = example().text();
    const size_t at = text.find("line 3");
    text.replace(at, 6, std::string("line ") + wrong);
    EXPECT_FALSE(parse_checkpoint(text)) << wrong;
  }
}

}  // namespace
}  // namespace millrace::client
