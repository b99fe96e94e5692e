// Tables for the commands of groups: each row has the words after the key, and the parser's result. A single space
// separates two words.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "module/log/log_requests.h"
#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

// --- TREAD with a group ---

TEST(ParseTreadOfAGroup, TakesEveryRightForm) {
  struct Row {
    const char* name;
    ByteView line;
    ByteView group;
    bool at_tail;
    std::optional<ByteView> consumer;
    std::optional<std::pair<uint32_t, uint64_t>> retry;
    bool with_attempts;
  };
  const Row rows[] = {
      {"a group", "1 10 GROUP g", "g", false, {}, {}, false},
      {"at the tail", "$ 10 tailgroup g", "g", true, {}, {}, false},
      {"the offset is ignored", "0 10 GROUP g", "g", false, {}, {}, false},
      {"nothing, which makes the group", "0 0 GROUP g", "g", false, {}, {}, false},
      {"names that are options", "1 10 GROUP RETRY CONSUMER GROUP", "RETRY", false, "GROUP", {}, false},
      {"empty names", "1 10 GROUP  CONSUMER ", "", false, "", {}, false},
      {"retry", "1 10 GROUP g RETRY 100 0", "g", false, {}, {{100, 0}}, false},
      {"shortest retry", "1 10 GROUP g RETRY 1 1", "g", false, {}, {{1, 1}}, false},
      {"longest retry",
       "1 10 GROUP g RETRY 4294967295 140737488355328",
       "g",
       false,
       {},
       {{UINT32_MAX, kMaxPendingMs}},
       false},
      {"attempts", "1 10 GROUP g WITHATTEMPTS", "g", false, {}, {}, true},
      {"everything",
       "1 10 BLOCK 5 TAILGROUP g CONSUMER c RETRY 7 8 WITHINFO WITHATTEMPTS",
       "g",
       true,
       "c",
       {{7, 8}},
       true},
      {"everything in another order",
       "1 10 withattempts retry 7 8 withinfo consumer c block 5 group g",
       "g",
       false,
       "c",
       {{7, 8}},
       true},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto request = parse_tread(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    ASSERT_TRUE(request->group);
    EXPECT_EQ(request->group->name, row.group);
    EXPECT_EQ(request->group->at_tail, row.at_tail);
    EXPECT_EQ(request->group->consumer, row.consumer);
    ASSERT_EQ(request->group->retry.has_value(), row.retry.has_value());
    if (row.retry) {
      EXPECT_EQ(request->group->retry->retry_ms, row.retry->first);
      EXPECT_EQ(request->group->retry->expire_ms, row.retry->second);
    }
    EXPECT_EQ(request->group->with_attempts, row.with_attempts);
  }
}

TEST(ParseTreadOfAGroup, RefusesEveryWrongForm) {
  expect_errors(
      parse_tread,
      {{"no name", "1 10 GROUP", kSyntax, "missing group name"},
       {"no name at the tail", "1 10 TAILGROUP", kSyntax, "missing group name"},
       {"both", "1 10 GROUP g TAILGROUP g", kSyntax, "GROUP and TAILGROUP exclude each other"},
       {"both, the other way round", "1 10 TAILGROUP g GROUP h", kSyntax, "GROUP and TAILGROUP exclude each other"},
       {"a group twice", "1 10 GROUP g GROUP g", kSyntax, "GROUP is given twice"},
       {"no consumer", "1 10 GROUP g CONSUMER", kSyntax, "missing consumer name"},
       {"a consumer twice", "1 10 GROUP g CONSUMER c CONSUMER c", kSyntax, "CONSUMER is given twice"},
       {"a consumer alone", "1 10 CONSUMER c", kSyntax, "CONSUMER needs GROUP or TAILGROUP"},
       {"retry alone", "1 10 RETRY 1 1", kSyntax, "RETRY needs GROUP or TAILGROUP"},
       {"attempts alone", "1 10 WITHATTEMPTS", kSyntax, "WITHATTEMPTS needs GROUP or TAILGROUP"},
       {"attempts twice", "1 10 GROUP g WITHATTEMPTS WITHATTEMPTS", kSyntax, "WITHATTEMPTS is given twice"},
       {"retry without times", "1 10 GROUP g RETRY", kSyntax, "missing RETRY time"},
       {"retry without an expiry", "1 10 GROUP g RETRY 5", kSyntax, "missing RETRY expiry"},
       {"retry twice", "1 10 GROUP g RETRY 5 5 RETRY 5 5", kSyntax, "RETRY is given twice"},
       {"retry at once", "1 10 GROUP g RETRY 0 5", kRange,
        "invalid RETRY time '0': expected an integer from 1 to 4294967295"},
       {"retry too late", "1 10 GROUP g RETRY 4294967296 5", kRange,
        "invalid RETRY time '4294967296': expected an integer from 1 to 4294967295"},
       {"expiry negative", "1 10 GROUP g RETRY 5 -1", kRange,
        "invalid RETRY expiry '-1': expected an integer from 0 to 140737488355328"},
       {"expiry too late", "1 10 GROUP g RETRY 5 140737488355329", kRange,
        "invalid RETRY expiry '140737488355329': expected an integer from 0 to 140737488355328"},
       {"tags", "1 10 GROUP g TAGS 1 a", kSyntax, "TAGS does not go with a group"},
       {"skip", "1 10 SKIP GROUP g", kSyntax, "SKIP does not go with a group, which never delivers evicted messages"},
       {"block for nothing", "1 0 GROUP g BLOCK 5", kSyntax,
        "BLOCK needs a count of at least 1: with 0 there is nothing to wait for"}});
}

// --- TACK and TNACK ---

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;
Ranges plain(const std::vector<OffsetRange>& ranges) {
  Ranges all;
  for (const OffsetRange& range : ranges) all.emplace_back(range.from.value(), range.to.value());
  return all;
}

TEST(ParseTack, TakesEveryRightForm) {
  const struct {
    ByteView line;
    ByteView group;
    Ranges ranges;
  } rows[] = {{"g 5", "g", {{5, 5}}},
              {"g 5-7", "g", {{5, 7}}},
              {"g 5-5", "g", {{5, 5}}},
              {" 1 2-3 2 9223372036854775807", "", {{1, 1}, {2, 3}, {2, 2}, {INT64_MAX, INT64_MAX}}},
              {"g 1-9223372036854775807", "g", {{1, INT64_MAX}}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto request = parse_tack(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->group, row.group);
    EXPECT_EQ(plain(request->ranges), row.ranges);
  }
}

TEST(ParseTack, RefusesEveryWrongForm) {
  expect_errors(parse_tack, {{"nothing", "", kSyntax, "missing group name"},
                             {"no offset", "g", kSyntax, "missing offset or start-end"}});
  for (const char* word : {"0", "-5", "5-", "-", "0-5", "7-5", "5-6-7", "5--6", "x", "5-x", "+5", "5 -6", "1,2", "",
                           "9223372036854775808", "1-18446744073709551617"}) {
    SCOPED_TRACE(word);
    const std::string line = std::string("g 1 ") + word;
    const std::string wrong(words_of(line).back());
    const auto request = parse_tack(words_of(line));
    ASSERT_FALSE(request) << "it was accepted";
    EXPECT_EQ(request.error().code, kRange);
    EXPECT_EQ(request.error().text, "invalid offsets '" + wrong +
                                        "': expected an offset or start-end, from 1 to 9223372036854775807, start not "
                                        "above end");
  }
}

TEST(ParseTnack, TakesEveryRightForm) {
  const struct {
    ByteView line;
    uint64_t delay_ms;
    Ranges ranges;
  } rows[] = {{"g 5", 0, {{5, 5}}},
              {"g DELAY 0 5", 0, {{5, 5}}},
              {"g delay 140737488355328 5-7 9", kMaxPendingMs, {{5, 7}, {9, 9}}},
              {"g 9 5-7 6-8 5 1-9223372036854775807 9", 0, {{1, INT64_MAX}}},
              {"g 9 5-7 6-8 5 9", 0, {{5, 8}, {9, 9}}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto request = parse_tnack(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->group, "g");
    EXPECT_EQ(request->delay_ms, row.delay_ms);
    EXPECT_EQ(plain(request->ranges), row.ranges);
  }
}

TEST(ParseTack, TakesAConsumerBeforeTheOffsets) {
  EXPECT_EQ(parse_tack(words_of("g 5"))->consumer, std::nullopt);
  const auto request = parse_tack(words_of("g consumer ann 5-7"));
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->consumer, "ann");
  EXPECT_EQ(plain(request->ranges), (Ranges{{5, 7}}));
  expect_errors(parse_tack, {{"no name", "g CONSUMER", kSyntax, "missing consumer name"},
                             {"no offset", "g CONSUMER ann", kSyntax, "missing offset or start-end"}});
}

TEST(ParseTnack, TakesItsOptionsInAnyOrder) {
  for (const ByteView line : {"g CONSUMER ann DELAY 5 UNCOUNTED 1", "g uncounted delay 5 consumer ann 1"}) {
    SCOPED_TRACE(line);
    const auto request = parse_tnack(words_of(line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->consumer, "ann");
    EXPECT_EQ(request->delay_ms, 5u);
    EXPECT_TRUE(request->is_uncounted);
    EXPECT_EQ(request->dead_because, std::nullopt);
  }
  const auto dead = parse_tnack(words_of("g DEAD UNCOUNTED CONSUMER DEAD 1"));
  ASSERT_TRUE(dead) << dead.error().text;
  EXPECT_EQ(dead->dead_because, "UNCOUNTED") << "a reason may be any word";
  EXPECT_EQ(dead->consumer, "DEAD");
  EXPECT_FALSE(dead->is_uncounted);
}

TEST(ParseTextend, TakesEveryRightForm) {
  const auto request = parse_textend(words_of("g CONSUMER ann 60000 9 5-7 6"));
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->group, "g");
  EXPECT_EQ(request->consumer, "ann");
  EXPECT_EQ(request->ms, 60000u);
  EXPECT_EQ(plain(request->ranges), (Ranges{{5, 7}, {9, 9}}));
  EXPECT_EQ(parse_textend(words_of("g 140737488355328 1"))->ms, kMaxPendingMs);
}

TEST(ParseTextend, RefusesEveryWrongForm) {
  expect_errors(parse_textend, {{"nothing", "", kSyntax, "missing group name"},
                                {"no time", "g", kSyntax, "missing time in milliseconds"},
                                {"no offset", "g 5", kSyntax, "missing offset or start-end"},
                                {"no time at all", "g 0 5", kRange,
                                 "invalid time in milliseconds '0': expected an integer from 1 to 140737488355328"}});
}

TEST(ParseTreadOfAGroup, TakesMineOnlyWithAConsumer) {
  const auto request = parse_tread(words_of("5 10 GROUP g CONSUMER ann MINE"));
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_TRUE(request->group->is_mine);
  EXPECT_EQ(request->start.in(nullptr), Offset(5));
  expect_errors(parse_tread,
                {{"no consumer", "1 1 GROUP g MINE", kSyntax, "MINE needs CONSUMER: it reads what that one holds"},
                 {"no group", "1 1 CONSUMER ann MINE", kSyntax, "CONSUMER needs GROUP or TAILGROUP"},
                 {"it may not wait", "1 1 GROUP g CONSUMER ann MINE BLOCK 5", kSyntax,
                  "BLOCK does not go with MINE, which reads what the consumer holds already"}});
}

TEST(ParseTnack, RefusesEveryWrongForm) {
  expect_errors(parse_tnack, {{"no reason", "g DEAD", kSyntax, "missing reason"},
                              {"twice", "g UNCOUNTED UNCOUNTED 1", kSyntax, "UNCOUNTED is given twice"},
                              {"dead and later", "g DEAD why DELAY 5 1", kSyntax,
                               "DEAD gives messages up: it excludes DELAY and UNCOUNTED"},
                              {"dead and uncounted", "g UNCOUNTED DEAD why 1", kSyntax,
                               "DEAD gives messages up: it excludes DELAY and UNCOUNTED"}});
  constexpr char kDelay[] = "invalid DELAY 'x': expected an integer from 0 to 140737488355328";
  expect_errors(parse_tnack,
                {{"nothing", "", kSyntax, "missing group name"},
                 {"no offset", "g", kSyntax, "missing offset or start-end"},
                 {"no delay", "g DELAY", kSyntax, "missing DELAY"},
                 {"a delay and no offset", "g DELAY 5", kSyntax, "missing offset or start-end"},
                 {"a delay that is none", "g DELAY x 5", kRange, kDelay},
                 {"a delay too long", "g DELAY 140737488355329 5", kRange,
                  "invalid DELAY '140737488355329': expected an integer from 0 to 140737488355328"},
                 {"a delay behind the offsets", "g 5 DELAY 6", kRange,
                  "invalid offsets 'DELAY': expected an offset or start-end, from 1 to 9223372036854775807, start not "
                  "above end"}});
}

// --- TGROUP ---

TEST(ParseTgroupSeek, TakesEveryRightForm) {
  using Where = SeekGroupRequest::Where;
  const struct {
    ByteView line;
    Where where;
    uint64_t offset;
  } rows[] = {{"g FIRST", Where::First, 0},
              {"g next", Where::Next, 0},
              {"g 1", Where::AtOffset, 1},
              {"g 9223372036854775807", Where::AtOffset, INT64_MAX}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto request = parse_tgroup_seek(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->group, "g");
    EXPECT_EQ(request->where, row.where);
    EXPECT_EQ(request->offset, Offset(row.offset));
  }
}

TEST(ParseTgroupSeek, RefusesEveryWrongForm) {
  expect_errors(
      parse_tgroup_seek,
      {{"nothing", "", kSyntax, "missing group name"},
       {"nowhere", "g", kSyntax, "missing offset"},
       {"offset 0", "g 0", kRange, "invalid offset '0': expected an integer from 1 to 9223372036854775807"},
       {"negative", "g -1", kRange, "invalid offset '-1': expected an integer from 1 to 9223372036854775807"},
       {"a word", "g LAST", kRange, "invalid offset 'LAST': expected an integer from 1 to 9223372036854775807"},
       {"more", "g FIRST 1", kSyntax, "syntax error: expected nothing more, found '1'"}});
}

TEST(ParseTgroupPending, TakesEveryRightForm) {
  const struct {
    ByteView line;
    std::optional<ByteView> consumer;
    uint64_t from, count;
  } rows[] = {{"g", {}, 1, 100},
              {"g CONSUMER c", "c", 1, 100},
              {"g consumer COUNT count 5", "COUNT", 1, 5},
              {"g COUNT 1000000 FROM 7", {}, 7, 1000000}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto request = parse_tgroup_pending(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->group, "g");
    EXPECT_EQ(request->consumer, row.consumer);
    EXPECT_EQ(request->from, Offset(row.from));
    EXPECT_EQ(request->count, row.count);
  }
}

TEST(ParseTgroupPending, RefusesEveryWrongForm) {
  expect_errors(
      parse_tgroup_pending,
      {{"nothing", "", kSyntax, "missing group name"},
       {"unknown", "g LIMIT 5", kSyntax, "syntax error: expected CONSUMER, FROM or COUNT, found 'LIMIT'"},
       {"no consumer", "g CONSUMER", kSyntax, "missing consumer name"},
       {"no offset", "g FROM", kSyntax, "missing FROM offset"},
       {"no count", "g COUNT", kSyntax, "missing COUNT"},
       {"twice", "g COUNT 1 COUNT 1", kSyntax, "COUNT is given twice"},
       {"from 0", "g FROM 0", kRange, "invalid FROM offset '0': expected an integer from 1 to 9223372036854775807"},
       {"none", "g COUNT 0", kRange, "invalid COUNT '0': expected an integer from 1 to 1000000"},
       {"too many", "g COUNT 1000001", kRange, "invalid COUNT '1000001': expected an integer from 1 to 1000000"}});
}

TEST(ParseTgroupSet, ChangesOnlyTheNamedSettings) {
  const GroupSettings old{.pending_max = 1, .max_attempts = 2, .dead_letter = "old"};
  const struct {
    ByteView line;
    GroupSettings expected;
  } rows[] = {{"g PENDINGMAX 9", {.pending_max = 9, .max_attempts = 2, .dead_letter = "old"}},
              {"g pendingmax 0", {.pending_max = 0, .max_attempts = 2, .dead_letter = "old"}},
              {"g MAXATTEMPTS 65535", {.pending_max = 1, .max_attempts = 65535, .dead_letter = "old"}},
              {"g DEADLETTER new", {.pending_max = 1, .max_attempts = 2, .dead_letter = "new"}},
              {"g DEADLETTER none", {.pending_max = 1, .max_attempts = 2, .dead_letter = ""}},
              {"g DEADLETTER DEADLETTER MAXATTEMPTS 0 PENDINGMAX 9223372036854775807",
               {.pending_max = INT64_MAX, .max_attempts = 0, .dead_letter = "DEADLETTER"}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto request = parse_tgroup_set(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->group, "g");
    EXPECT_EQ(request->applied_to(old), row.expected);
  }
}

TEST(ParseTgroupSet, RefusesEveryWrongForm) {
  constexpr char kNothing[] = "syntax error: expected PENDINGMAX, MAXATTEMPTS, DEADLETTER or IDLE, found nothing more";
  expect_errors(parse_tgroup_set,
                {{"nothing", "", kSyntax, "missing group name"},
                 {"no setting", "g", kSyntax, kNothing},
                 {"unknown", "g RETRY 5", kSyntax,
                  "syntax error: expected PENDINGMAX, MAXATTEMPTS, DEADLETTER or IDLE, found 'RETRY'"},
                 {"no number", "g PENDINGMAX", kSyntax, "missing PENDINGMAX"},
                 {"no attempts", "g MAXATTEMPTS", kSyntax, "missing MAXATTEMPTS"},
                 {"no key", "g DEADLETTER", kSyntax, "missing DEADLETTER key"},
                 {"an empty key", "g DEADLETTER ", kRange, "DEADLETTER needs a key that is not empty, or NONE"},
                 {"twice", "g DEADLETTER a DEADLETTER a", kSyntax, "DEADLETTER is given twice"},
                 {"negative", "g PENDINGMAX -1", kRange,
                  "invalid PENDINGMAX '-1': expected an integer from 0 to 9223372036854775807"},
                 {"too many attempts", "g MAXATTEMPTS 65536", kRange,
                  "invalid MAXATTEMPTS '65536': expected an integer from 0 to 65535"}});
}

// --- options of other commands ---

TEST(ParseTretain, TakesLatestAndAcked) {
  EXPECT_EQ(parse_tretain(words_of("latest Yes"))->latest, true);
  EXPECT_FALSE(parse_tretain(words_of("LATEST no"))->only_shows());
  EXPECT_FALSE(parse_tretain(words_of("LATEST no"))->applied_to({.latest = true}).latest);
  EXPECT_EQ(parse_tretain(words_of("ACKED yes"))->acked, true);
  EXPECT_EQ(parse_tretain(words_of("acked NO COUNT 5"))->acked, false);
  EXPECT_EQ(parse_tretain(words_of("COUNT 5"))->acked, std::nullopt);
  EXPECT_FALSE(parse_tretain(words_of("ACKED no"))->only_shows());
  EXPECT_TRUE(parse_tretain(words_of("ACKED yes"))->applied_to({}).acked);
  EXPECT_TRUE(parse_tretain(words_of("COUNT 5"))->applied_to({.acked = true}).acked);
  EXPECT_FALSE(parse_tretain(words_of("ACKED no"))->applied_to({.acked = true}).acked);
  expect_errors(parse_tretain,
                {{"no answer", "ACKED", kSyntax, "syntax error: expected yes or no behind ACKED, found nothing more"},
                 {"another answer", "ACKED 1", kSyntax, "syntax error: expected yes or no behind ACKED, found '1'"},
                 {"twice", "ACKED yes ACKED yes", kSyntax, "ACKED is given twice"}});
}

TEST(ParseTapply, TakesTheEffectsOfGroups) {
  using Kind = LogEffect::Kind;
  const struct {
    const char* word;
    Kind kind;
    const char* what;
  } rows[] = {{"GROUP", Kind::Part, "part"},
              {"pending", Kind::Part, "part"},
              {"Delivered", Kind::Delivered, "effect"},
              {"GIVENUP", Kind::GivenUp, "effect"},
              {"givenback", Kind::GivenBack, "effect"},
              {"compacted", Kind::Compacted, "effect"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.word);
    const std::string good = std::string(row.word) + " bytes", without = row.word, more = good + " more";
    const auto request = parse_tapply(words_of(good));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->kind, row.kind);
    EXPECT_EQ(row.kind == Kind::Part ? request->part.bytes : request->bytes, "bytes");
    EXPECT_EQ(parse_tapply(words_of(without)).error().text, std::string("missing ") + row.what);
    EXPECT_EQ(parse_tapply(words_of(more)).error().text, "syntax error: expected nothing more, found 'more'");
  }
}

TEST(ParseTgroupCreate, TakesEveryRightForm) {
  using Where = SeekGroupRequest::Where;
  const struct {
    ByteView line;
    Where where;
    uint64_t offset;
    std::optional<uint64_t> idle_ms;
  } rows[] = {{"g", Where::First, 0, {}},
              {"g first", Where::First, 0, {}},
              {"g NEXT IDLE 5", Where::Next, 0, 5},
              {"g 17 IDLE 0 MAXATTEMPTS 3", Where::AtOffset, 17, 0},
              {"g IDLE 140737488355328", Where::First, 0, kMaxPendingMs}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto request = parse_tgroup_create(words_of(row.line));
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->settings.group, "g");
    EXPECT_EQ(request->at.group, "g");
    EXPECT_EQ(request->at.where, row.where);
    EXPECT_EQ(request->at.offset, Offset(row.offset));
    EXPECT_EQ(request->settings.idle_ms, row.idle_ms);
  }
}

TEST(ParseTgroupCreate, RefusesEveryWrongForm) {
  constexpr char kWords[] =
      "syntax error: expected FIRST, NEXT or an offset, then PENDINGMAX, MAXATTEMPTS, DEADLETTER or IDLE, found ";
  expect_errors(parse_tgroup_create,
                {{"nothing", "", kSyntax, "missing group name"},
                 {"offset 0", "g 0", kRange, "invalid offset '0': expected an integer from 1 to 9223372036854775807"},
                 {"a word", "g LAST", kSyntax, (std::string(kWords) + "'LAST'").c_str()},
                 {"two places", "g FIRST 7", kSyntax, (std::string(kWords) + "'7'").c_str()},
                 {"idle twice", "g IDLE 1 IDLE 2", kSyntax, "IDLE is given twice"},
                 {"idle for too long", "g IDLE 140737488355329", kRange,
                  "invalid IDLE '140737488355329': expected an integer from 0 to 140737488355328"}});
}

TEST(ParseTredrive, TakesEveryRightForm) {
  EXPECT_EQ(parse_tredrive(words_of(""))->count, 100u);
  const auto request = parse_tredrive(words_of("TO COUNT COUNT 10000"));
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->to, "COUNT");
  EXPECT_EQ(request->count, 10000u);
}

TEST(ParseTgroupList, TakesTheOptionsOfAPage) {
  const auto all = parse_tgroup_list({});
  ASSERT_TRUE(all);
  EXPECT_FALSE(all->after);
  EXPECT_EQ(all->count, UINT64_MAX);
  const std::vector<ByteView> words = words_of("count 20 AFTER workers");
  const auto page = parse_tgroup_list(words);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->after, "workers");
  EXPECT_EQ(page->count, 20u);
}

TEST(ParseTgroupList, RefusesEveryWrongForm) {
  expect_errors(parse_tgroup_list,
                {
                    {"a group", "g", kSyntax, "syntax error: expected AFTER or COUNT, found 'g'"},
                    {"after nothing", "AFTER", kSyntax, "missing group name"},
                    {"none", "COUNT 0", kRange, "invalid COUNT '0': expected an integer from 1 to 9223372036854775807"},
                    {"twice", "COUNT 1 COUNT 1", kSyntax, "COUNT is given twice"},
                });
}

}  // namespace
}  // namespace millrace::module
