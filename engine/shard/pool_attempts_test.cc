// Payloads that come back, are delayed or given up, and recipients that are removed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/shard/pool_parts.h"
#include "tests/model/named_pool.h"

namespace millrace {
namespace {

using testing::NamedPool;
using Names = std::vector<std::string>;

uint64_t attempts_of_next(NamedPool& pool, ByteView worker) {
  Pool::PulledPayload next;
  EXPECT_TRUE(pool.pool.deliver(pool.id(worker), next));
  return next.attempts;
}

TEST(Queue, CountsHowOftenEachPayloadCameBack) {
  Queue queue(Offset(71));
  for (const char* payload : {"a", "b", "c", "d"}) queue.messages.append({}, payload, {});
  for (uint64_t end : {74U, 73U, 74U}) {
    queue.undelivered = Offset(end);
    queue.take_back();
  }
  EXPECT_EQ(queue.failures(Offset(71)), 3u);
  EXPECT_EQ(queue.failures(Offset(72)), 3u);
  EXPECT_EQ(queue.failures(Offset(73)), 2u);
  EXPECT_EQ(queue.failures(Offset(74)), 0u);
  EXPECT_EQ(queue.trouble->came_back, (std::vector<ComeBack>{{Offset(73), 1}, {Offset(74), 2}}));
  queue.messages.evict_before(Offset(74));
  queue.forget_failures();
  EXPECT_EQ(queue.trouble, nullptr) << "a queue without trouble holds nothing for it";
}

TEST(PoolAttempts, OnlyTheFirstIsGivenUp) {
  NamedPool pool({"w"});
  pool.pool.set({.max_attempts = 2, .dead_log = "dead"});
  pool.push("r", {"poison", "good"});
  for (int life = 0; life < 2; ++life) {
    pool.pull("w");
    pool.join("w");
  }
  ASSERT_EQ(pool.pool.dead_payloads().size(), 1u);
  const DeadPayload& dead = pool.pool.dead_payloads().front();
  EXPECT_EQ(dead, (DeadPayload{"r", Offset(1), 2, std::nullopt, "poison"}));
  EXPECT_EQ(tag_of_dead_payload(dead, "p\"ool"),
            R"({"why":"attempts","attempts":2,"sequence":1,"recipient":"r","pool":"p\"ool"})");
  EXPECT_EQ(attempts_of_next(pool, "w"), 3u) << "it was delivered behind the other one, and is not blamed";
  pool.join("w");
  EXPECT_EQ(pool.pool.dead_payloads().size(), 2u) << "now it was the first";
  EXPECT_EQ(pool.pending("r"), 0u);
  pool.expect_sound();
}

TEST(PoolAttempts, ADelayEndsByASettleAndInOneOrderEverywhere) {
  NamedPool pool({"w"});
  for (const char* name : {"a", "b"}) {
    pool.push(name, {"x"});
    pool.pull("w");
    pool.pool.give_back(pool.id("w"), *pool.pool.may_come_back(pool.id("w"), name, Offset(1)), 100);
  }
  EXPECT_EQ(pool.pull("w"), Names());
  EXPECT_EQ(pool.pool.next_settle(), PoolTime(100));
  pool.tick(100);
  pool.settle();
  EXPECT_EQ(pool.pull("w"), (Names{"a 1 x", "b 1 x"}));
}

TEST(PoolAttempts, AForgottenRecipientLeavesRoomForAnother) {
  NamedPool pool({"w"});
  for (int i = 0; i < 500; ++i) pool.route("recipient " + std::to_string(1000 + i));
  EXPECT_FALSE(pool.pool.forget("recipient 1000")) << "something is pending for it";
  pool.route("one that stays");
  const uint64_t before = pool.pool.recipients().memory();
  for (int i = 0; i < 500; ++i) {
    const std::string name = "recipient " + std::to_string(1000 + i);
    pool.done("w", name);
    ASSERT_TRUE(pool.pool.forget(name));
    ASSERT_FALSE(pool.pool.forget(name));
  }
  pool.expect_sound();
  for (int i = 0; i < 500; ++i) pool.route("recipient " + std::to_string(3000 + i));
  EXPECT_LE(pool.pool.recipients().memory(), before);
  EXPECT_EQ(pool.pool.recipients().size(), 501u);
  pool.expect_sound();
}

TEST(PoolAttempts, IdleRecipientsAreFoundInTheTimeThatWasSetAndNotBefore) {
  NamedPool pool({"w"});
  pool.pool.set({.forget_ms = 800});
  pool.route("idle");
  pool.done("w", "idle");
  pool.route("busy");
  Names found;
  for (uint64_t now = 0; now <= 1000; now += 10) {
    pool.tick(now);
    pool.pool.tick_steps(PoolTime(now));
    pool.pool.each_forgettable([&](ByteView name) { found.emplace_back(name); });
    if (now <= 800) {
      EXPECT_EQ(found, Names()) << now;
    }
  }
  EXPECT_EQ(found.front(), "idle");
  EXPECT_EQ(found, Names(found.size(), "idle"));
}

// Places of recipients start at 0 again when the last one has gone.
TEST(PoolAttempts, IdleRecipientsAreLookedForInAPoolThatWasEmptyInBetween) {
  NamedPool pool({"w"});
  pool.pool.set({.forget_ms = 800});
  const auto add = [&](size_t length, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const std::string name = std::to_string(i) + std::string(length, 'x');
      ASSERT_TRUE(pool.pool.route(name) && pool.pool.done(pool.id("w"), name, 1));
    }
  };
  add(3, Pool::kLooks + 1);
  uint64_t now = 0;
  const auto look = [&] {
    pool.pool.tick_steps(PoolTime(now += 100));
    std::vector<std::string> found;
    const bool has_looked = pool.pool.each_forgettable([&](ByteView name) { found.emplace_back(name); });
    for (const std::string& name : found) EXPECT_TRUE(pool.pool.forget(name));
    return has_looked;
  };
  EXPECT_FALSE(look()) << "it stopped half way";
  std::vector<std::string> names;
  pool.pool.recipients().each([&](const Recipient& recipient) { names.emplace_back(recipient.name()); });
  for (const std::string& name : names) ASSERT_TRUE(pool.pool.forget(name));
  add(50, Pool::kLooks + 1);
  for (int i = 0; i < 40; ++i) look();
  pool.expect_sound();
  EXPECT_EQ(pool.pool.recipients().size(), 0u);
}

