// Tables: each row has the words after the key, and the parser's result. A single space separates two words, so a space
// at the end makes an empty word.
#include "module/log/log_requests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/log/log_parts.h"
#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

// --- TWRITE ---

TEST(ParseTwrite, TakesEveryRightForm) {
  struct Row {
    const char* name;
    ByteView line;
    std::optional<uint64_t> backlog;
    ByteView pairs;
  };
  const Row rows[] = {
      {"simple", "tag entry", {}, "tag entry"},
      {"simple, the tag looks like a keyword", "ENTRIES x", {}, "ENTRIES x"},
      {"simple, the tag looks like an option", "BACKLOG 5", {}, "BACKLOG 5"},
      {"simple, both empty", " ", {}, " "},
      {"entries, one", "ENTRIES t e", {}, "t e"},
      {"entries, two", "ENTRIES t e u f", {}, "t e u f"},
      {"entries in lower case", "entries t e", {}, "t e"},
      {"entries in mixed case", "eNtRiEs t e", {}, "t e"},
      {"a tag that is a keyword", "ENTRIES ENTRIES BACKLOG", {}, "ENTRIES BACKLOG"},
      {"backlog", "BACKLOG 5 ENTRIES t e", 5, "t e"},
      {"backlog in lower case", "backlog 5 entries t e", 5, "t e"},
      {"backlog of nothing", "BACKLOG 0 ENTRIES t e", 0, "t e"},
      {"largest backlog", "BACKLOG 9223372036854775807 ENTRIES t e", INT64_MAX, "t e"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::vector<ByteView> words = words_of(row.line);
    const auto request = parse_twrite(words);
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->backlog, row.backlog);
    EXPECT_EQ(std::vector<ByteView>(request->pairs.begin(), request->pairs.end()), words_of(row.pairs));
  }
}

TEST(ParseTwrite, TakesAnIdAndADate) {
  const std::vector<ByteView> at = words_of("at 1700 id x ENTRIES t e");
  const auto dated = parse_twrite(at);
  ASSERT_TRUE(dated) << dated.error().text;
  EXPECT_EQ(dated->id, "x");
  EXPECT_EQ(dated->at, UnixMs(1700));
  EXPECT_FALSE(dated->delay_ms);
  const std::vector<ByteView> delay = words_of("DELAY 0 BACKLOG 3 ENTRIES t e");
  const auto delayed = parse_twrite(delay);
  ASSERT_TRUE(delayed) << delayed.error().text;
  EXPECT_EQ(delayed->delay_ms, 0u);
  EXPECT_EQ(delayed->backlog, 3u);
  EXPECT_FALSE(delayed->id);
}

