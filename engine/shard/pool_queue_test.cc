// The queue of each recipient: what is delivered, in which order, and what is acknowledged.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/shard/pool.h"
#include "tests/model/named_pool.h"

namespace millrace {
namespace {

using testing::failure;
using testing::NamedPool;
using testing::number;
using Names = std::vector<std::string>;

constexpr ErrorCode kRange = ErrorCode::Range;
constexpr ErrorCode kNotOwner = ErrorCode::NotOwner;

TEST(PoolQueue, DeliversARecipientsPayloadsInOrderAndOnce) {
  NamedPool pool({"w1"});
  pool.push("ann", {"a", "b"});
  pool.push("ann", {"", std::string(100'000, 'x')});
  EXPECT_TRUE(pool.pool.has_delivery(pool.id("w1")));
  EXPECT_EQ(pool.pull("w1"), (Names{"ann 1 a", "ann 2 b", "ann 3 ", "ann 4 " + std::string(100'000, 'x')}));
  EXPECT_FALSE(pool.pool.has_delivery(pool.id("w1")));
  EXPECT_TRUE(pool.pull("w1").empty());
  EXPECT_EQ(pool.pending("ann"), 4u);
}

TEST(PoolQueue, EachWorkerGetsWhatItsOwnRecipientsHave) {
  NamedPool pool({"w1", "w2"});
  pool.push("ann", {"a"});
  pool.push("bob", {"b"});
  EXPECT_EQ(pool.pull("w2"), (Names{"bob 1 b"}));
  EXPECT_EQ(pool.pull("w1"), (Names{"ann 1 a"}));
}

TEST(PoolQueue, ServesRecipientsInTurn) {
  NamedPool pool({"w1"});
  pool.push("busy", {"1", "2", "3", "4"});
  pool.push("ann", {"a"});
  pool.push("bob", {"b", "c"});
  EXPECT_EQ(pool.pull("w1", 4), (Names{"busy 1 1", "ann 1 a", "bob 1 b", "busy 2 2"}));
  pool.push("cat", {"d"});
  pool.push("ann", {"e"});
  EXPECT_EQ(pool.pull("w1"), (Names{"bob 2 c", "busy 3 3", "cat 1 d", "ann 2 e", "busy 4 4"}));
}

TEST(PoolQueue, AcknowledgesAllUpToASequence) {
  NamedPool pool({"w1"});
  pool.push("ann", {"a", "b", "c", "d"});
  pool.pull("w1", 3);
  EXPECT_EQ(pool.ack("w1", "ann", 0), number(0));
  EXPECT_EQ(pool.ack("w1", "ann", 2), number(2));
  EXPECT_EQ(pool.ack("w1", "ann", 2), number(0)) << "acknowledged already";
  EXPECT_EQ(pool.ack("w1", "ann", 1), number(0));
  EXPECT_EQ(pool.ack("w1", "ann", 4), failure(kRange)) << "not delivered yet";
  EXPECT_EQ(pool.ack("w1", "ann", UINT64_MAX), failure(kRange));
  EXPECT_EQ(pool.pending("ann"), 2u);
  EXPECT_EQ(pool.ack("w1", "ann", 3), number(1));
  EXPECT_EQ(pool.pull("w1"), (Names{"ann 4 d"}));
  EXPECT_EQ(pool.ack("w1", "ann", 4), number(1));
  EXPECT_EQ(pool.worker("w1").pending, 0u);
  EXPECT_EQ(pool.worker("w1").busy, 0u);
}

TEST(PoolQueue, AWrongAcknowledgementIsNoSignOfLife) {
  NamedPool pool({"w1", "w2"});
  pool.push("ann", {"a"});
  EXPECT_EQ(pool.ack("w1", "ann", 1), failure(kRange));
  EXPECT_EQ(pool.ack("w2", "ann", 1), failure(kNotOwner));
  EXPECT_EQ(pool.ack("w1", "nobody at all", 1), failure(kNotOwner));
  EXPECT_FALSE(pool.worker("w1").seen);
  EXPECT_FALSE(pool.worker("w2").seen);
}

TEST(PoolQueue, SequencesGoOnAfterTheQueueWasEmpty) {
  NamedPool pool({"w1"});
  EXPECT_EQ(pool.ack("w1", "ann", 1), failure(kNotOwner)) << "nobody owns it yet";
  pool.push("ann", {"a", "b"});
  pool.pull("w1");
  EXPECT_EQ(pool.ack("w1", "ann", 2), number(2));
  const Recipients& recipients = pool.pool.recipients();
  EXPECT_EQ(recipients[recipients.find("ann")].queue, nullptr) << "an idle recipient has no queue";
  EXPECT_EQ(pool.ack("w1", "ann", 2), number(0));
  EXPECT_EQ(pool.ack("w1", "ann", 3), failure(kRange));
  pool.push("ann", {"c"});
  EXPECT_EQ(pool.pull("w1"), (Names{"ann 3 c"}));
}

TEST(PoolQueue, RoutedMessagesAndQueuedPayloadsAreCountedApart) {
  NamedPool pool({"w1"});
  pool.route("ann");
  pool.route("ann");
  pool.push("ann", {"a"});
  EXPECT_EQ(pool.pending("ann"), 3u);
  EXPECT_EQ(pool.done("w1", "ann", 3), failure(kRange)) << "the payload is to be acknowledged";
  EXPECT_EQ(pool.pending("ann"), 3u);
  EXPECT_EQ(pool.done("w1", "ann", 2), number(1));
  EXPECT_EQ(pool.done("w1", "ann", 1), failure(kRange));
  EXPECT_EQ(pool.done("w1", "ann", UINT64_MAX), failure(kRange));
  pool.pull("w1");
  EXPECT_EQ(pool.ack("w1", "ann", 1), number(1));
  EXPECT_EQ(pool.worker("w1").pending, 0u);
}

TEST(PoolQueue, DoneOfAnothersRecipientIsRefused) {
  NamedPool pool({"w1", "w2"});
  pool.route("ann");
  EXPECT_EQ(pool.done("w2", "ann"), failure(kNotOwner));
  EXPECT_EQ(pool.done("w1", "nobody at all"), failure(kNotOwner));
  EXPECT_EQ(pool.pending("ann"), 1u);
}

TEST(PoolQueue, AskingWhetherItMayBeDoneChangesNothing) {
  NamedPool pool({"w1", "w2"});
  pool.route("ann");
  pool.push("ann", {"a"});
  const WorkerId w1 = pool.id("w1"), w2 = pool.id("w2");
  EXPECT_TRUE(pool.pool.may_be_done(w1, "ann", 1));
  EXPECT_EQ(pool.pool.may_be_done(w1, "ann", 2).error().code, kRange);
  EXPECT_EQ(pool.pool.may_be_done(w2, "ann", 1).error().code, kNotOwner);
  EXPECT_EQ(pool.pool.may_be_acknowledged(w1, "ann", Offset(1)).error().code, kRange);
  EXPECT_EQ(pool.pool.may_be_acknowledged(w2, "ann", Offset(1)).error().code, kNotOwner);
  EXPECT_FALSE(pool.worker("w1").seen);
  pool.pull("w1");
  EXPECT_TRUE(pool.pool.may_be_acknowledged(w1, "ann", Offset(1)));
  EXPECT_EQ(pool.pending("ann"), 2u);
}

TEST(PoolQueue, AcknowledgedBlocksAreTheCallersToFree) {
  NamedPool pool({"w1"});
  const std::string payload(10'000, 'x');
  for (int i = 0; i < 6; ++i) pool.push("ann", {payload});
  pool.pull("w1");
  const uint64_t before = pool.pool.memory();
  EXPECT_GE(before, 60'000u);
  EXPECT_EQ(pool.ack("w1", "ann", 5), number(5));
  EXPECT_GE(pool.pool.memory(), 50'000u) << "they are still held";
  EXPECT_EQ(pool.pool.take_evicted().size(), 5u);
  EXPECT_LT(pool.pool.memory(), before - 40'000);
  EXPECT_TRUE(pool.pool.take_evicted().empty());
}

}  // namespace
}  // namespace millrace
