#include "client/load/reply_reader.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

// Each verdict as text: "fine", or the error.
std::vector<std::string> verdicts(ReplyReader& reader, std::string_view bytes) {
  reader.feed(bytes);
  std::vector<std::string> texts;
  for (;;) {
    const auto verdict = reader.next();
    if (!verdict) return {"refused"};
    if (!*verdict) return texts;
    texts.push_back((*verdict)->is_error ? std::string((*verdict)->error) : "fine");
  }
}

const std::string kReplies =
    "+OK\r\n:17\r\n$3\r\nabc\r\n$-1\r\n*-1\r\n*0\r\n-ERR no\r\n*2\r\n:1\r\n*1\r\n-WRONG in it\r\n+OK\r\n-\r\n";
const std::vector<std::string> kVerdicts = {"fine", "fine",   "fine",        "fine", "fine",
                                            "fine", "ERR no", "WRONG in it", "fine", "ERR"};

TEST(ReplyReader, EveryReplyIsFineOrAnError) {
  ReplyReader reader;
  EXPECT_EQ(verdicts(reader, kReplies), kVerdicts);
}

TEST(ReplyReader, RepliesMayComeByteByByte) {
  ReplyReader reader;
  std::vector<std::string> all;
  for (const char byte : kReplies) {
    for (std::string& one : verdicts(reader, {&byte, 1})) all.push_back(std::move(one));
  }
  EXPECT_EQ(all, kVerdicts);
}

TEST(ReplyReader, ErrorsInAnArrayAreThoseOfItsItems) {
  ReplyReader reader;
  reader.feed("*5\r\n:1\r\n-ERR second\r\n*2\r\n-ERR third\r\n-ERR its second\r\n$-1\r\n-ERR fifth\r\n");
  const auto verdict = reader.next();
  ASSERT_TRUE(verdict && *verdict);
  EXPECT_EQ((*verdict)->error, "ERR second");
  EXPECT_FALSE((*verdict)->is_null);
  std::vector<std::string> within;
  for (const auto& [item, error] : (*verdict)->within) within.push_back(std::to_string(item) + ' ' + error);
  EXPECT_EQ(within, (std::vector<std::string>{"1 ERR second", "2 ERR third", "4 ERR fifth"}));
}

TEST(ReplyReader, OnlyAReplyThatIsNullIsNull) {
  ReplyReader reader;
  reader.feed("*-1\r\n$-1\r\n*1\r\n*-1\r\n-ERR\r\n");
  for (const bool is_null : {true, true, false, false}) EXPECT_EQ((**reader.next()).is_null, is_null);
}

TEST(ReplyReader, WhatIsNotTheProtocolIsRefused) {
  ReplyReader reader;
  EXPECT_EQ(verdicts(reader, "HTTP/1.1 400 Bad Request\r\n"), std::vector<std::string>{"refused"});
}

}  // namespace
}  // namespace millrace::client