TEST(ParseTwrite, RefusesEveryWrongForm) {
  expect_errors(parse_twrite,
                {
                    {"nothing", "", kSyntax,
                     "syntax error: expected BACKLOG, ID, AT, DELAY, ENTRIES or FRAMED, found nothing more"},
                    {"a tag alone", "tag", kSyntax,
                     "syntax error: expected BACKLOG, ID, AT, DELAY, ENTRIES or FRAMED, found 'tag'"},
                    {"a word too many", "tag entry more", kSyntax,
                     "syntax error: expected BACKLOG, ID, AT, DELAY, ENTRIES or FRAMED, found 'tag'"},
                    {"entries without any", "BACKLOG 5 ENTRIES", kSyntax, "ENTRIES needs at least one tag and entry"},
                    {"a bare keyword", "ENTRIES", kSyntax, "ENTRIES needs at least one tag and entry"},
                    {"the last tag has no entry", "ENTRIES t e u", kSyntax,
                     "ENTRIES needs an entry for every tag: the last tag has none"},
                    {"a tag alone behind a backlog", "BACKLOG 5 ENTRIES t", kSyntax,
                     "ENTRIES needs an entry for every tag: the last tag has none"},
                    {"backlog without entries", "BACKLOG 5 t e", kSyntax,
                     "syntax error: expected BACKLOG, ID, AT, DELAY, ENTRIES or FRAMED, found 't'"},
                    {"backlog without a count", "BACKLOG ENTRIES t e", kRange,
                     "invalid BACKLOG count 'ENTRIES': expected an integer from 0 to 9223372036854775807"},
                    {"backlog alone", "BACKLOG", kSyntax, "missing BACKLOG count"},
                    {"backlog negative", "BACKLOG -1 ENTRIES t e", kRange,
                     "invalid BACKLOG count '-1': expected an integer from 0 to 9223372036854775807"},
                    {"backlog not a number", "BACKLOG five ENTRIES t e", kRange,
                     "invalid BACKLOG count 'five': expected an integer from 0 to 9223372036854775807"},
                    {"backlog too large", "BACKLOG 9223372036854775808 ENTRIES t e", kRange,
                     "invalid BACKLOG count '9223372036854775808': expected an integer from 0 to 9223372036854775807"},
                    {"backlog beyond 64 bits", "BACKLOG 18446744073709551617 ENTRIES t e", kRange,
                     "invalid BACKLOG count '18446744073709551617': expected an integer from 0 to 9223372036854775807"},
                    {"an id without a value", "ID", kSyntax, "missing ID"},
                    {"an empty id", "ID  ENTRIES t e", kRange, "the ID has 0 bytes, expected 1 to 512"},
                    {"two ids", "ID a ID b ENTRIES t e", kSyntax, "ID is given twice"},
                    {"a date and a delay", "AT 1 DELAY 1 ENTRIES t e", kSyntax, "AT and DELAY exclude each other"},
                    {"a date too late", "AT 281474976710656 ENTRIES t e", kRange,
                     "invalid AT '281474976710656': expected an integer from 0 to 281474976710655"},
                    {"a delay too long", "DELAY 140737488355329 ENTRIES t e", kRange,
                     "invalid DELAY '140737488355329': expected an integer from 0 to 140737488355328"},
                    {"backlog twice", "BACKLOG 5 BACKLOG 5 ENTRIES t e", kSyntax, "BACKLOG is given twice"},
                });
}

TEST(ParseTwrite, RefusesATagOrEntryAboveTheHostsLimit) {
  // Only the size is checked, so no memory of that size is needed.
  const ByteView largest("x", kMaxPart), too_large("x", kMaxPart + 1);
  EXPECT_TRUE(parse_twrite(std::vector<ByteView>{largest, largest}));
  for (const auto& words :
       {std::vector<ByteView>{too_large, "e"}, {"t", too_large}, {"ENTRIES", "t", "e", "u", too_large}}) {
    const auto request = parse_twrite(words);
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().code, kRange);
    EXPECT_EQ(request.error().text, "a tag or entry is larger than 512 MiB");
  }
}

// --- TSCHED and TDEL ---

TEST(ParseTsched, TakesTicketsAndPages) {
  const std::vector<ByteView> words = words_of("1700-1 281474976710655-281474976710655");
  const auto tickets = parse_tsched_cancel(words);
  ASSERT_TRUE(tickets) << tickets.error().text;
  EXPECT_EQ(tickets->tickets, (std::vector<Ticket>{{UnixMs(1700), 1}, {UnixMs(kMaxTicketPart), kMaxTicketPart}}));
  const auto all = parse_tsched_list({});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->from, Ticket());
  EXPECT_EQ(all->count, 100u);
  const std::vector<ByteView> page = words_of("count 7 FROM 5-3");
  EXPECT_EQ(parse_tsched_list(page)->from, (Ticket{UnixMs(5), 3}));
  EXPECT_EQ(parse_tsched_list(page)->count, 7u);
}

TEST(ParseTsched, RefusesEveryWrongForm) {
  expect_errors(
      parse_tsched_cancel,
      {{"nothing", "", kSyntax, "missing ticket"},
       {"a number", "5", kRange, "invalid ticket '5': expected one that TWRITE has returned, date-number"},
       {"no number", "5-", kRange, "invalid ticket '5-': expected one that TWRITE has returned, date-number"},
       {"number 0", "5-0", kRange, "invalid ticket '5-0': expected one that TWRITE has returned, date-number"},
       {"three parts", "5-1-1", kRange, "invalid ticket '5-1-1': expected one that TWRITE has returned, date-number"},
       {"the second one", "5-1 x", kRange, "invalid ticket 'x': expected one that TWRITE has returned, date-number"}});
  expect_errors(parse_tsched_list,
                {{"unknown", "UNTIL 5", kSyntax, "syntax error: expected FROM or COUNT, found 'UNTIL'"},
                 {"count 0", "COUNT 0", kRange, "invalid COUNT '0': expected an integer from 1 to 1000000"},
                 {"twice", "COUNT 1 COUNT 1", kSyntax, "COUNT is given twice"}});
}

