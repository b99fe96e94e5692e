// Tables: each row has what a client types behind the key, and the parser's result. A single space separates two words,
// so a space at the end makes an empty word.
#include "module/channel/channel_requests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/channel/channel_parts.h"
#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

const std::string kLongest(512, 'n');
const std::string kTooLong(513, 'n');

std::vector<ByteView> listed(Words words) { return {words.begin(), words.end()}; }

template <class Parser>
void expect_error(Parser parse, const std::vector<ByteView>& words, ErrorCode code, const char* text) {
  const auto request = parse(words);
  ASSERT_FALSE(request) << "it was accepted";
  EXPECT_EQ(request.error().code, code);
  EXPECT_EQ(request.error().text, text);
}

constexpr char kSubscriberTooLong[] = "the subscriber has 513 bytes, expected 1 to 512";
constexpr char kIdTooLong[] = "the id has 513 bytes, expected 1 to 512";

// --- CHAN.SUBSCRIBE and CHAN.UNSUBSCRIBE ---

TEST(ParseChanSubscribe, TakesEveryRightForm) {
  const struct {
    const char* name;
    ByteView line;
    ByteView subscriber;
    std::optional<uint64_t> expire_ms;
  } rows[] = {
      {"a name", "s", "s", {}},
      {"a name that is the option", "EXPIRE", "EXPIRE", {}},
      {"an expiry", "s EXPIRE 5000", "s", 5000},
      {"in lower case", "s expire 5000", "s", 5000},
      {"the shortest expiry", "s EXPIRE 1", "s", 1},
      {"the longest expiry, a hundred years", "s EXPIRE 3155760000000", "s", 3'155'760'000'000},
      {"the name of the option and the option", "EXPIRE EXPIRE 7", "EXPIRE", 7},
      {"the longest name", kLongest, kLongest, {}},
      {"any bytes", "\xff\n\t", "\xff\n\t", {}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto request = parse_chan_subscribe(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->subscriber, row.subscriber);
    EXPECT_EQ(request->expire_ms, row.expire_ms);
  }
}

TEST(ParseChanSubscribe, RefusesEveryWrongForm) {
  expect_errors(
      parse_chan_subscribe,
      {{"nothing", "", kSyntax, "missing subscriber"},
       {"an empty name", " EXPIRE 5", kRange, "the subscriber has 0 bytes, expected 1 to 512"},
       {"too long a name", kTooLong, kRange, kSubscriberTooLong},
       {"another option", "s TTL 5", kSyntax, "syntax error: expected EXPIRE, found 'TTL'"},
       {"no time", "s EXPIRE", kSyntax, "missing EXPIRE time"},
       {"no time at all", "s EXPIRE 0", kRange, "invalid EXPIRE time '0': expected an integer from 1 to 3155760000000"},
       {"negative", "s EXPIRE -1", kRange, "invalid EXPIRE time '-1': expected an integer from 1 to 3155760000000"},
       {"over a hundred years", "s EXPIRE 3155760000001", kRange,
        "invalid EXPIRE time '3155760000001': expected an integer from 1 to 3155760000000"},
       {"not a number", "s EXPIRE 5s", kRange, "invalid EXPIRE time '5s': expected an integer from 1 to 3155760000000"},
       {"twice", "s EXPIRE 5 EXPIRE 5", kSyntax, "syntax error: expected nothing more, found 'EXPIRE'"},
       {"a word too many", "s EXPIRE 5 more", kSyntax, "syntax error: expected nothing more, found 'more'"}});
}

TEST(ParseChanUnsubscribe, TakesANameAndNothingElse) {
  EXPECT_EQ(parse_chan_unsubscribe(words_of("s")), "s");
  EXPECT_EQ(parse_chan_unsubscribe(words_of(kLongest)), kLongest);
  expect_errors(parse_chan_unsubscribe,
                {{"nothing", "", kSyntax, "missing subscriber"},
                 {"too long a name", kTooLong, kRange, kSubscriberTooLong},
                 {"a word too many", "s more", kSyntax, "syntax error: expected nothing more, found 'more'"}});
  expect_error(parse_chan_unsubscribe, {""}, kRange, "the subscriber has 0 bytes, expected 1 to 512");
}

// --- CHAN.PUBLISH and CHAN.MPUBLISH ---

TEST(ParseChanPublish, TakesOneIdAndOneContent) {
  const std::string longest = kLongest + " c";
  for (ByteView line : {ByteView("id content"), ByteView("id "), ByteView("\xff\n \r"), ByteView(longest)}) {
    SCOPED_TRACE(line);
    for (auto parse : {parse_chan_publish, parse_chan_mpublish}) {
      const std::vector<ByteView> words = words_of(line);
      const auto request = parse(words);
      ASSERT_TRUE(request) << request.error().text;
      EXPECT_EQ(listed(request->pairs), words);
    }
  }
}

TEST(ParseChanPublish, RefusesEveryWrongForm) {
  const std::string too_long = kTooLong + " content";
  expect_errors(
      parse_chan_publish,
      {{"nothing", "", kSyntax, "missing id"},
       {"no content", "id", kSyntax, "missing content"},
       {"an empty id", " content", kRange, "the id has 0 bytes, expected 1 to 512"},
       {"too long an id", too_long, kRange, kIdTooLong},
       {"a word too many", "id content more", kSyntax, "one id and one content; CHAN.MPUBLISH takes several"},
       {"two pairs", "id content id2 content", kSyntax, "one id and one content; CHAN.MPUBLISH takes several"}});
}

TEST(ParseChanMpublish, TakesAsManyPairsAsThereAre) {
  for (ByteView line : {"a 1", "a 1 b 2", "a  b ", "a 1 a 1 a 1"}) {
    SCOPED_TRACE(line);
    const std::vector<ByteView> words = words_of(line);
    const auto request = parse_chan_mpublish(words);
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(listed(request->pairs), words);
  }
}

TEST(ParseChanMpublish, RefusesEveryWrongForm) {
  const std::string too_long = "a 1 " + kTooLong + " 2";
  expect_errors(parse_chan_mpublish, {{"nothing", "", kSyntax, "missing id"},
                                      {"no content", "a", kSyntax, "missing content"},
                                      {"the last has no content", "a 1 b", kSyntax, "missing content"},
                                      {"an empty id", "a 1  2", kRange, "the id has 0 bytes, expected 1 to 512"},
                                      {"too long an id", too_long, kRange, kIdTooLong}});
}

TEST(ParseChanPublish, RefusesAContentLargerThanTheHostAllows) {
  // Only the size is checked, so no memory of that size is needed.
  const ByteView largest("x", kMaxPart), too_large("x", kMaxPart + 1);
  EXPECT_TRUE(parse_chan_publish(std::vector<ByteView>{"id", largest}));
  EXPECT_TRUE(parse_chan_mpublish(std::vector<ByteView>{"id", largest, "id", largest}));
  expect_error(parse_chan_publish, {"id", too_large}, kRange, "a content is larger than 512 MiB");
  expect_error(parse_chan_mpublish, {"a", "1", "b", too_large}, kRange, "a content is larger than 512 MiB");
}

// --- CHAN.FETCH ---

TEST(ParseChanFetch, TakesEveryRightForm) {
  const struct {
    const char* name;
    ByteView line;
    ByteView subscriber;
    uint64_t max;
    std::optional<uint64_t> block_ms;
    std::optional<uint64_t> max_bytes = std::nullopt;
  } rows[] = {
      {"a name", "s", "s", 64, {}},
      {"a name that is an option", "MAX", "MAX", 64, {}},
      {"a maximum", "s MAX 10", "s", 10, {}},
      {"the smallest", "s max 1", "s", 1, {}},
      {"the largest", "s MAX 1000000", "s", 1'000'000, {}},
      {"waiting", "s BLOCK 100", "s", 64, 100},
      {"waiting for ever", "s block 0", "s", 64, 0},
      {"waiting as long as can be", "s BLOCK 9007199254740991", "s", 64, 9007199254740991},
      {"both", "s MAX 10 BLOCK 100", "s", 10, 100},
      {"both, the other way round", "s BLOCK 100 MAX 10", "s", 10, 100},
      {"bytes", "s maxbytes 1", "s", 64, {}, 1},
      {"all three", "s MAX 10 MAXBYTES 9223372036854775807 BLOCK 100", "s", 10, 100, INT64_MAX},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto request = parse_chan_fetch(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->subscriber, row.subscriber);
    EXPECT_EQ(request->max, row.max);
    EXPECT_EQ(request->max_bytes, row.max_bytes);
    EXPECT_EQ(request->block_ms, row.block_ms);
  }
}

TEST(ParseChanRead, TakesEveryRightForm) {
  using Kind = ChannelStart::Kind;
  const struct {
    const char* name;
    ByteView line;
    ChannelStart start;
    uint64_t max;
    std::optional<uint64_t> max_bytes = std::nullopt;
  } rows[] = {
      {"all messages", "-", {Kind::First, {}}, 64},
      {"none of those there are", "$", {Kind::End, {}}, 64},
      {"a position", "42.5be0cd19c0ffee42", {Kind::After, {Clock(42), 0x5be0cd19, 0xc0ffee42}}, 64},
      {"the beginning of a receipt", "-7.0000000f MAX 1", {Kind::After, {Clock(-7), 15, {}}}, 1},
      {"the most messages", "$ max 1000000", {Kind::End, {}}, 1'000'000},
      {"bytes", "- MAXBYTES 500", {Kind::First, {}}, 64, 500},
      {"both", "- maxbytes 500 MAX 3", {Kind::First, {}}, 3, 500},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto request = parse_chan_read(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->start.kind, row.start.kind);
    EXPECT_EQ(request->start.position, row.start.position);
    EXPECT_EQ(request->max, row.max);
    EXPECT_EQ(request->max_bytes, row.max_bytes);
  }
}

TEST(ParseChanRead, RefusesEveryWrongForm) {
  constexpr ErrorCode kBad = ErrorCode::BadPosition;
  expect_errors(
      parse_chan_read,
      {{"nothing", "", kSyntax, "missing position"},
       {"an empty position", " MAX 5", kBad, "'' is no position in a channel, nor $ or -"},
       {"a clock alone", "42", kBad, "'42' is no position in a channel, nor $ or -"},
       {"a whole receipt", "1.0000000f.0123456789abcdef", kBad,
        "'1.0000000f.0123456789abcdef' is no position in a channel, nor $ or -"},
       {"digits in upper case", "1.0000000F", kBad, "'1.0000000F' is no position in a channel, nor $ or -"},
       {"a digit missing", "1.000000f", kBad, "'1.000000f' is no position in a channel, nor $ or -"},
       {"a clock that is none", "9007199254740992.0000000f", kBad,
        "'9007199254740992.0000000f' is no position in a channel, nor $ or -"},
       {"no number", "$ MAX", kSyntax, "missing MAX count"},
       {"none at all", "$ MAX 0", kRange, "invalid MAX count '0': expected an integer from 1 to 1000000"},
       {"another option", "$ BLOCK 5", kSyntax, "syntax error: expected MAX or MAXBYTES, found 'BLOCK'"},
       {"twice", "$ MAX 5 MAX 5", kSyntax, "MAX is given twice"},
       {"no bytes", "$ MAXBYTES 0", kRange, "invalid MAXBYTES '0': expected an integer from 1 to 9223372036854775807"},
       {"bytes twice", "$ MAXBYTES 5 MAX 1 MAXBYTES 5", kSyntax, "MAXBYTES is given twice"}});
}

TEST(ParseChanFetch, RefusesEveryWrongForm) {
  expect_errors(
      parse_chan_fetch,
      {{"nothing", "", kSyntax, "missing subscriber"},
       {"an empty name", " MAX 5", kRange, "the subscriber has 0 bytes, expected 1 to 512"},
       {"too long a name", kTooLong, kRange, kSubscriberTooLong},
       {"another option", "s COUNT 5", kSyntax, "syntax error: expected MAX, MAXBYTES or BLOCK, found 'COUNT'"},
       {"no count", "s MAX", kSyntax, "missing MAX count"},
       {"none", "s MAX 0", kRange, "invalid MAX count '0': expected an integer from 1 to 1000000"},
       {"too many", "s MAX 1000001", kRange, "invalid MAX count '1000001': expected an integer from 1 to 1000000"},
       {"a maximum twice", "s MAX 5 MAX 5", kSyntax, "MAX is given twice"},
       {"no time", "s BLOCK", kSyntax, "missing BLOCK time"},
       {"a negative time", "s BLOCK -1", kRange,
        "invalid BLOCK time '-1': expected an integer from 0 to 9007199254740991"},
       {"too long a time", "s BLOCK 9007199254740992", kRange,
        "invalid BLOCK time '9007199254740992': expected an integer from 0 to 9007199254740991"},
       {"a fraction", "s BLOCK 1.5", kRange,
        "invalid BLOCK time '1.5': expected an integer from 0 to 9007199254740991"},
       {"waiting twice", "s BLOCK 1 MAX 5 BLOCK 1", kSyntax, "BLOCK is given twice"},
       {"a word too many", "s MAX 5 more", kSyntax, "syntax error: expected MAX, MAXBYTES or BLOCK, found 'more'"},
       {"no bytes", "s MAXBYTES 0", kRange, "invalid MAXBYTES '0': expected an integer from 1 to 9223372036854775807"},
       {"bytes twice", "s MAXBYTES 5 MAXBYTES 5", kSyntax, "MAXBYTES is given twice"}});
}

// --- CHAN.ACK and CHAN.SEEN ---

TEST(ParseChanAck, TakesAnyReceipt) {
  const struct {
    ByteView line;
    ByteView receipt;
  } rows[] = {{"s 42.9f86d081884c7d65", "42.9f86d081884c7d65"}, {"s ", ""}, {"s \xff\n", "\xff\n"}};
  for (const auto& row : rows) {
    const auto request = parse_chan_ack(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->subscriber, "s");
    EXPECT_EQ(request->receipt, row.receipt);
  }
}

TEST(ParseChanAck, RefusesEveryWrongForm) {
  const std::string too_long = kTooLong + " receipt";
  expect_errors(parse_chan_ack,
                {{"nothing", "", kSyntax, "missing subscriber"},
                 {"no receipt", "s", kSyntax, "missing receipt"},
                 {"an empty name", " receipt", kRange, "the subscriber has 0 bytes, expected 1 to 512"},
                 {"too long a name", too_long, kRange, kSubscriberTooLong},
                 {"two receipts", "s receipt more", kSyntax, "syntax error: expected nothing more, found 'more'"}});
}

TEST(ParseChanSeen, TakesASubscriberAndIds) {
  const std::string longest = "s a " + kLongest;
  for (ByteView line : {ByteView("s a"), ByteView("s a b c"), ByteView("s a a"), ByteView(longest)}) {
    SCOPED_TRACE(line);
    const std::vector<ByteView> words = words_of(line);
    const auto request = parse_chan_seen(words);
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->subscriber, "s");
    EXPECT_EQ(listed(request->ids), std::vector<ByteView>(words.begin() + 1, words.end()));
  }
}