std::string number(std::initializer_list<uint64_t> list) {
  std::string bytes;
  for (uint64_t one : list) append_varint(bytes, one);
  return bytes;
}

// A forged payload may have its parts in any order. A queue that is delayed is in no list of its worker.
TEST(PoolAttempts, AQueueWhoseTroubleIsRestoredTakesNoMoreBlocksAndNoHead) {
  const std::string r = number({1}) + "r";
  for (const uint64_t delayed_until : {0U, 5U}) {
    NamedPool pool({"w"});
    pool.push("r", {"a"});
    const MessageBlocks& messages = pool.pool.recipients()[pool.pool.recipients().find("r")].queue->messages;
    MessageBlocks next{Offset(2)};
    next.append({}, "b", {});
    std::string block_header, block_bytes;
    next.each_block([&](const Block& block) {
      block_header = encode_block_header(block);
      block_bytes = block.bytes();
    });
    const std::string head = encode_head(saved_head(messages));
    ASSERT_TRUE(restore_part(pool.pool, PoolPart::Trouble, r + number({delayed_until, 2, 1}), {}));
    pool.expect_sound();
    EXPECT_FALSE(restore_part(pool.pool, PoolPart::Block, r + block_header, Buffer::copy_of(block_bytes)));
    pool.expect_sound();
    EXPECT_FALSE(restore_part(pool.pool, PoolPart::Queue, r + number({2}).append(head), {}));
    pool.expect_sound();
    pool.tick(10);
    pool.settle();
    EXPECT_EQ(pool.pull("w"), (Names{"r 1 a"}));
    EXPECT_EQ(pool.ack("w", "r", 1), testing::number(1));
  }
}

TEST(PoolAttempts, TwoQueuesWithTheSameAssignmentAreDelayedToTheSameDate) {
  NamedPool pool({"w"});
  ASSERT_TRUE(restore_part(pool.pool, PoolPart::Worker, number({1}) + "v" + number({0, 0, 0}), {}));
  const std::string one = number({1}) + "r" + number({0, 7, 1}), other = number({1}) + "s" + number({0, 7, 1});
  ASSERT_TRUE(restore_part(pool.pool, PoolPart::Recipients, one + other, {}));
  for (const char* name : {"r", "s"}) {
    pool.push(name, {"a"});
    ASSERT_TRUE(restore_part(pool.pool, PoolPart::Trouble, number({1}) + name + number({5}), {}));
    pool.expect_sound();
  }
  pool.tick(5);
  pool.settle();
  EXPECT_EQ(pool.pull("v"), (Names{"r 1 a", "s 1 a"}));
}

TEST(PoolAttempts, TroubleThatCannotBeIsRefused) {
  NamedPool pool({"w"});
  pool.push("r", {"a", "b"});
  pool.pull("w", 1);
  const std::string r = number({1}) + "r";
  const std::string rows[] = {
      "",
      number({1}) + "x" + number({0, 2, 1}),
      r + number({0}),
      r + number({0, 2}),
      r + number({0, 1, 1}),
      r + number({0, 9, 1}),
      r + number({0, 2, 0}),
      r + number({0, 3, 1, 2, 1}),
      r + number({5, 2, 1}),
      r + number({0, 2, uint64_t{1} << 40}),
  };
  for (const std::string& row : rows) {
    EXPECT_FALSE(restore_part(pool.pool, PoolPart::Trouble, row, {}));
    pool.expect_sound();
  }
  EXPECT_TRUE(restore_part(pool.pool, PoolPart::Trouble, r + number({0, 2, 1}), {}));
  EXPECT_FALSE(restore_part(pool.pool, PoolPart::Dead, r + number({1, 1, 0, 1}) + "x", {})) << "there is no log";
  EXPECT_FALSE(restore_part(pool.pool, PoolPart::Ids, number({1}) + "i" + number({1}) + "i", {}));
  pool.expect_sound();
}

TEST(Pool, ForgetsTheOldestIdsOfPushes) {
  NamedPool pool({"w"});
  std::string ids;
  const auto add = [&](const std::string& id) { ids += number({id.size()}) + id; };
  for (size_t i = 0; i <= Pool::kMostPushedIds; ++i) add(std::to_string(i));
  ASSERT_TRUE(restore_part(pool.pool, PoolPart::Ids, ids, {}));
  EXPECT_EQ(pool.pool.pushed_ids()->size(), Pool::kMostPushedIds);
  EXPECT_FALSE(pool.pool.was_pushed("0"));
  EXPECT_TRUE(pool.pool.was_pushed("1"));
  EXPECT_EQ(pool.pool.pushed_ids()->check(), nullptr);
}

}  // namespace
}  // namespace millrace