TEST(ParseTdel, TakesOffsetsOrTags) {
  const std::vector<ByteView> words = words_of("9 1-3 2-5");
  const auto offsets = parse_tdel(words);
  ASSERT_TRUE(offsets) << offsets.error().text;
  ASSERT_EQ(offsets->ranges.size(), 2u);
  EXPECT_EQ(offsets->ranges[0].to, Offset(5));
  EXPECT_EQ(offsets->ranges[1].from, Offset(9));
  const std::vector<ByteView> tagged = words_of("tags 2 a TAGS");
  EXPECT_EQ(parse_tdel(tagged)->tags, (std::vector<ByteView>{"a", "TAGS"}));
}

TEST(ParseTdel, RefusesEveryWrongForm) {
  expect_errors(parse_tdel,
                {{"nothing", "", kSyntax, "missing offset or start-end"},
                 {"tags without a number", "TAGS", kSyntax, "missing number of TAGS"},
                 {"too few tags", "TAGS 2 a", kSyntax, "TAGS says 2 tags, but only 1 arguments follow"},
                 {"more tags than one deletion takes", "TAGS 1001 a", kRange,
                  "invalid number of TAGS '1001': expected an integer from 1 to 1000"},
                 {"too many tags", "TAGS 1 a b", kSyntax, "syntax error: expected nothing more, found 'b'"},
                 {"offset 0", "0", kRange,
                  "invalid offsets '0': expected an offset or start-end, from 1 to 9223372036854775807, start "
                  "not above end"}});
}

// --- TREAD ---

TEST(ParseTread, TakesEveryRightForm) {
  struct Row {
    const char* name;
    ByteView line;
    uint64_t start;  // in a log whose next offset is 101
    uint64_t count;
    std::optional<uint64_t> block_ms;
    bool with_info, skip;
    std::vector<ByteView> tags;
  };
  const Row rows[] = {
      {"plain", "5 10", 5, 10, {}, false, false, {}},
      {"largest offset", "9223372036854775807 10", INT64_MAX, 10, {}, false, false, {}},
      {"the next one", "$ 10", 101, 10, {}, false, false, {}},
      {"the last one", "-1 10", 100, 10, {}, false, false, {}},
      {"the first one from the end", "-100 10", 1, 10, {}, false, false, {}},
      {"before the first one", "-101 10", 1, 10, {}, false, false, {}},
      {"far before the first one", "-9223372036854775807 10", 1, 10, {}, false, false, {}},
      {"nothing", "5 0", 5, 0, {}, false, false, {}},
      {"as many as possible", "5 1000000", 5, 1000000, {}, false, false, {}},
      {"block", "5 10 BLOCK 100", 5, 10, 100, false, false, {}},
      {"block for ever", "5 10 block 0", 5, 10, 0, false, false, {}},
      {"longest block", "5 10 BLOCK 9007199254740991", 5, 10, kMaxMs, false, false, {}},
      {"information", "5 0 WITHINFO", 5, 0, {}, true, false, {}},
      {"skip", "5 10 sKiP", 5, 10, {}, false, true, {}},
      {"tags", "5 10 TAGS 2 a b", 5, 10, {}, false, false, {"a", "b"}},
      {"tags that are options", "5 10 tags 2 SKIP BLOCK", 5, 10, {}, false, false, {"SKIP", "BLOCK"}},
      {"everything", "5 10 TAGS 1 a SKIP BLOCK 7 withinfo", 5, 10, 7, true, true, {"a"}},
      {"everything in another order", "5 10 WithInfo Block 7 Skip Tags 1 a", 5, 10, 7, true, true, {"a"}},
  };
  Log log;
  for (int i = 0; i < 100; ++i) log.append("t", "e");
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::vector<ByteView> words = words_of(row.line);
    const auto request = parse_tread(words);
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->start.in(&log), Offset(row.start));
    EXPECT_EQ(request->count, row.count);
    EXPECT_EQ(request->block_ms, row.block_ms);
    EXPECT_EQ(request->with_info, row.with_info);
    EXPECT_EQ(request->skip, row.skip);
    EXPECT_EQ(request->tags, row.tags);
  }
}

