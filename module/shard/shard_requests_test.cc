// Tables: each row has what a client types behind the key, and the parser's result. A single space separates two words,
// so a space at the end makes an empty word.
#include "module/shard/shard_requests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/limits.h"
#include "engine/shard/pool_parts.h"
#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

const std::string kLongest(512, 'n');
const std::string kTooLong(513, 'n');

std::vector<ByteView> listed(Words words) { return {words.begin(), words.end()}; }

TEST(ParseShardNames, AreAnyBytesUpToTheLongest) {
  for (ByteView name : {ByteView("w"), ByteView("\xff\n"), ByteView(kLongest)}) {
    for (const auto parse : {parse_shard_join, parse_shard_heartbeat, parse_shard_owner}) {
      const auto parsed = parse(std::vector<ByteView>{name});
      ASSERT_TRUE(parsed) << parsed.error().text;
      EXPECT_EQ(*parsed, name);
    }
  }
}

TEST(ParseShardNames, AreRefusedOutsideThat) {
  const ErrorRow rows[] = {
      {"none", "", kSyntax, "missing worker"},
      {"an empty one", " ", kRange, "the worker has 0 bytes, expected 1 to 512"},
      {"too long", kTooLong, kRange, "the worker has 513 bytes, expected 1 to 512"},
      {"two", "w x", kSyntax, "syntax error: expected nothing more, found 'x'"},
  };
  expect_errors(parse_shard_join, rows);
  expect_errors(parse_shard_heartbeat, rows);
  expect_errors(parse_shard_owner, {{"none", "", kSyntax, "missing recipient"}});
}

TEST(ParseShardLeave, TakesEveryRightForm) {
  EXPECT_FALSE(parse_shard_leave(words_of("w"))->lets_go);
  EXPECT_TRUE(parse_shard_leave(words_of("w NOW"))->lets_go);
  EXPECT_TRUE(parse_shard_leave(words_of("now now"))->lets_go);
}

TEST(ParseShardLeave, RefusesEveryWrongForm) {
  expect_errors(parse_shard_leave,
                {
                    {"nobody", "", kSyntax, "missing worker"},
                    {"another word", "w SOON", kSyntax, "syntax error: expected NOW, found 'SOON'"},
                    {"twice", "w NOW NOW", kSyntax, "syntax error: expected nothing more, found 'NOW'"},
                });
}

TEST(ParseShardPush, RecognisesTheOptionByItsPlace) {
  const struct {
    const char* name;
    ByteView line;
    std::vector<ByteView> payloads;
    std::optional<uint64_t> block_ms;
  } rows[] = {
      {"one payload", "r p", {"p"}, {}},
      {"several", "r p q p", {"p", "q", "p"}, {}},
      {"an empty one", "r ", {""}, {}},
      {"with the option", "r p BLOCK 100", {"p"}, 100},
      {"in lower case, for ever", "r p q block 0", {"p", "q"}, 0},
      {"a payload that is its name", "r BLOCK", {"BLOCK"}, {}},
      {"two payloads that look like it", "r BLOCK 100", {"BLOCK", "100"}, {}},
      {"its name last", "r p BLOCK", {"p", "BLOCK"}, {}},
      {"a payload that looks like it, and the option", "r BLOCK 100 BLOCK 5", {"BLOCK", "100"}, 5},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto words = words_of(row.line);
    const auto request = parse_shard_push(words);
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->recipient, "r");
    EXPECT_EQ(listed(request->payloads), row.payloads);
    EXPECT_EQ(request->block_ms, row.block_ms);
  }
}

TEST(ParseShardPush, RefusesEveryWrongForm) {
  expect_errors(parse_shard_push,
                {
                    {"nothing", "", kSyntax, "missing recipient"},
                    {"no payload", "r", kSyntax, "missing payload"},
                    {"an empty recipient", " p", kRange, "the recipient has 0 bytes, expected 1 to 512"},
                    {"no time", "r p BLOCK never", kRange,
                     "invalid BLOCK time 'never': expected an integer from 0 to 9007199254740991"},
                });
}

TEST(ParseShardPush, TakesOptionsBeforePayloads) {
  const auto words = words_of("r ID 7 block 5 payloads a BLOCK 9");
  const auto request = parse_shard_push(words);
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->id, "7");
  EXPECT_EQ(request->block_ms, 5U);
  EXPECT_EQ(request->payloads.size(), 3U);
  const auto without_words = words_of("r ID 7 a");
  const auto without = parse_shard_push(without_words);
  EXPECT_FALSE(without->id);
  EXPECT_EQ(without->payloads.size(), 3U) << "what reads like an option is a payload";
  expect_errors(parse_shard_push,
                {
                    {"no payload", "r PAYLOADS", kSyntax, "missing payload behind PAYLOADS"},
                    {"an empty id", "r ID  PAYLOADS a", kRange, "the ID has 0 bytes, expected 1 to 512"},
                    {"twice", "r ID 1 ID 2 PAYLOADS a", kSyntax, "ID is given twice"},
                });
}