TEST(ParseChanSeen, RefusesEveryWrongForm) {
  const std::string long_name = kTooLong + " a", long_id = "s a " + kTooLong;
  expect_errors(parse_chan_seen, {{"nothing", "", kSyntax, "missing subscriber"},
                                  {"no id", "s", kSyntax, "missing id"},
                                  {"an empty name", " a", kRange, "the subscriber has 0 bytes, expected 1 to 512"},
                                  {"too long a name", long_name, kRange, kSubscriberTooLong},
                                  {"an empty id", "s a  b", kRange, "the id has 0 bytes, expected 1 to 512"},
                                  {"too long an id", long_id, kRange, kIdTooLong}});
}

// --- CHAN.CREATE and CHAN.INFO ---

TEST(ParseChanCreate, TakesEveryRightForm) {
  const struct {
    const char* name;
    ByteView line;
    std::optional<uint64_t> expire_ms;
    int64_t clock;
  } rows[] = {
      {"nothing", "", {}, 0},
      {"an expiry", "EXPIRE 5000", 5000, 0},
      {"the longest expiry", "EXPIRE 3155760000000", 3'155'760'000'000, 0},
      {"a clock", "CLOCK 41", {}, 41},
      {"the largest clock", "CLOCK 9007199254740991", {}, Clock::kMax},
      {"the smallest clock", "clock -9007199254740991", {}, Clock::kMin},
      {"both", "EXPIRE 1 CLOCK -1", 1, -1},
      {"both, the other way round", "clock -1 expire 1", 1, -1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto request = parse_chan_create(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->expire_ms, row.expire_ms);
    EXPECT_EQ(request->clock, Clock(row.clock));
  }
}

TEST(ParseChanCreate, RefusesEveryWrongForm) {
  expect_errors(
      parse_chan_create,
      {{"another option", "AT 5", kSyntax, "syntax error: expected EXPIRE or CLOCK, found 'AT'"},
       {"no time", "EXPIRE", kSyntax, "missing EXPIRE time"},
       {"no expiry at all", "EXPIRE 0", kRange, "invalid EXPIRE time '0': expected an integer from 1 to 3155760000000"},
       {"too long an expiry", "EXPIRE 3155760000001", kRange,
        "invalid EXPIRE time '3155760000001': expected an integer from 1 to 3155760000000"},
       {"an expiry twice", "EXPIRE 5 EXPIRE 5", kSyntax, "EXPIRE is given twice"},
       {"no clock", "CLOCK", kSyntax, "missing CLOCK"},
       {"a clock twice", "CLOCK 5 CLOCK 5", kSyntax, "CLOCK is given twice"},
       {"too large a clock", "CLOCK 9007199254740992", kRange,
        "invalid CLOCK '9007199254740992': expected an integer from -9007199254740991 to 9007199254740991"},
       {"too small a clock", "CLOCK -9007199254740992", kRange,
        "invalid CLOCK '-9007199254740992': expected an integer from -9007199254740991 to 9007199254740991"},
       {"not a clock", "CLOCK now", kRange,
        "invalid CLOCK 'now': expected an integer from -9007199254740991 to 9007199254740991"},
       {"a word too many", "CLOCK 5 more", kSyntax, "syntax error: expected EXPIRE or CLOCK, found 'more'"}});
}

TEST(ParseChanInfo, TakesEveryRightForm) {
  const struct {
    ByteView line;
    bool full;
    uint64_t count;
  } rows[] = {{"", false, 1000},
              {"FULL", true, 1000},
              {"full", true, 1000},
              {"SUBSCRIBERS", false, 1000},
              {"subscribers COUNT 3", false, 3},
              {"FULL COUNT 1", true, 1},
              {"Full count 7", true, 7},
              {"FULL COUNT 1000000", true, 1'000'000}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto request = parse_chan_info(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->full, row.full);
    EXPECT_EQ(request->subscribers, !row.full && !row.line.empty());
    EXPECT_EQ(request->count, row.count);
  }
}

TEST(ParseChanInfo, RefusesEveryWrongForm) {
  expect_errors(
      parse_chan_info,
      {{"another word", "ALL", kSyntax, "syntax error: expected FULL or SUBSCRIBERS, found 'ALL'"},
       {"a count of nothing", "COUNT 5", kSyntax, "syntax error: expected FULL or SUBSCRIBERS, found 'COUNT'"},
       {"both", "FULL SUBSCRIBERS", kSyntax, "syntax error: expected nothing more, found 'SUBSCRIBERS'"},
       {"twice", "FULL FULL", kSyntax, "syntax error: expected nothing more, found 'FULL'"},
       {"no number", "FULL COUNT", kSyntax, "missing COUNT"},
       {"none", "FULL COUNT 0", kRange, "invalid COUNT '0': expected an integer from 1 to 1000000"},
       {"too many", "FULL COUNT 1000001", kRange, "invalid COUNT '1000001': expected an integer from 1 to 1000000"},
       {"a word too many", "FULL COUNT 5 more", kSyntax, "syntax error: expected nothing more, found 'more'"}});
}

// --- CHAN.APPLY ---

TEST(ParseChanApply, TakesEveryEffect) {
  using Kind = ChannelEffect::Kind;
  const struct {
    ByteView line;
    Kind kind;
    uint64_t clock;
    ByteView bytes;
    ChannelPart part;
    ByteView block;
  } rows[] = {
      {"CREATED head", Kind::Part, 0, "head", ChannelPart::Created, ""},
      {"created ", Kind::Part, 0, "", ChannelPart::Created, ""},
      {"CLOCK 0", Kind::Clock, 0, "", {}, ""},
      {"clock 9223372036854775807", Kind::Clock, INT64_MAX, "", {}, ""},
      {"TOUCH s", Kind::Touch, 0, "s", {}, ""},
      {"BLOCK header bytes", Kind::Part, 0, "header", ChannelPart::Block, "bytes"},
      {"block  ", Kind::Part, 0, "", ChannelPart::Block, ""},
      {"LOGHEAD head", Kind::Part, 0, "head", ChannelPart::LogHead, ""},
      {"Subscribers bytes", Kind::Part, 0, "bytes", ChannelPart::Subscribers, ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto effect = parse_chan_apply(words_of(row.line));
    ASSERT_TRUE(effect) << effect.error().text;
    EXPECT_EQ(effect->kind, row.kind);
    EXPECT_EQ(effect->clock, UnixMs(row.clock));
    EXPECT_EQ(row.kind == Kind::Part ? effect->part.bytes : effect->bytes, row.bytes);
    EXPECT_EQ(effect->part.kind, number_of(row.part));
    EXPECT_EQ(effect->part.block, row.block);
  }
}

TEST(ParseChanApply, RefusesEveryWrongForm) {
  const std::string too_long = "TOUCH " + kTooLong;
  expect_errors(
      parse_chan_apply,
      {{"nothing", "", kSyntax,
        "syntax error: expected CREATED, CLOCK, TOUCH, BLOCK, LOGHEAD or SUBSCRIBERS, found nothing more"},
       {"another effect", "DELETED x", kSyntax,
        "syntax error: expected CREATED, CLOCK, TOUCH, BLOCK, LOGHEAD or SUBSCRIBERS, found 'DELETED'"},
       {"no head", "CREATED", kSyntax, "missing part"},
       {"two heads", "CREATED head head", kSyntax, "syntax error: expected nothing more, found 'head'"},
       {"no date", "CLOCK", kSyntax, "missing CLOCK"},
       {"a negative date", "CLOCK -1", kRange, "invalid CLOCK '-1': expected an integer from 0 to 9223372036854775807"},
       {"a date behind the end of time", "CLOCK 9223372036854775808", kRange,
        "invalid CLOCK '9223372036854775808': expected an integer from 0 to 9223372036854775807"},
       {"nobody", "TOUCH", kSyntax, "missing subscriber"},
       {"a name too long", too_long, kRange, kSubscriberTooLong},
       {"an empty name", "TOUCH ", kRange, "the subscriber has 0 bytes, expected 1 to 512"},
       {"no block header", "BLOCK", kSyntax, "missing part"},
       {"no block", "BLOCK header", kSyntax, "missing block"},
       {"a word behind a block", "BLOCK header bytes more", kSyntax,
        "syntax error: expected nothing more, found 'more'"},
       {"no log head", "LOGHEAD", kSyntax, "missing part"},
       {"no subscribers", "SUBSCRIBERS", kSyntax, "missing part"}});
}

TEST(ParseChanApply, RefusesABlockWhosePositionsDoNotFit32Bits) {
  const ByteView largest("x", kMaxBlock), too_large("x", kMaxBlock + 1);
  EXPECT_TRUE(parse_chan_apply(std::vector<ByteView>{"BLOCK", "header", largest}));
  expect_error(parse_chan_apply, {"BLOCK", "header", too_large}, kRange, "a block is larger than 4 GiB");
}

}  // namespace
}  // namespace millrace::module