TEST(ParseTread, TakesMaxbytesAndRev) {
  const auto request = parse_tread(words_of("5 10 maxbytes 700 WITHTIME rev"));
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->max_bytes, 700u);
  EXPECT_TRUE(request->with_time);
  EXPECT_TRUE(request->backwards);
  const auto plain = parse_tread(words_of("5 10"));
  EXPECT_FALSE(plain->max_bytes || plain->with_time || plain->backwards);
}

TEST(ParseTread, RefusesEveryWrongForm) {
  constexpr char kZero[] =
      "invalid offset '0': offsets are 1 to 9223372036854775807; -n means n from the end, $ the next one, "
      "epoch.offset one of that epoch";
  expect_errors(
      parse_tread,
      {
          {"nothing", "", kSyntax, "missing offset"},
          {"no count", "5", kSyntax, "missing count"},
          {"offset 0", "0 10", kRange, kZero},
          {"offset -0", "-0 10", kRange, kZero},
          {"offset not a number", "first 10", kRange,
           "invalid offset 'first': offsets are 1 to 9223372036854775807; -n means n from the end, $ the next one, "
           "epoch.offset one of that epoch"},
          {"offset too large", "9223372036854775808 10", kRange,
           "invalid offset '9223372036854775808': offsets are 1 to 9223372036854775807; -n means n from the end, $ the "
           "next one, epoch.offset one of that epoch"},
          {"offset too small", "-9223372036854775808 10", kRange,
           "invalid offset '-9223372036854775808': offsets are 1 to 9223372036854775807; -n means n from the end, $ "
           "the next one, epoch.offset one of that epoch"},
          {"two dollars", "$$ 10", kRange,
           "invalid offset '$$': offsets are 1 to 9223372036854775807; -n means n from the end, $ the next one, "
           "epoch.offset one of that epoch"},
          {"count negative", "5 -1", kRange, "invalid count '-1': expected an integer from 0 to 1000000"},
          {"count not a number", "5 all", kRange, "invalid count 'all': expected an integer from 0 to 1000000"},
          {"count too large", "5 1000001", kRange, "invalid count '1000001': expected an integer from 0 to 1000000"},
          {"count beyond 64 bits", "5 18446744073709551617", kRange,
           "invalid count '18446744073709551617': expected an integer from 0 to 1000000"},
          {"unknown option", "5 10 BLOKC 5", kSyntax,
           "syntax error: expected BLOCK, GROUP, TAILGROUP, CONSUMER, RETRY, WITHINFO, "
           "WITHATTEMPTS, WITHTIME, MAXBYTES, REV, MINE, SKIP, TAGS or FRAMED, found 'BLOKC'"},
          {"block without a timeout", "5 10 BLOCK", kSyntax, "missing BLOCK timeout"},
          {"block negative", "5 10 BLOCK -1", kRange,
           "invalid BLOCK timeout '-1': expected an integer from 0 to 9007199254740991"},
          {"block too long", "5 10 BLOCK 9007199254740992", kRange,
           "invalid BLOCK timeout '9007199254740992': expected an integer from 0 to 9007199254740991"},
          {"block not a number", "5 10 BLOCK SKIP", kRange,
           "invalid BLOCK timeout 'SKIP': expected an integer from 0 to 9007199254740991"},
          {"block for nothing", "5 0 BLOCK 100", kSyntax,
           "BLOCK needs a count of at least 1: with 0 there is nothing to wait for"},
          {"block for information", "5 0 WITHINFO BLOCK 0", kSyntax,
           "BLOCK needs a count of at least 1: with 0 there is nothing to wait for"},
          {"block twice", "5 10 BLOCK 1 BLOCK 1", kSyntax, "BLOCK is given twice"},
          {"information twice", "5 10 WITHINFO withinfo", kSyntax, "WITHINFO is given twice"},
          {"skip twice", "5 10 SKIP SKIP", kSyntax, "SKIP is given twice"},
          {"backwards with BLOCK", "5 10 REV BLOCK 0", kSyntax,
           "REV does not go with BLOCK: what is written later is not behind the offset"},
          {"backwards with a group", "5 10 REV GROUP g", kSyntax, "REV does not go with a group"},
          {"no bytes", "5 10 MAXBYTES 0", kRange,
           "invalid MAXBYTES '0': expected an integer from 1 to 9223372036854775807"},
          {"tags twice", "5 10 TAGS 1 a TAGS 1 a", kSyntax, "TAGS is given twice"},
          {"tags without a number", "5 10 TAGS", kSyntax, "missing number of TAGS"},
          {"no tags", "5 10 TAGS 0", kRange, "invalid number of TAGS '0': expected an integer from 1 to 1000"},
          {"a negative number of tags", "5 10 TAGS -1 a", kRange,
           "invalid number of TAGS '-1': expected an integer from 1 to 1000"},
          {"the number of tags is a tag", "5 10 TAGS a b", kRange,
           "invalid number of TAGS 'a': expected an integer from 1 to 1000"},
          {"too few tags", "5 10 TAGS 3 a b", kSyntax, "TAGS says 3 tags, but only 2 arguments follow"},
          {"far too few tags", "5 10 TAGS 1000 a", kSyntax, "TAGS says 1000 tags, but only 1 arguments follow"},
          {"more tags than one read takes", "5 10 TAGS 1001 a", kRange,
           "invalid number of TAGS '1001': expected an integer from 1 to 1000"},
          {"too many tags", "5 10 TAGS 1 a b", kSyntax,
           "syntax error: expected BLOCK, GROUP, TAILGROUP, CONSUMER, RETRY, WITHINFO, "
           "WITHATTEMPTS, WITHTIME, MAXBYTES, REV, MINE, SKIP, TAGS or FRAMED, found 'b'"},
      });
}

