#include "engine/lock/lock_operations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/lock/lock_codec.h"
#include "engine/lock/lock_effects.h"

namespace millrace {
namespace {

class LockOperationsTest : public ::testing::Test {
 protected:
  Call at(uint64_t ms) const {
    Call call;
    call.now.wall = UnixMs(1'000'000 + ms);
    call.now.monotonic = MonotonicMs(ms);
    call.now.clock_id = 7;
    return call;
  }
  static AcquireRequest request(ByteView owner, uint64_t ttl = 100, LockMode mode = LockMode::exclusive()) {
    AcquireRequest wanted;
    wanted.owner = owner;
    wanted.ttl_ms = ttl;
    wanted.mode = mode;
    return wanted;
  }
  Outcome<AcquireAnswer> acquire(AcquireRequest wanted, const Call& call) { return locks.acquire(place, wanted, call); }
  Token take(ByteView owner, uint64_t now) { return acquire(request(owner), at(now)).answer->token; }

  static std::vector<std::string> told(const Consequences& follow) {
    std::vector<std::string> all;
    follow.effects.each([&] { all.emplace_back("the request"); },
                        [&](const Effect& effect) { all.emplace_back(effect.name == nullptr ? "changes" : "else"); });
    return all;
  }
  static std::vector<std::string> events(const Consequences& follow) {
    return {follow.events.begin(), follow.events.end()};
  }
  using Names = std::vector<std::string>;