TEST(ParseShardNack, TakesADelayOrAReason) {
  const auto words = words_of("w r 5 DELAY 100");
  const auto request = parse_shard_nack(words);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->sequence, Offset(5));
  EXPECT_EQ(request->delay_ms, 100U);
  const auto dead_words = words_of("w r 5 dead why");
  EXPECT_EQ(parse_shard_nack(dead_words)->dead, "why");
  expect_errors(parse_shard_nack,
                {
                    {"both", "w r 5 DELAY 1 DEAD why", kSyntax, "DELAY and DEAD exclude each other"},
                    {"neither", "w r 5 LATER", kSyntax, "syntax error: expected DELAY or DEAD, found 'LATER'"},
                });
}

TEST(ParseShardForget, TakesNames) {
  const auto words = words_of("r s");
  EXPECT_EQ(parse_shard_forget(words)->size(), 2U);
  expect_errors(parse_shard_forget, {{"nobody", "", kSyntax, "missing recipient"}});
}

TEST(ParseShardInfo, TakesPages) {
  EXPECT_EQ(parse_shard_info(words_of(""))->count, 1000U);
  EXPECT_EQ(parse_shard_info(words_of("CURSOR 7 COUNT 0"))->cursor, 7U);
  EXPECT_FALSE(parse_shard_check(words_of(""))->cursor);
  EXPECT_EQ(parse_shard_check(words_of("CURSOR 7"))->cursor, 7U);
  expect_errors(parse_shard_check, {{"alone", "COUNT 7", kSyntax, "COUNT is for a page: it needs CURSOR"}});
}

TEST(ParseShardRoute, TakesARecipientAndATime) {
  EXPECT_EQ(parse_shard_route(words_of("r"))->block_ms, std::nullopt);
  EXPECT_EQ(parse_shard_route(words_of("r BLOCK 7"))->block_ms, 7U);
  EXPECT_TRUE(parse_shard_route(words_of("r"))->payloads.empty());
  expect_errors(parse_shard_route,
                {
                    {"another word", "r x", kSyntax, "syntax error: expected BLOCK, found 'x'"},
                    {"no time", "r BLOCK", kSyntax, "missing BLOCK time"},
                    {"more", "r BLOCK 1 2", kSyntax, "syntax error: expected nothing more, found '2'"},
                });
}

TEST(ParseShardDone, TakesACount) {
  EXPECT_EQ(parse_shard_done(words_of("w r"))->count, 1U);
  EXPECT_EQ(parse_shard_done(words_of("w r 4294967295"))->count, 4294967295U);
  expect_errors(parse_shard_done,
                {
                    {"no recipient", "w", kSyntax, "missing recipient"},
                    {"none", "w r 0", kRange, "invalid count '0': expected an integer from 1 to 4294967295"},
                    {"too many", "w r 4294967296", kRange,
                     "invalid count '4294967296': expected an integer from 1 to 4294967295"},
                });
}

TEST(ParseShardRecipients, TakesOptionsInAnyOrder) {
  const auto words = words_of("w CURSOR 18446744073709551615 count 7");
  const auto request = parse_shard_recipients(words);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->cursor, UINT64_MAX);
  EXPECT_EQ(request->count, 7U);
  EXPECT_EQ(parse_shard_recipients(words_of("w"))->count, 100U);
  expect_errors(parse_shard_recipients,
                {
                    {"twice", "w COUNT 1 COUNT 1", kSyntax, "COUNT is given twice"},
                    {"another word", "w FROM 1", kSyntax, "syntax error: expected COUNT or CURSOR, found 'FROM'"},
                    {"none", "w COUNT 0", kRange, "invalid COUNT '0': expected an integer from 1 to 1000000"},
                });
}