TEST(StartOffset, CountedFromTheEndOfAnEmptiedLogIsTheNextOffset) {
  Log log;
  for (int i = 0; i < 3; ++i) log.append("tag", "entry");
  log.evict_before(log.next());
  EXPECT_EQ(StartOffset::before_next(0).in(&log), Offset(4));
  EXPECT_EQ(StartOffset::before_next(1).in(&log), Offset(4));
  EXPECT_EQ(StartOffset::before_next(100).in(&log), Offset(4));
  EXPECT_EQ(StartOffset::at(Offset(1)).in(&log), Offset(1));
}

TEST(StartOffset, InAMissingLogEqualsThatInANewLog) {
  EXPECT_EQ(StartOffset::at(Offset(7)).in(nullptr), Offset(7));
  EXPECT_EQ(StartOffset::before_next(0).in(nullptr), Offset(1));
  EXPECT_EQ(StartOffset::before_next(1).in(nullptr), Offset(1));
  EXPECT_EQ(StartOffset::before_next(INT64_MAX).in(nullptr), Offset(1));
}

// --- TEVICT ---

TEST(ParseTevict, TakesEveryRightForm) {
  struct Row {
    ByteView line;
    uint64_t up_to;
    std::optional<uint64_t> keep;
  };
  const Row rows[] = {{"0", 0, {}},
                      {"5", 5, {}},
                      {"9223372036854775807", INT64_MAX, {}},
                      {"-1", 0, 1},
                      {"-9223372036854775807", 0, INT64_MAX}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.line);
    const auto request = parse_tevict(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->up_to, Offset(row.up_to));
    EXPECT_EQ(request->keep, row.keep);
  }
}

