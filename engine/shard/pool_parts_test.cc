#include "engine/shard/pool_parts.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/limits.h"
#include "engine/base/varint.h"
#include "engine/blocks/blocks_codec.h"
#include "tests/model/named_pool.h"
#include "tests/model/pool_bytes.h"

namespace millrace {
namespace {

using testing::NamedPool;
using testing::number;
using testing::pool_from_bytes;
using testing::pool_to_bytes;
using Names = std::vector<std::string>;
using State = Worker::State;

std::string numbers(std::initializer_list<uint64_t> values) {
  std::string bytes;
  for (uint64_t value : values) append_varint(bytes, value);
  return bytes;
}
std::string named(const std::string& text) { return numbers({text.size()}) + text; }

// The pool again, from its bytes, under another hash key.
NamedPool reloaded(const NamedPool& pool) {
  auto again = pool_from_bytes(pool_to_bytes(pool.pool), HashKey{7});
  EXPECT_TRUE(again) << again.error().text;
  NamedPool reloaded;
  if (again) reloaded.pool = std::move(*again);
  reloaded.expect_sound();
  EXPECT_EQ(pool_to_bytes(reloaded.pool), pool_to_bytes(pool.pool));
  return reloaded;
}

TEST(PoolParts, WritesTheBytesItsHeaderSays) {
  NamedPool pool({"w1", "w2"});
  pool.pool.set({.stale_ms = 300, .policy = AssignmentPolicy::RoundRobin});
  pool.tick(20);
  pool.route("ann");
  pool.push("bob", {"p", "q"});
  pool.pull("w2", 1);
  std::vector<std::pair<PoolPart, std::string>> parts;
  each_part(pool.pool, [&](const Part& part) {
    parts.emplace_back(static_cast<PoolPart>(part.kind), part.bytes);
    EXPECT_EQ(part.block.empty(), !kPoolParts[part.kind].has_block);
  });
  const MessageBlocks& messages = pool.pool.recipients()[pool.pool.recipients().find("bob")].queue->messages;
  const std::vector<std::pair<PoolPart, std::string>> expected = {
      {PoolPart::Pool, numbers({2, 20, 300, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0}) + named("")},
      {PoolPart::Worker, named("w1") + numbers({0, 0, 0, 0})},
      {PoolPart::Recipients, named("ann") + numbers({1, 1, 1})},
      {PoolPart::Worker, named("w2") + numbers({0, 21, 0, 0})},
      {PoolPart::Recipients, named("bob") + numbers({0, 2, 1})},
      {PoolPart::Block, named("bob") + numbers({1, 0, 2})},
      {PoolPart::Queue, named("bob") + numbers({2}) + encode_head(saved_head(messages))},
  };
  EXPECT_EQ(parts, expected);
}

TEST(PoolParts, AnEmptyPoolComesBack) {
  const NamedPool pool = reloaded(NamedPool());
  EXPECT_EQ(pool.pool.settings().stale_ms, 15'000u);
  EXPECT_TRUE(pool.pool.working().empty());
}

TEST(PoolParts, APoolComesBackAsItWas) {
  NamedPool pool({"w1", std::string("\0\xff", 2), "w3"});
  pool.pool.set({.stale_ms = 777, .policy = AssignmentPolicy::LeastPending});
  pool.tick(1000);
  for (const char* name : {"ann", "bob", "cat", "dan"}) pool.route(name);
  pool.push("ann", {"a", "b", "c"});
  pool.pull("w1", 2);
  pool.ack("w1", "ann", 1);
  pool.done("w3", "cat");
  NamedPool again = reloaded(pool);
  EXPECT_EQ(again.pool.now(), PoolTime(1000));
  EXPECT_EQ(again.pool.settings().stale_ms, 777u);
  EXPECT_EQ(again.pool.settings().policy, AssignmentPolicy::LeastPending);
  EXPECT_EQ(again.pool.counters().assigned, 4u);
  EXPECT_EQ(again.worker("w1").seen, PoolTime(1000));
  EXPECT_FALSE(again.worker(ByteView("\0\xff", 2)).seen);
  EXPECT_EQ(again.owner("cat"), "w3");
  EXPECT_EQ(again.pending("ann"), 3u);
  EXPECT_EQ(again.pull("w1"), (Names{"ann 3 c"})) << "what is in flight stays in flight";
  EXPECT_EQ(again.ack("w1", "ann", 3), number(2));
}

TEST(PoolParts, TurnsComeBackInTheirOrder) {
  NamedPool pool({"w1", "w2"});
  for (const char* name : {"ann", "max", "bob", "zoe", "cat"}) pool.push(name, {"1", "2", "3"});
  EXPECT_EQ(pool.pull("w1", 4), (Names{"ann 1 1", "bob 1 1", "cat 1 1", "ann 2 2"}));
  pool.pull("w2", 6);  // all is in flight: no turns
  pool.ack("w1", "ann", 2);
  pool.push("dan", {"1"});
  NamedPool again = reloaded(pool);
  EXPECT_EQ(again.pull("w1", 5), (Names{"bob 2 2", "cat 2 2", "ann 3 3", "bob 3 3", "cat 3 3"}));
  again.join("w2");
  EXPECT_EQ(again.pull("w2", 3), (Names{"dan 1 1", "max 1 1", "zoe 1 1"}));
}

TEST(PoolParts, AWorkerThatIsLeavingGoesOnWhereItWas) {
  NamedPool pool({"w1", "w2"});
  pool.push("ann", {"a", "b"});
  pool.push("bob", {"a"});
  pool.push("cat", {"a"});
  pool.pull("w1", 1);
  pool.leave("w1");
  NamedPool again = reloaded(pool);
  EXPECT_EQ(again.worker("w1").state, State::Leaving);
  EXPECT_EQ(again.worker("w1").looking_at, RecipientId::none()) << "it has looked at all of them";
  EXPECT_EQ(again.ack("w1", "ann", 1), number(1));
  EXPECT_FALSE(again.has("w1"));
  EXPECT_EQ(again.pull("w2", 3), (Names{"bob 1 a", "cat 1 a", "ann 2 b"}));
}

// w1 owns more than two slices, every other one busy; w2 owns none.
NamedPool large_pool() {
  NamedPool pool;
  const WorkerId w1 = pool.pool.join("w1");
  for (uint64_t i = 0; i < 2 * Pool::kSlice + 100; ++i) {
    const std::string name = "r" + std::to_string(i);
    EXPECT_TRUE(pool.pool.route(name));
    if (i % 2 != 0) continue;
    EXPECT_TRUE(pool.pool.done(w1, name, 1));
  }
  pool.touch("w1");
  pool.join("w2");
  return pool;
}

TEST(PoolParts, AWorkerThatIsLeavingHalfWayGoesOnThere) {
  NamedPool pool = large_pool();
  EXPECT_EQ(pool.leave("w1"), Pool::kSlice / 2);
  NamedPool again = reloaded(pool);
  const auto looking_at = [](const NamedPool& one) {
    return one.pool.recipients()[one.worker("w1").looking_at].name();
  };
  EXPECT_EQ(looking_at(again), "r" + std::to_string(Pool::kSlice));
  EXPECT_EQ(looking_at(again), looking_at(pool));
  pool.settle();
  again.settle();
  EXPECT_EQ(pool_to_bytes(again.pool), pool_to_bytes(pool.pool));
}

TEST(PoolParts, ADeadWorkerHalfMovedGoesOnMoving) {
  NamedPool pool = large_pool();
  pool.tick(20'000);
  EXPECT_TRUE(pool.pool.settle());
  pool.join("w1");
  NamedPool again = reloaded(pool);
  ASSERT_EQ(again.pool.going().size(), 1u);
  EXPECT_EQ(again.pool.worker(again.pool.going()[0]).state, State::Dead);
  EXPECT_EQ(again.worker("w1").recipients, 0u) << "the name is another's now";
  EXPECT_EQ(again.pool.next_settle(), PoolTime(20'000));
  pool.settle();
  again.settle();
  EXPECT_TRUE(again.pool.going().empty());
  EXPECT_EQ(pool_to_bytes(again.pool), pool_to_bytes(pool.pool));
}

TEST(PoolParts, ManyRecipientsTravelInSeveralStringsAndLongQueuesInSeveralBlocks) {
  NamedPool pool({"w1"});
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(pool.pool.route("recipient " + std::to_string(i)));
  const std::string payload(5000, 'x');
  for (int i = 0; i < 8; ++i) pool.push("recipient 7", {payload});
  pool.pull("w1", 4);
  pool.ack("w1", "recipient 7", 3);
  int strings = 0, blocks = 0;
  each_part(pool.pool, [&](const Part& part) {
    strings += part.kind == number_of(PoolPart::Recipients);
    blocks += part.kind == number_of(PoolPart::Block);
    EXPECT_LT(part.bytes.size(), 17'000u);
  });
  EXPECT_GT(strings, 2);
  EXPECT_GT(blocks, 2);
  reloaded(pool);
}

TEST(PoolParts, ALeavingWorkerWithoutRecipientsIsGone) {
  for (const uint64_t state : {1u, 2u}) {
    NamedPool pool;
    ASSERT_TRUE(restore_part(pool.pool, PoolPart::Worker, named("w1") + numbers({state, 0, 0}), {}));
    pool.expect_sound();
    EXPECT_FALSE(pool.has("w1"));
    EXPECT_TRUE(pool.pool.going().empty());
    ASSERT_TRUE(restore_part(pool.pool, PoolPart::Recipients, named("ann") + numbers({0, 1, 1}), {}));
    pool.expect_sound();
    EXPECT_EQ(pool.owner("ann"), "w1");
    EXPECT_EQ(pool.has("w1"), state == 1);
  }
}

// --- what is refused ---

struct CorruptRow {
  const char* name;
  PoolPart part;
  std::string bytes;
  const char* reason;
  std::string block = {};
};

// w1 [ann, with payloads 1 to 3, of which 1 is in flight; bob, with payload 1, nothing in flight;
// cat, with nothing]; its time is 100. Restored from its parts, so that those of another
// could follow.
Pool some_pool() {
  NamedPool pool({"w1"});
  pool.tick(100);
  pool.push("ann", {"a", "b", "c"});
  pool.pull("w1", 1);
  pool.push("bob", {"a"});
  pool.route("cat");
  pool.done("w1", "cat");
  return std::move(*pool_from_bytes(pool_to_bytes(pool.pool)));
}

void expect_refused(const std::vector<CorruptRow>& rows, const std::function<Pool()>& make = some_pool) {
  for (const CorruptRow& row : rows) {
    SCOPED_TRACE(row.name);
    Pool pool = make();
    const std::string before = pool_to_bytes(pool);
    const auto restored = restore_part(pool, row.part, row.bytes, Buffer::copy_of(row.block));
    EXPECT_STREQ(pool.check(), nullptr);
    ASSERT_FALSE(restored) << "it was accepted";
    EXPECT_EQ(restored.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(restored.error().text, row.reason);
    EXPECT_EQ(pool_to_bytes(pool), before) << "it is not unchanged";
  }
}

TEST(PoolParts, RefusesAnInvalidHead) {
  constexpr char kLength[] = "a pool head of the wrong length";
  constexpr char kSettings[] = "a pool head with impossible settings";
  constexpr char kNumbers[] = "a pool head with impossible numbers";
  constexpr uint64_t kTooMany = uint64_t{1} << 63;
  const auto head = PoolPart::Pool;
  expect_refused(
      {
          {"nothing", head, "", "a pool of a version this module does not know"},
          {"a later version", head, numbers({3, 5, 1, 0, 0, 0, 0, 0, 0}),
           "a pool of a version this module does not know"},
          {"a number missing", head, numbers({1, 5, 1, 0, 0, 0, 0, 0}), kLength},
          {"a number too many", head, numbers({1, 5, 1, 0, 0, 0, 0, 0, 0, 0}), kLength},
          {"too late", head, numbers({1, kTooMany, 1, 0, 0, 0, 0, 0, 0}), "a pool head beyond the end of time"},
          {"never stale", head, numbers({1, 5, 0, 0, 0, 0, 0, 0, 0}), kSettings},
          {"stale after centuries", head, numbers({1, 5, kMaxDurationMs + 1, 0, 0, 0, 0, 0, 0}), kSettings},
          {"an unknown policy", head, numbers({1, 5, 1, 2, 0, 0, 0, 0, 0}), kSettings},
          {"an iterator too far", head, numbers({1, 5, 1, 0, 2 * Pool::kMaxWorkers + 1, 0, 0, 0, 0}), kNumbers},
          {"too many attempts", head, numbers({2, 5, 1, 0, 0, 0, 0, 0, 0, kTooMany, 0, 0, 0, 0}) + named(""),
           kSettings},
          {"forgotten after centuries", head,
           numbers({2, 5, 1, 0, 0, 0, 0, 0, 0, 0, kMaxDurationMs + 1, 0, 0, 0}) + named(""), kSettings},
          {"too many payloads", head, numbers({2, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, kTooMany, 0, 0}) + named(""),
           kSettings},
          {"too many dead", head, numbers({2, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, kTooMany, 0}) + named(""), kNumbers},
          {"no log", head, numbers({2, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), kLength},
          {"too many assignments", head, numbers({1, 5, 1, 0, 0, uint64_t{1} << 32, 0, 0, 0}), kNumbers},
          {"too many assigned", head, numbers({1, 5, 1, 0, 0, 0, kTooMany, 0, 0}), kNumbers},
          {"too many moved", head, numbers({1, 5, 1, 0, 0, 0, 0, kTooMany, 0}), kNumbers},
          {"too many failovers", head, numbers({1, 5, 1, 0, 0, 0, 0, 0, kTooMany}), kNumbers},
      },
      [] { return Pool(HashKey{}); });
  expect_refused(
      {{"a second head", head, numbers({1, 5, 1, 0, 0, 0, 0, 0, 0}), "a head for a pool that is there already"}});
}

TEST(PoolParts, RefusesAnInvalidWorker) {
  constexpr char kLength[] = "a worker of the wrong length";
  const auto worker = PoolPart::Worker;
  expect_refused({
      {"nothing", worker, "", kLength},
      {"a name beyond the end", worker, numbers({9}) + "w2", kLength},
      {"no name", worker, numbers({0, 0, 0, 0}), kLength},
      {"a name too long", worker, named(std::string(kMaxNameBytes + 1, 'x')) + numbers({0, 0, 0}), kLength},
      {"a number missing", worker, named("w2") + numbers({0, 0}), kLength},
      {"a byte too many", worker, named("w2") + numbers({0, 0, 0, 0, 0}), kLength},
      {"joined tomorrow", worker, named("w2") + numbers({0, 0, 0, 102}), "a worker from the future"},
      {"an unknown state", worker, named("w2") + numbers({3, 0, 0}), "a worker in an unknown state"},
      {"there already", worker, named("w1") + numbers({0, 0, 0}), "a worker that is there twice"},
      {"leaving, and there already", worker, named("w1") + numbers({1, 0, 0}), "a worker that is there twice"},
      {"seen tomorrow", worker, named("w2") + numbers({0, 102, 0}), "a worker from the future"},
      {"dead tomorrow", worker, named("w2") + numbers({2, 102, 0}), "a worker from the future"},
  });
}

TEST(PoolParts, RefusesMoreWorkersThanAPoolCanHave) {
  Pool pool{HashKey{}};
  for (size_t i = 0; i < 2 * Pool::kMaxWorkers; ++i) pool.join(std::to_string(i));
  const auto restored = restore_part(pool, PoolPart::Worker, named("one more") + numbers({0, 0, 0}), {});
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().text, "more workers than a pool can have");
}

TEST(PoolParts, RefusesALeavingWorkerWhoseNameWasTakenMeanwhile) {
  NamedPool pool({"w1"});
  ASSERT_TRUE(restore_part(pool.pool, PoolPart::Worker, named("w2") + numbers({1, 0, 0}), {}));
  pool.join("w2");
  const auto restored = restore_part(pool.pool, PoolPart::Recipients, named("ann") + numbers({0, 1, 1}), {});
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().text, "a worker that is there twice");
  pool.expect_sound();
  EXPECT_EQ(pool.owner("ann"), "nobody");
}

TEST(PoolParts, RefusesInvalidRecipients) {
  constexpr char kLength[] = "recipients of the wrong length";
  constexpr char kNumbers[] = "a recipient with impossible numbers";
  constexpr char kSequence[] = "an impossible sequence";
  constexpr uint64_t k2To32 = uint64_t{1} << 32;
  const auto recipients = PoolPart::Recipients;
  expect_refused({
      {"nothing", recipients, "", kLength},
      {"a name beyond the end", recipients, numbers({9}) + "dan", kLength},
      {"no name", recipients, numbers({0, 0, 1, 1}), kLength},
      {"a name too long", recipients, named(std::string(kMaxNameBytes + 1, 'x')) + numbers({0, 1, 1}), kLength},
      {"a number missing", recipients, named("dan") + numbers({0, 1}), kLength},
      {"there already", recipients, named("ann") + numbers({0, 1, 1}), "a recipient that is there twice"},
      {"too much routed", recipients, named("dan") + numbers({k2To32, 1, 1}), kNumbers},
      {"never assigned", recipients, named("dan") + numbers({0, 0, 1}), kNumbers},
      {"assigned too often", recipients, named("dan") + numbers({0, k2To32, 1}), kNumbers},
      {"sequence 0", recipients, named("dan") + numbers({0, 1, 0}), kSequence},
      {"beyond all sequences", recipients, named("dan") + numbers({0, 1, uint64_t{1} << 63}), kSequence},
  });
  expect_refused({{"nobody's", recipients, named("dan") + numbers({0, 1, 1}), "a recipient without a worker"}},
                 [] { return Pool(HashKey{}); });
}

TEST(PoolParts, RefusesAllRecipientsOfAPartIfOneIsBad) {
  const std::string dan = named("dan") + numbers({4, 9, 1}), eve = named("eve") + numbers({0, 10, 1});
  const auto recipients = PoolPart::Recipients;
  expect_refused({
      {"cut short", recipients, dan + eve + "\x05z", "recipients of the wrong length"},
      {"the second is there already", recipients, dan + named("ann") + numbers({0, 9, 1}),
       "a recipient that is there twice"},
      {"the same twice", recipients, dan + eve + dan, "a recipient that is there twice"},
      {"never assigned", recipients, dan + named("eve") + numbers({0, 0, 1}), "a recipient with impossible numbers"},
      {"sequence 0", recipients, dan + eve + named("fay") + numbers({0, 11, 0}), "an impossible sequence"},
  });
}

TEST(PoolParts, ALeavingWorkerWaitsForRecipientsThatAreGood) {
  NamedPool pool({"w1"});
  ASSERT_TRUE(restore_part(pool.pool, PoolPart::Worker, named("w2") + numbers({1, 0, 1}), {}));
  const std::string ann = named("ann") + numbers({1, 1, 1}), bob = named("bob") + numbers({0, 2, 1});
  EXPECT_FALSE(restore_part(pool.pool, PoolPart::Recipients, ann + ann, {}));
  pool.expect_sound();
  EXPECT_FALSE(pool.has("w2"));
  EXPECT_TRUE(restore_part(pool.pool, PoolPart::Recipients, ann + bob, {}));
  pool.expect_sound();
  EXPECT_EQ(pool.recipients("w2"), (Names{"ann", "bob"}));
  EXPECT_EQ(pool.worker("w2").looking_at, pool.pool.recipients().find("bob"));
}

TEST(PoolParts, RefusesBlocksThatAreNoQueues) {
  MessageBlocks log{Offset(2)};
  log.append({}, "b");
  std::string header, bytes;
  log.each_block([&](const Block& block) {
    header = encode_block_header(block);
    bytes = block.bytes();
  });
  const auto block = PoolPart::Block;
  expect_refused({
      {"nothing", block, "", "a queue's block without a name"},
      {"a name beyond the end", block, numbers({9}) + "ann", "a queue's block without a name"},
      {"no header", block, named("cat"), "a block header of the wrong length"},
      {"nobody's", block, named("dan") + header, "a queue without a recipient", bytes},
      {"of a queue in flight", block, named("ann") + header, "a queue that is there already", bytes},
      {"not the next", block, named("bob") + numbers({3, 0, 1}), "a block that does not follow on", bytes},
      {"the same again", block, named("bob") + numbers({1, 0, 1}), "a block that does not follow on", bytes},
      {"without messages", block, named("cat") + numbers({1, 0, 0}), "a block without messages"},
      {"at no offset", block, named("cat") + numbers({0, 0, 1}), "a block beyond the last offset", bytes},
      {"beyond all offsets", block, named("cat") + numbers({uint64_t{1} << 63, 0, 1}), "a block beyond the last offset",
       bytes},
      {"packed", block, named("cat") + numbers({1, 0, 1, 100}), "a pool packs no blocks", bytes},
      {"of the wrong count", block, named("cat") + numbers({1, 0, 2}), "a block ends inside a message", bytes},
  });
}

TEST(PoolParts, RefusesQueueHeadsThatBelongToNoQueue) {
  const auto log_head = [](uint64_t first, uint64_t next, uint64_t kept = 0, uint64_t groups = 0) {
    return numbers({1, first, next, 0, kept, 0, 0, 0, 1, groups});
  };
  constexpr char kLength[] = "a queue head of the wrong length";
  constexpr char kSequences[] = "a queue head with impossible sequences";
  const auto queue = PoolPart::Queue;
  expect_refused({
      {"nothing", queue, "", kLength},
      {"a name beyond the end", queue, numbers({9}) + "bob", kLength},
      {"no number", queue, named("bob"), kLength},
      {"no log head", queue, named("bob") + numbers({1}), "a log of a version this module does not know"},
      {"nobody's", queue, named("dan") + numbers({1}) + log_head(1, 2), "a queue head without a queue"},
      {"without blocks", queue, named("cat") + numbers({1}) + log_head(1, 2), "a queue head without a queue"},
      {"in flight already", queue, named("ann") + numbers({1}) + log_head(1, 4), "a queue that is there already"},
      {"with groups", queue, named("bob") + numbers({1}) + log_head(1, 2, 0, 1), "a log that is not a queue's"},
      {"that evicts", queue, named("bob") + numbers({1}) + log_head(1, 2, 1), "a log that is not a queue's"},
      {"delivered before it began", queue, named("bob") + numbers({0}) + log_head(1, 2), kSequences},
      {"delivered beyond its end", queue, named("bob") + numbers({3}) + log_head(1, 2), kSequences},
      {"of nothing", queue, named("bob") + numbers({2}) + log_head(2, 2), kSequences},
      {"of more than there is", queue, named("bob") + numbers({1}) + log_head(1, 3),
       "a log head that does not belong to its blocks"},
  });
}

TEST(PoolParts, RefusesAPartItDoesNotKnow) {
  expect_refused({{"one more", static_cast<PoolPart>(8), "", "an unknown part of a pool"}});
}

}  // namespace
}  // namespace millrace
