// Tables: each row has what a client types behind the name of the command, and the parser's result.
#include "module/feed/feed_requests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

const std::string kTooLong = std::string(513, 'f') + " k $";
constexpr ErrorCode kBad = ErrorCode::BadPosition;

TEST(ParseFeedAdd, TakesEveryRightForm) {
  using Kind = FeedStart::Kind;
  const struct {
    const char* name;
    ByteView line;
    bool is_notice;
    Kind kind;
    bool in_log;
    bool in_channel;
  } rows[] = {
      {"the beginning", "f k -", false, Kind::First, false, false},
      {"the end", "f k $", false, Kind::End, false, false},
      {"an offset", "f k 17", false, Kind::After, true, false},
      {"no message yet", "f k 0", false, Kind::After, true, false},
      {"an offset with its epoch", "f k 123.17", false, Kind::After, true, false},
      {"a position in a channel", "f k -4.0123456789abcdef", false, Kind::After, false, true},
      {"one that may be either", "f k 4.12345678", false, Kind::After, true, true},
      {"no messages", "f k NOTICE", true, Kind::End, false, false},
      {"in lower case", "f k notice", true, Kind::End, false, false},
      {"a key that is a keyword", "f NOTICE $", false, Kind::End, false, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto words = words_of(row.line);
    const auto request = parse_feed_add(words);
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->feed, "f");
    EXPECT_EQ(request->key, words[1]);
    EXPECT_EQ(request->is_notice, row.is_notice);
    EXPECT_EQ(request->start.kind, row.kind);
    EXPECT_EQ(request->start.in_log.has_value(), row.in_log);
    EXPECT_EQ(request->start.in_channel.has_value(), row.in_channel);
  }
}

TEST(ParseFeedAdd, RefusesEveryWrongForm) {
  expect_errors(parse_feed_add,
                {{"nothing", "", kSyntax, "missing feed"},
                 {"no key", "f", kSyntax, "missing key"},
                 {"no position", "f k", kSyntax, "missing position"},
                 {"an empty name", " k $", kRange, "the feed has 0 bytes, expected 1 to 512"},
                 {"too long a name", kTooLong, kRange, "the feed has 513 bytes, expected 1 to 512"},
                 {"no position at all", "f k here", kBad,
                  "'here' is no position: expected an offset, epoch.offset, clock.mark, $, - or NOTICE"},
                 {"a negative offset", "f k -3", kBad,
                  "'-3' is no position: expected an offset, epoch.offset, clock.mark, $, - or NOTICE"},
                 {"a word too many", "f k $ more", kSyntax, "syntax error: expected nothing more, found 'more'"},
                 {"both", "f k NOTICE $", kSyntax, "syntax error: expected nothing more, found '$'"}});
}

TEST(ParseFeedDel, TakesKeys) {
  const auto words = words_of("f a  b");
  const auto request = parse_feed_del(words);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->feed, "f");
  EXPECT_EQ(std::vector<ByteView>(request->keys.begin(), request->keys.end()), (std::vector<ByteView>{"a", "", "b"}));
  expect_errors(parse_feed_del, {{"nothing", "", kSyntax, "missing feed"}, {"no key", "f", kSyntax, "missing key"}});
}

TEST(ParseFeedRead, TakesEveryRightForm) {
  const struct {
    const char* name;
    ByteView line;
    uint64_t max;
    std::optional<uint64_t> bytes;
    std::optional<uint64_t> block_ms;
  } rows[] = {
      {"no option", "f", 1000, {}, {}},
      {"some messages", "f MAX 5", 5, {}, {}},
      {"some bytes", "f bytes 1", 1000, 1, {}},
      {"for ever", "f BLOCK 0", 1000, {}, 0},
      {"everything", "f BLOCK 9007199254740991 BYTES 9223372036854775807 MAX 1000000", 1'000'000, INT64_MAX, kMaxMs},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto request = parse_feed_read(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->feed, "f");
    EXPECT_EQ(request->max, row.max);
    EXPECT_EQ(request->bytes, row.bytes);
    EXPECT_EQ(request->block_ms, row.block_ms);
  }
}

TEST(ParseFeedRead, RefusesEveryWrongForm) {
  expect_errors(
      parse_feed_read,
      {{"nothing", "", kSyntax, "missing feed"},
       {"an empty name", " MAX 5", kRange, "the feed has 0 bytes, expected 1 to 512"},
       {"no message", "f MAX 0", kRange, "invalid MAX count '0': expected an integer from 1 to 1000000"},
       {"no byte", "f BYTES 0", kRange, "invalid BYTES '0': expected an integer from 1 to 9223372036854775807"},
       {"no time", "f BLOCK", kSyntax, "missing BLOCK time"},
       {"a negative time", "f BLOCK -1", kRange,
        "invalid BLOCK time '-1': expected an integer from 0 to 9007199254740991"},
       {"twice", "f MAX 1 MAX 2", kSyntax, "MAX is given twice"},
       {"another option", "f COUNT 1", kSyntax, "syntax error: expected MAX, BYTES or BLOCK, found 'COUNT'"}});
}

TEST(ParseFeedInfo, TakesANameAndNothingElse) {
  EXPECT_EQ(parse_feed_info(words_of("f")), "f");
  expect_errors(parse_feed_info, {{"nothing", "", kSyntax, "missing feed"},
                                  {"two", "f g", kSyntax, "syntax error: expected nothing more, found 'g'"}});
}

}  // namespace
}  // namespace millrace::module