TEST(ParseTevict, RefusesEveryWrongForm) {
  constexpr char kDollar[] = "invalid offset '$': expected an integer from -9223372036854775807 to 9223372036854775807";
  expect_errors(parse_tevict,
                {{"nothing", "", kSyntax, "missing offset"},
                 {"a word too many", "5 6", kSyntax, "syntax error: expected nothing more, found '6'"},
                 {"the next one", "$", kRange, kDollar},
                 {"too large", "9223372036854775808", kRange,
                  "invalid offset '9223372036854775808': expected an integer from -9223372036854775807 to "
                  "9223372036854775807"},
                 {"too small", "-9223372036854775808", kRange,
                  "invalid offset '-9223372036854775808': expected an integer from -9223372036854775807 to "
                  "9223372036854775807"}});
}

// --- TRETAIN ---

TEST(ParseTretain, TakesEveryRightForm) {
  struct Row {
    const char* name;
    ByteView line;
    std::optional<uint64_t> count, age_ms, bytes;
  };
  const Row rows[] = {
      {"nothing, which shows", "", {}, {}, {}},
      {"count", "COUNT 5", 5, {}, {}},
      {"age", "age 6", {}, 6, {}},
      {"bytes", "Bytes 7", {}, {}, 7},
      {"all", "BYTES 7 AGE 6 COUNT 5", 5, 6, 7},
      {"all off", "count 0 age 0 bytes 0", 0, 0, 0},
      {"largest", "COUNT 9223372036854775807 AGE 9007199254740991 BYTES 9223372036854775807", INT64_MAX, kMaxMs,
       INT64_MAX},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto request = parse_tretain(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->count, row.count);
    EXPECT_EQ(request->age_ms, row.age_ms);
    EXPECT_EQ(request->bytes, row.bytes);
    EXPECT_EQ(request->only_shows(), row.line.empty());
  }
}

TEST(ParseTretain, RefusesEveryWrongForm) {
  expect_errors(
      parse_tretain,
      {{"unknown", "LENGTH 5", kSyntax,
        "syntax error: expected COUNT, AGE, BYTES, LATEST, ACKED, IDS or REFUSE, found 'LENGTH'"},
       {"count without a number", "COUNT", kSyntax, "missing COUNT"},
       {"age without a number", "COUNT 1 AGE", kSyntax, "missing AGE"},
       {"bytes without a number", "BYTES", kSyntax, "missing BYTES"},
       {"count twice", "COUNT 1 COUNT 1", kSyntax, "COUNT is given twice"},
       {"age twice", "AGE 1 COUNT 1 age 1", kSyntax, "AGE is given twice"},
       {"bytes twice", "BYTES 1 BYTES 1", kSyntax, "BYTES is given twice"},
       {"count negative", "COUNT -1", kRange, "invalid COUNT '-1': expected an integer from 0 to 9223372036854775807"},
       {"age too long", "AGE 9007199254740992", kRange,
        "invalid AGE '9007199254740992': expected an integer from 0 to 9007199254740991"},
       {"bytes not a number", "BYTES 5mb", kRange,
        "invalid BYTES '5mb': expected an integer from 0 to 9223372036854775807"},
       {"count beyond 64 bits", "COUNT 18446744073709551616", kRange,
        "invalid COUNT '18446744073709551616': expected an integer from 0 to 9223372036854775807"}});
}

TEST(RetainRequest, ChangesOnlyTheNamedLimits) {
  const Retention old{.count = 1, .age_ms = 2, .bytes = 3, .acked = {}, .latest = true};
  EXPECT_EQ(RetainRequest{}.applied_to(old), old);
  EXPECT_EQ((RetainRequest{.count = 0, .age_ms = {}, .bytes = 9, .latest = {}, .acked = {}}.applied_to(old)),
            (Retention{.count = 0, .age_ms = 2, .bytes = 9, .acked = {}, .latest = true}));
  EXPECT_EQ((RetainRequest{.count = {}, .age_ms = 8, .bytes = {}, .latest = false, .acked = {}}.applied_to(old)),
            (Retention{.count = 1, .age_ms = 8, .bytes = 3, .acked = {}, .latest = false}));
}

// --- TSEEK ---

TEST(ParseTseek, TakesADate) {
  EXPECT_EQ(parse_tseek(words_of("0")).value(), UnixMs(0));
  EXPECT_EQ(parse_tseek(words_of("1700000000000")).value(), UnixMs(1700000000000));
  EXPECT_EQ(parse_tseek(words_of("9223372036854775807")).value(), UnixMs(INT64_MAX));
}