  OwnPlace<Lock> place{"door"};
  LockOperations locks;
};

TEST_F(LockOperationsTest, AGrantHasALeaseATokenAndADate) {
  const auto done = acquire(request("ann"), at(5));
  ASSERT_TRUE(done.answer);
  EXPECT_TRUE(done.answer->is_granted());
  EXPECT_EQ(done.answer->token, Token(1'000'005'000));
  EXPECT_EQ(done.answer->ms, 100u);
  EXPECT_EQ(done.answer->holds, 1u);
  EXPECT_EQ(done.consequences.due_monotonic, MonotonicMs(106));
  EXPECT_EQ(told(done.consequences), Names{"changes"});
  EXPECT_EQ(events(done.consequences), Names{"lock.acquire"});
  EXPECT_EQ(locks.counters().grants, 1u);
  EXPECT_EQ(acquire(request("ann"), at(6)).answer->holds, 2u);
  EXPECT_EQ(locks.counters().reentries, 1u);
}

TEST_F(LockOperationsTest, ASecondHoldReturnsTheTimeLeftOfTheLongerLease) {
  take("ann", 0);
  const auto again = acquire(request("ann", 10), at(40));
  EXPECT_EQ(again.answer->ms, 60u);
  EXPECT_EQ(again.consequences.due_monotonic, MonotonicMs(101));
}

TEST_F(LockOperationsTest, TheNewLimitOfARequestIsReplicatedEvenIfTheRequestIsRefused) {
  acquire(request("ann", 100, LockMode::limit(2)), at(0));
  acquire(request("bob", 100, LockMode::limit(2)), at(0));
  const auto lowered = acquire(request("carl", 100, LockMode::limit(1)), at(1));
  EXPECT_FALSE(lowered.answer->is_granted());
  EXPECT_EQ(told(lowered.consequences), Names{"changes"});
  EXPECT_EQ(events(lowered.consequences), Names{"lock.limit"});
  EXPECT_EQ(lowered.consequences.wake.lines, Wake::Lines::None);
  EXPECT_EQ(place.get()->mode(), LockMode::limit(1));
  Call others = at(2);
  others.others_wait = true;
  const auto raised = acquire(request("carl", 100, LockMode::limit(4)), others);
  EXPECT_FALSE(raised.answer->is_granted()) << "nobody overtakes the line";
  EXPECT_EQ(raised.consequences.wake.lines, Wake::Lines::One) << "but those in it may have room now";
  AcquireRequest waited = request("dora", 100, LockMode::limit(1));
  waited.has_waited = true;
  const auto served = locks.acquire(place, waited, at(3));
  EXPECT_TRUE(served.answer->is_granted());
  EXPECT_EQ(place.get()->mode(), LockMode::limit(4)) << "one that waited came before";
}

TEST_F(LockOperationsTest, AWatchReturnsAGreaterTokenAndWaitsAtTheKnownOne) {
  EXPECT_EQ(LockOperations::watch(place, {}, at(0)).answer->token, Token(0));
  AcquireRequest wanted = request("ann");
  wanted.value = "10.0.0.7";
  const auto granted = acquire(wanted, at(0));
  const Token token = granted.answer->token;
  EXPECT_EQ(granted.consequences.wake.mark, token.value()) << "those with a smaller mark are tried again";
  const auto told_who = LockOperations::watch(place, {}, at(1));
  EXPECT_EQ(told_who.answer->owner, "ann");
  EXPECT_EQ(told_who.answer->token, token);
  EXPECT_EQ(told_who.answer->value, "10.0.0.7");
  Call call = at(2);
  call.may_wait = true;
  const auto waits = LockOperations::watch(place, {.token = token, .block_ms = 5}, call);
  ASSERT_TRUE(waits.consequences.wait);
  EXPECT_FALSE(waits.consequences.wait->line);
  EXPECT_EQ(waits.consequences.wait->mark, token.value());
  EXPECT_EQ(LockOperations::watch(place, {}, at(101)).answer->token, Token(0)) << "its lease is over";
}

TEST_F(LockOperationsTest, ARefusalSaysWhenTheLockMayBeFree) {
  take("ann", 0);
  const auto refused = acquire(request("bob"), at(40));
  EXPECT_FALSE(refused.answer->is_granted());
  EXPECT_EQ(refused.answer->ms, 60u);
  EXPECT_TRUE(refused.consequences.effects.empty());
  EXPECT_TRUE(refused.consequences.events.empty());
  EXPECT_EQ(LockOperations::refusal(nullptr, LockMode::exclusive(), MonotonicMs(0)).ms, 0u);
}

TEST_F(LockOperationsTest, ARequestThatMayWaitJoinsTheLine) {
  take("ann", 0);
  Call call = at(1);
  call.may_wait = true;
  const auto waits = acquire(request("bob"), call);
  ASSERT_TRUE(waits.consequences.wait);
  EXPECT_EQ(waits.consequences.wait->line, kLockLine);
}

TEST_F(LockOperationsTest, OnlyAHolderOvertakesTheLine) {
  const LockMode shared = LockMode::shared();
  acquire(request("ann", 100, shared), at(0));
  Call call = at(1);
  call.others_wait = true;
  EXPECT_FALSE(acquire(request("bob", 100, shared), call).answer->is_granted());
  EXPECT_TRUE(acquire(request("ann", 100, shared), call).answer->is_granted());
}

TEST_F(LockOperationsTest, ARequestOfAHolderInAnotherModeIsRefusedUnlessItWaitsAlready) {
  take("ann", 0);
  const auto refused = acquire(request("ann", 100, LockMode::shared()), at(1));
  ASSERT_FALSE(refused.answer);
  EXPECT_EQ(refused.answer.error().code, ErrorCode::Syntax);
  EXPECT_EQ(refused.answer.error().text, "'ann' holds this lock in another mode (exclusive): release it first");
  AcquireRequest waits = request("ann", 100, LockMode::shared());
  waits.has_waited = true;
  Call call = at(1);
  call.may_wait = true;
  EXPECT_TRUE(locks.acquire(place, waits, call).consequences.wait);
}

TEST_F(LockOperationsTest, AReleaseAloneIsReplicatedAsARequestAndEmptiesThePlace) {
  take("ann", 0);
  acquire(request("ann"), at(0));
  EXPECT_EQ(*locks.release(place, "ann", at(1)).answer, 1u);
  const auto done = locks.release(place, "ann", at(1));
  EXPECT_EQ(*done.answer, 0u);
  EXPECT_EQ(place.get(), nullptr);
  EXPECT_EQ(told(done.consequences), Names{"the request"});
  EXPECT_EQ(events(done.consequences), Names{"lock.release"});
  EXPECT_EQ(done.consequences.wake.lines, Wake::Lines::One);
  EXPECT_EQ(locks.counters().releases, 2u);
}

TEST_F(LockOperationsTest, AReleaseTogetherWithEndedLeasesIsReplicatedAsChanges) {
  const LockMode shared = LockMode::shared();
  acquire(request("ann", 10, shared), at(0));
  acquire(request("bob", 100, shared), at(0));
  const auto done = locks.release(place, "bob", at(50));
  EXPECT_EQ(told(done.consequences), Names{"changes"});
  EXPECT_EQ(events(done.consequences), (Names{"lock.expire", "lock.release"}));
  EXPECT_EQ(place.get(), nullptr);
}

TEST_F(LockOperationsTest, OnlyAHolderCanRelease) {
  take("ann", 0);
  const auto refused = locks.release(place, "bob", at(1));
  ASSERT_FALSE(refused.answer);
  EXPECT_EQ(refused.answer.error().code, ErrorCode::NotOwner);
  EXPECT_EQ(refused.answer.error().text, "'bob' does not hold the lock 'door'");
  EXPECT_TRUE(refused.consequences.effects.empty());
  EXPECT_FALSE(locks.release(place, "ann", at(101)).answer) << "its lease is over";
  EXPECT_EQ(place.get(), nullptr);
  EXPECT_EQ(locks.counters().expiries, 1u);
}

TEST_F(LockOperationsTest, ARenewalRaisesTheTokenOfAHolder) {
  const Token token = take("ann", 0);
  EXPECT_FALSE(*locks.renew(place, {"bob", 100, token + 50}, at(1)).answer);
  EXPECT_EQ(locks.tokens().last(), token);
  EXPECT_TRUE(*locks.renew(place, {"ann", 100, token + 50}, at(1)).answer);
  EXPECT_EQ(locks.tokens().last(), token + 50);
  const auto refused = locks.renew(place, {"ann", 100, kMaxToken}, at(1));
  ASSERT_FALSE(refused.answer);
  EXPECT_EQ(refused.answer.error().code, ErrorCode::Range);
  EXPECT_EQ(refused.answer.error().text, "the TOKEN is too far ahead of this server's clock");
}

TEST_F(LockOperationsTest, ABrokenLockIsFree) {
  EXPECT_FALSE(*locks.break_lock(place, at(0)).answer);
  take("ann", 0);
  const auto done = locks.break_lock(place, at(1));
  EXPECT_TRUE(*done.answer);
  EXPECT_EQ(place.get(), nullptr);
  EXPECT_EQ(told(done.consequences), Names{"the request"});
  EXPECT_EQ(done.consequences.due_monotonic, std::nullopt);
  take("ann", 2);
  EXPECT_FALSE(*locks.break_lock(place, at(200)).answer) << "its lease was over";
  EXPECT_EQ(locks.counters().breaks, 1u);
}

TEST_F(LockOperationsTest, BackgroundWorkEndsALeaseButNeverOnAReplica) {
  take("ann", 0);
  Call repeated = at(500);
  repeated.decides = false;
  EXPECT_TRUE(locks.look_after(place, repeated).effects.empty());
  EXPECT_NE(place.get(), nullptr);
  const Consequences follow = locks.look_after(place, at(101));
  EXPECT_EQ(told(follow), Names{"changes"});
  EXPECT_EQ(events(follow), Names{"lock.expire"});
  EXPECT_FALSE(follow.wake.is_nobody());
  EXPECT_EQ(place.get(), nullptr);
}

TEST_F(LockOperationsTest, ALostGrantIsTakenBackIfItIsStillHeld) {
  const Token token = take("ann", 0);
  EXPECT_TRUE(locks.take_back(place, {"ann", token + 1}, at(1)).effects.empty());
  EXPECT_NE(place.get(), nullptr);
  EXPECT_EQ(told(locks.take_back(place, {"ann", token}, at(1))), Names{"changes"});
  EXPECT_EQ(place.get(), nullptr);
}

TEST_F(LockOperationsTest, InvalidChangesCreateNoLockAndATokenFarAheadIsAcceptedOnlyFromAMaster) {
  const auto refused = locks.apply(place, "nonsense", at(0));
  ASSERT_FALSE(refused.answer);
  EXPECT_EQ(refused.answer.error().code, ErrorCode::Corrupt);
  EXPECT_EQ(place.get(), nullptr);
  Lock ahead;
  ahead.put("ann", LockMode::exclusive(), {kMaxToken, 1, Lease::from(at(0).now, 100)});
  const std::string changes = encode_lock(ahead, 7).front();
  EXPECT_FALSE(locks.apply(place, changes, at(0)).answer);
  Call repeated = at(0);
  repeated.decides = false;
  EXPECT_TRUE(locks.apply(place, changes, repeated).answer);
  EXPECT_EQ(locks.tokens().last(), kMaxToken);
}

}  // namespace
}  // namespace millrace