TEST(ParseShardPull, TakesOptionsInAnyOrder) {
  const auto request = parse_shard_pull(words_of("w BLOCK 0 COUNT 1000000"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->block_ms, 0U);
  EXPECT_EQ(request->count, 1'000'000U);
  EXPECT_EQ(parse_shard_pull(words_of("w"))->count, 1U);
  expect_errors(
      parse_shard_pull,
      {
          {"too many", "w COUNT 1000001", kRange, "invalid COUNT '1000001': expected an integer from 1 to 1000000"},
          {"another word", "w WAIT 1", kSyntax, "syntax error: expected COUNT, BLOCK or WITHATTEMPTS, found 'WAIT'"},
          {"twice", "w BLOCK 1 BLOCK 2", kSyntax, "BLOCK is given twice"},
      });
}

TEST(ParseShardAck, TakesASequence) {
  EXPECT_EQ(parse_shard_ack(words_of("w r 9223372036854775806"))->sequence, Offset(INT64_MAX - 1));
  expect_errors(parse_shard_ack, {
                                     {"none", "w r", kSyntax, "missing sequence"},
                                     {"zero", "w r 0", kRange,
                                      "invalid sequence '0': expected an integer from 1 to 9223372036854775806"},
                                 });
}

TEST(ParseShardRebalance, TakesALimit) {
  EXPECT_EQ(parse_shard_rebalance({}), 1000U);
  EXPECT_EQ(parse_shard_rebalance(words_of("maxmoves 7")), 7U);
  expect_errors(parse_shard_rebalance,
                {
                    {"another word", "MAX 7", kSyntax, "syntax error: expected MAXMOVES, found 'MAX'"},
                    {"none", "MAXMOVES 0", kRange, "invalid MAXMOVES '0': expected an integer from 1 to 1000000"},
                });
}

TEST(ParseShardSet, TakesEitherOrBoth) {
  const auto both = parse_shard_set(words_of("POLICY LeastPending stale 1"));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->stale_ms, 1U);
  EXPECT_EQ(both->policy, AssignmentPolicy::LeastPending);
  EXPECT_EQ(parse_shard_set(words_of("POLICY roundrobin"))->policy, AssignmentPolicy::RoundRobin);
  EXPECT_EQ(parse_shard_set(words_of("STALE 3155760000000"))->stale_ms, kMaxDurationMs);
  expect_errors(
      parse_shard_set,
      {
          {"neither", "", kSyntax,
           "syntax error: expected STALE, POLICY, MAXATTEMPTS, DEADLETTER, FORGET or RECIPIENTMAX, found nothing more"},
          {"another policy", "POLICY random", kSyntax,
           "syntax error: expected roundrobin or leastpending behind POLICY, found 'random'"},
          {"twice", "STALE 1 STALE 1", kSyntax, "STALE is given twice"},
          {"never stale", "STALE 0", kRange, "invalid STALE time '0': expected an integer from 1 to 3155760000000"},
      });
}

TEST(ParseShardApply, TakesEveryEffect) {
  const auto clock_words = words_of("CLOCK 12");
  EXPECT_EQ(parse_shard_apply(clock_words)->clock, PoolTime(12));
  EXPECT_EQ(parse_shard_apply(words_of("SETTLE"))->kind, PoolEffect::Kind::Settle);
  EXPECT_EQ(parse_shard_apply(words_of("SEEN w"))->bytes, "w");
  const struct {
    const char* line;
    PoolPart part;
  } rows[] = {{"POOL x", PoolPart::Pool},     {"WORKER x", PoolPart::Worker}, {"RECIPIENTS x", PoolPart::Recipients},
              {"BLOCK x y", PoolPart::Block}, {"QUEUE x", PoolPart::Queue},   {"TROUBLE x", PoolPart::Trouble},
              {"DEAD x", PoolPart::Dead},     {"IDS x", PoolPart::Ids}};
  for (const auto& row : rows) {
    const auto effect = parse_shard_apply(words_of(row.line));
    ASSERT_TRUE(effect) << row.line;
    EXPECT_EQ(effect->part.kind, number_of(row.part));
    EXPECT_EQ(effect->part.bytes, "x");
    EXPECT_EQ(effect->part.block, row.part == PoolPart::Block ? "y" : "");
  }
}

TEST(ParseShardApply, RefusesEveryWrongForm) {
  expect_errors(
      parse_shard_apply,
      {
          {"nothing", "", kSyntax,
           "syntax error: expected CLOCK, SEEN, SETTLE, FORGET, LETTERS, POOL, WORKER, RECIPIENTS, BLOCK, QUEUE, "
           "TROUBLE, DEAD or IDS, found "
           "nothing more"},
          {"no bytes", "POOL", kSyntax, "missing part"},
          {"half a block", "BLOCK x", kSyntax, "missing block"},
          {"more", "SETTLE x", kSyntax, "syntax error: expected nothing more, found 'x'"},
      });
}

}  // namespace
}  // namespace millrace::module