TEST(ParseTseek, RefusesEveryWrongForm) {
  expect_errors(parse_tseek,
                {{"nothing", "", kSyntax, "missing time in unix milliseconds"},
                 {"a word too many", "5 6", kSyntax, "syntax error: expected nothing more, found '6'"},
                 {"negative", "-1", kRange,
                  "invalid time in unix milliseconds '-1': expected an integer from 0 to 9223372036854775807"},
                 {"not a number", "now", kRange,
                  "invalid time in unix milliseconds 'now': expected an integer from 0 to 9223372036854775807"},
                 {"too late", "9223372036854775808", kRange,
                  "invalid time in unix milliseconds '9223372036854775808': expected an integer from 0 to "
                  "9223372036854775807"}});
}

// --- TAPPLY ---

TEST(ParseTapply, TakesEveryRightForm) {
  const auto clock = parse_tapply(words_of("clock 17"));
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->kind, LogEffect::Kind::Clock);
  EXPECT_EQ(clock->clock, UnixMs(17));
  const auto block = parse_tapply(words_of("Block header bytes"));
  ASSERT_TRUE(block);
  EXPECT_EQ(block->kind, LogEffect::Kind::Part);
  EXPECT_EQ(block->part.kind, number_of(LogPart::Block));
  EXPECT_EQ(block->part.bytes, "header");
  EXPECT_EQ(block->part.block, "bytes");
  const auto head = parse_tapply(words_of("HEAD head"));
  ASSERT_TRUE(head);
  EXPECT_EQ(head->part.kind, number_of(LogPart::Head));
  EXPECT_EQ(head->part.bytes, "head");
}

TEST(ParseTapply, RefusesEveryWrongForm) {
  expect_errors(
      parse_tapply,
      {{"nothing", "", kSyntax,
        "syntax error: expected CLOCK, EPOCH, BLOCK, HEAD, MORE, IDS, SCHEDULED, DELETED, DELETING, GROUP, PENDING, "
        "DELIVERED, FINISHED, GIVENUP, GIVENBACK, REPEATED, USED, DROPPED, COMPACTED, DUE or TAGSDELETED, found "
        "nothing more"},
       {"unknown", "TIME 5", kSyntax,
        "syntax error: expected CLOCK, EPOCH, BLOCK, HEAD, MORE, IDS, SCHEDULED, DELETED, DELETING, GROUP, PENDING, "
        "DELIVERED, FINISHED, GIVENUP, GIVENBACK, REPEATED, USED, DROPPED, COMPACTED, DUE or TAGSDELETED, found "
        "'TIME'"},
       {"clock without a date", "CLOCK", kSyntax, "missing CLOCK"},
       {"clock negative", "CLOCK -1", kRange, "invalid CLOCK '-1': expected an integer from 0 to 9223372036854775807"},
       {"clock too late", "CLOCK 9223372036854775808", kRange,
        "invalid CLOCK '9223372036854775808': expected an integer from 0 to 9223372036854775807"},
       {"clock and more", "CLOCK 5 6", kSyntax, "syntax error: expected nothing more, found '6'"},
       {"block without a header", "BLOCK", kSyntax, "missing part"},
       {"block without bytes", "BLOCK header", kSyntax, "missing block"},
       {"block and more", "BLOCK header bytes more", kSyntax, "syntax error: expected nothing more, found 'more'"},
       {"head without one", "HEAD", kSyntax, "missing part"},
       {"head and more", "HEAD head more", kSyntax, "syntax error: expected nothing more, found 'more'"}});
}

TEST(ParseTapply, RefusesABlockThatIsTooLarge) {
  // Only the size is checked, so no memory of that size is needed.
  EXPECT_TRUE(parse_tapply(std::vector<ByteView>{"BLOCK", "h", ByteView("x", kMaxBlock)}));
  const auto request = parse_tapply(std::vector<ByteView>{"BLOCK", "h", ByteView("x", kMaxBlock + 1)});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, kRange);
  EXPECT_EQ(request.error().text, "a block is larger than 4 GiB");
}

}  // namespace
}  // namespace millrace::module
