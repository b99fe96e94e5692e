#include "client/load/resp_splitter.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

using namespace std::string_literals;
using Kind = Split::Kind;
using Texts = std::vector<std::string>;

const std::string kSet = "*3\r\n$3\r\nSET\r\n$4\r\nkeyA\r\n$6\r\nvalueA\r\n";

TEST(RespSplitter, ACommandIsItsWords) {
  const struct {
    const char* name;
    std::string bytes;
    Texts words;
    bool is_inline;
  } rows[] = {
      {"the protocol", kSet, {"SET", "keyA", "valueA"}, false},
      {"an empty word", "*1\r\n$0\r\n\r\n", {""}, false},
      {"any bytes", "*2\r\n$3\r\nGET\r\n$4\r\n\r\n\0*\r\n"s, {"GET", "\r\n\0*"s}, false},
      {"inline", "SET 'a b' c\r\n", {"SET", "a b", "c"}, true},
      {"inline at the end of the input", "PING", {"PING"}, true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    RespSplitter splitter;
    const Split split = splitter.split(row.bytes, true);
    ASSERT_EQ(split.kind, Kind::Record) << split.problem;
    EXPECT_EQ(split.size, row.bytes.size());
    EXPECT_EQ(Texts(splitter.words().begin(), splitter.words().end()), row.words);
    EXPECT_EQ(splitter.is_inline(), row.is_inline);
  }
}

TEST(RespSplitter, WhatTheServerDoesNotAnswerIsNothing) {
  for (const char* bytes : {"\r\n", "\n", "   \r\n", "*0\r\n", "*-1\r\n"}) {
    SCOPED_TRACE(bytes);
    const Split split = RespSplitter().split(bytes, false);
    EXPECT_EQ(split.kind, Kind::Nothing);
    EXPECT_EQ(split.size, std::string(bytes).size());
  }
}

TEST(RespSplitter, ACommandThatIsCutAnywhereNeedsMoreOrIsLostAtTheEnd) {
  for (size_t shown = 0; shown < kSet.size(); ++shown) {
    SCOPED_TRACE(shown);
    EXPECT_EQ(RespSplitter().split(kSet.substr(0, shown), false).kind, Kind::NeedsMore);
    if (shown == 0 || shown + 2 >= kSet.size()) continue;
    const Split split = RespSplitter().split(kSet.substr(0, shown), true);
    EXPECT_EQ(split.kind, Kind::Lost);
    EXPECT_EQ(split.problem, "the input ends within a command");
  }
}

TEST(RespSplitter, TheLastLineEndOfTheInputMayBeMissing) {
  for (const size_t missing : {1u, 2u}) {
    SCOPED_TRACE(missing);
    RespSplitter whole, cut;
    whole.split(kSet, true);
    EXPECT_TRUE(whole.is_protocol());
    const std::string bytes(kSet.substr(0, kSet.size() - missing));
    const Split split = cut.split(bytes, true);
    EXPECT_EQ(split.kind, Kind::Record);
    EXPECT_EQ(split.size, bytes.size());
    EXPECT_EQ(cut.words(), whole.words());
    EXPECT_FALSE(cut.is_protocol());
  }
}

TEST(RespSplitter, BrokenProtocolIsRefusedWithAReason) {
  const struct {
    const char* name;
    std::string bytes;
    Kind kind;
    const char* problem;
  } rows[] = {
      {"no number", "*x\r\n", Kind::Lost, "'*' with no number of words and CR LF behind it"},
      {"only LF", "*1\n$4\nPING\n*1\r\n", Kind::Lost, "'*' with no number of words and CR LF behind it"},
      {"too many words", "*99999999999\r\n", Kind::Lost, "'*' with no number of words and CR LF behind it"},
      {"a number that never ends", "*" + std::string(100, '1'), Kind::Lost,
       "'*' with no number of words and CR LF behind it"},
      {"no $", "*1\r\nPING\r\n", Kind::Lost, "word 1 does not begin with '$', its length and CR LF"},
      {"a negative length", "*1\r\n$-1\r\n\r\n", Kind::Lost, "word 1 does not begin with '$', its length and CR LF"},
      {"longer than a word may be", "*1\r\n$536870913\r\n", Kind::Lost,
       "word 1 does not begin with '$', its length and CR LF"},
      {"too short", "*2\r\n$3\r\nGET\r\n$2\r\nabc\r\n", Kind::Lost, "word 2 is not as long as its '$2' says"},
      {"inline with wrong quotes", "SET 'a\r\nPING\r\n", Kind::Bad, "quotes that do not close"},
      {"an endless line", std::string(70'000, 'x'), Kind::Lost,
       "neither the Redis protocol nor a line of at most 64 KiB"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Split split = RespSplitter().split(row.bytes, false);
    EXPECT_EQ(split.kind, row.kind);
    EXPECT_EQ(split.problem, row.problem);
  }
}

}  // namespace
}  // namespace millrace::client
