#include "engine/lock/lock.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace millrace {
namespace {

constexpr LockMode kExclusive = LockMode::exclusive();
constexpr LockMode kShared = LockMode::shared();
using Admission = Lock::Admission;

Now at(uint64_t ms) {
  Now now;
  now.wall = UnixMs(1'000'000 + ms);
  now.monotonic = MonotonicMs(ms);
  now.clock_id = 7;
  return now;
}
Lease lease(uint64_t now, uint64_t ttl) { return Lease::from(at(now), ttl); }

TEST(Lock, ANewLockHasNoHolder) {
  const Lock lock;
  EXPECT_TRUE(lock.is_free());
  EXPECT_EQ(lock.find("ann"), nullptr);
  EXPECT_EQ(lock.check(), nullptr);
}

TEST(Lock, AnExclusiveLockIsHeldByOneOwner) {
  Lock lock;
  EXPECT_EQ(lock.admit("ann", kExclusive, false), Admission::Fresh);
  EXPECT_EQ(lock.grant("ann", kExclusive, lease(0, 10), Token(5)).holds, 1u);
  EXPECT_EQ(lock.admit("bob", kExclusive, false), Admission::Wait);
  EXPECT_EQ(lock.admit("bob", kShared, false), Admission::Wait);
  EXPECT_EQ(lock.admit("bob", LockMode::limit(9), false), Admission::Wait);
  EXPECT_EQ(lock.check(), nullptr);
}

TEST(Lock, TheSameOwnerIsGrantedItAgainWithItsTokenAndANewLease) {
  Lock lock;
  lock.grant("ann", kExclusive, lease(0, 10), Token(5));
  EXPECT_EQ(lock.admit("ann", kExclusive, true), Admission::Again) << "even if others wait";
  const Holding& again = lock.grant("ann", kExclusive, lease(4, 20), Token(6));
  EXPECT_EQ(again.holds, 2u);
  EXPECT_EQ(again.token, Token(5));
  EXPECT_EQ(again.lease.end, MonotonicMs(24));
  EXPECT_EQ(lock.release("ann"), 1u);
  EXPECT_EQ(lock.find("ann")->token, Token(5));
  EXPECT_EQ(lock.find("ann")->lease.end, MonotonicMs(24));
  EXPECT_EQ(lock.release("ann"), 0u);
  EXPECT_TRUE(lock.is_free());
  EXPECT_EQ(lock.release("ann"), std::nullopt);
  EXPECT_EQ(lock.check(), nullptr);
}

TEST(Lock, AHolderIsRefusedAnotherMode) {
  Lock lock;
  lock.grant("ann", kShared, lease(0, 10), Token(5));
  EXPECT_EQ(lock.admit("ann", kExclusive, false), Admission::OtherMode);
  EXPECT_EQ(lock.admit("ann", LockMode::limit(1), false), Admission::OtherMode);
}

TEST(Lock, SharedOwnersHoldItTogetherAndOtherModesWait) {
  Lock lock;
  for (const char* owner : {"ann", "bob", "carl"}) {
    EXPECT_EQ(lock.admit(owner, kShared, false), Admission::Fresh);
    lock.grant(owner, kShared, lease(0, 10), Token(5));
  }
  EXPECT_EQ(lock.holding(), 3u);
  EXPECT_EQ(lock.admit("dora", kExclusive, false), Admission::Wait);
  EXPECT_EQ(lock.admit("dora", LockMode::limit(9), false), Admission::Wait);
}

TEST(Lock, ANewRequestWaitsBehindThoseThatWaitAlready) {
  Lock lock;
  EXPECT_EQ(lock.admit("ann", kShared, true), Admission::Wait);
  lock.grant("bob", kShared, lease(0, 10), Token(5));
  EXPECT_EQ(lock.admit("ann", kShared, true), Admission::Wait);
  EXPECT_EQ(lock.admit("ann", kShared, false), Admission::Fresh);
}

TEST(Lock, ALimitedLockHasAsManyHoldersAsItsLimit) {
  Lock lock;
  const LockMode three = LockMode::limit(3);
  for (const char* owner : {"ann", "bob", "carl"}) lock.grant(owner, three, lease(0, 10), Token(5));
  EXPECT_EQ(lock.admit("dora", three, false), Admission::Wait);
  EXPECT_EQ(lock.admit("ann", three, false), Admission::Again) << "a permit held twice is one permit";
  lock.grant("ann", three, lease(0, 10), Token(6));
  lock.release("bob");
  EXPECT_EQ(lock.admit("dora", three, false), Admission::Fresh);
}

TEST(Lock, TheGreaterOfTwoLimitsAdmitsAndTheSetLimitStays) {
  Lock lock;
  lock.grant("ann", LockMode::limit(1), lease(0, 10), Token(5));
  EXPECT_EQ(lock.admit("bob", LockMode::limit(1), false), Admission::Wait);
  EXPECT_EQ(lock.admit("bob", LockMode::limit(2), false), Admission::Fresh);
  lock.set_limit(LockMode::limit(3));
  EXPECT_EQ(lock.admit("bob", LockMode::limit(1), false), Admission::Fresh) << "it came before the limit was raised";
  lock.grant("bob", LockMode::limit(1), lease(0, 10), Token(6));
  EXPECT_EQ(lock.mode(), LockMode::limit(3));
  lock.set_limit(LockMode::limit(1));
  EXPECT_EQ(lock.check(), nullptr) << "nobody loses what it holds";
  EXPECT_EQ(lock.admit("carl", LockMode::limit(1), false), Admission::Wait);
  EXPECT_EQ(lock.admit("ann", LockMode::limit(9), false), Admission::Again);
}

TEST(Lock, ASecondGrantHasTheLongerLease) {
  Lock lock;
  lock.grant("ann", kExclusive, lease(0, 1000), Token(5));
  EXPECT_EQ(lock.grant("ann", kExclusive, lease(10, 20), Token(6)).lease.end, MonotonicMs(1000));
  EXPECT_EQ(lock.find("ann")->lease.ttl_ms, 1000u);
  EXPECT_EQ(lock.grant("ann", kExclusive, lease(10, 2000), Token(6)).lease.end, MonotonicMs(2010));
}

// Compared with a simple model that looks at all holders.
TEST(Lock, TheNewestHolderIsFoundAfterAnyGrantsReleasesAndRenewals) {
  std::mt19937 random(11);
  Lock lock;
  for (uint64_t step = 0; step < 3000; ++step) {
    const std::string owner = "owner " + std::to_string(random() % 12);
    if (random() % 3 == 0) {
      lock.remove(owner);
    } else if (!lock.renew(owner, lease(step, random() % 9), Token(random() % 2 == 0 ? 2 * step + 1 : 0))) {
      lock.grant(owner, kShared, lease(step, random() % 9), Token(2 * step + 2));
    }
    ASSERT_EQ(lock.check(), nullptr);
    for (const uint64_t now : {step, step + 4, step + 20}) {
      const LockHolder* newest = nullptr;
      lock.each_holder([&](const LockHolder& holder) {
        if (holder.holding.lease.is_over(MonotonicMs(now))) return true;
        if (newest == nullptr || holder.holding.token > newest->holding.token) newest = &holder;
        return true;
      });
      ASSERT_EQ(lock.newest(MonotonicMs(now)), newest) << step;
    }
  }
}

TEST(Lock, AValueBelongsToAHolder) {
  Lock lock;
  lock.grant("ann", kShared, lease(0, 10), Token(5));
  lock.grant("bob", kShared, lease(0, 10), Token(6));
  const size_t before = lock.memory();
  lock.set_value("ann", "about ann");
  EXPECT_GT(lock.memory(), before);
  EXPECT_EQ(lock.value_of("ann"), "about ann");
  EXPECT_EQ(lock.value_of("bob"), "");
  EXPECT_EQ(lock.clone().value_of("ann"), "about ann");
  EXPECT_EQ(lock.newest(MonotonicMs(0))->owner(), "bob");
  EXPECT_EQ(lock.newest(MonotonicMs(11)), nullptr) << "their leases are over";
  lock.remove("ann");
  EXPECT_EQ(lock.value_of("ann"), "");
  EXPECT_EQ(lock.check(), nullptr);
}

TEST(Lock, ALeaseLastsExactlyItsWholeTime) {
  Lock lock;
  lock.grant("ann", kShared, lease(100, 10), Token(5));
  lock.grant("bob", kShared, lease(100, 20), Token(6));
  EXPECT_TRUE(lock.over(MonotonicMs(110), 9).empty());
  EXPECT_EQ(lock.over(MonotonicMs(111), 9), std::vector<std::string>{"ann"});
  EXPECT_EQ(lock.over(MonotonicMs(121), 9), (std::vector<std::string>{"ann", "bob"}));
  EXPECT_EQ(lock.over(MonotonicMs(121), 1), std::vector<std::string>{"ann"});
  EXPECT_EQ(lock.first_to_end().owner(), "ann");
  EXPECT_EQ(lock.count_over(MonotonicMs(110)), 0u);
  EXPECT_EQ(lock.count_over(MonotonicMs(111)), 1u);
  EXPECT_EQ(lock.count_over(MonotonicMs(121)), 2u);
}

TEST(Lock, ARenewedLeaseMayEndLaterOrEarlier) {
  Lock lock;
  lock.grant("ann", kShared, lease(0, 10), Token(5));
  lock.grant("bob", kShared, lease(0, 20), Token(6));
  EXPECT_TRUE(lock.renew("ann", lease(5, 100)));
  EXPECT_EQ(lock.first_to_end().owner(), "bob");
  EXPECT_TRUE(lock.renew("ann", lease(6, 1)));
  EXPECT_EQ(lock.first_to_end().owner(), "ann");
  EXPECT_EQ(lock.find("ann")->token, Token(5));
  EXPECT_FALSE(lock.renew("carl", lease(6, 1)));
  EXPECT_EQ(lock.check(), nullptr);
}

TEST(Lock, ARenewalRaisesTheTokenAndNeverLowersIt) {
  Lock lock;
  lock.grant("ann", kExclusive, lease(0, 10), Token(5));
  EXPECT_TRUE(lock.renew("ann", lease(5, 10), Token(9)));
  EXPECT_EQ(lock.find("ann")->token, Token(9));
  EXPECT_TRUE(lock.renew("ann", lease(6, 10), Token(7)));
  EXPECT_EQ(lock.find("ann")->token, Token(9));
  EXPECT_FALSE(lock.renew("bob", lease(6, 10), Token(20)));
  EXPECT_EQ(lock.grant("ann", kExclusive, lease(7, 10), Token(30)).token, Token(9)) << "held again, the same grant";
  EXPECT_EQ(lock.check(), nullptr);
}

TEST(Lock, ReturnsWhenThereMayBeRoom) {
  Lock lock;
  const LockMode two = LockMode::limit(2);
  EXPECT_EQ(lock.ms_until_room(two, MonotonicMs(0)), 0u);
  lock.grant("ann", two, lease(0, 10), Token(5));
  EXPECT_EQ(lock.ms_until_room(two, MonotonicMs(0)), 0u);
  lock.grant("bob", two, lease(0, 30), Token(6));
  EXPECT_EQ(lock.ms_until_room(two, MonotonicMs(4)), 7u) << "when the first of them goes";
  EXPECT_EQ(lock.ms_until_room(kShared, MonotonicMs(4)), 27u) << "when all have gone";
  EXPECT_EQ(lock.ms_until_room(kShared, MonotonicMs(99)), 0u);
  EXPECT_EQ(lock.ms_until_free(MonotonicMs(4)), 27u);
  EXPECT_EQ(Lock().ms_until_free(MonotonicMs(4)), 0u);
}

TEST(Lock, AnOwnerMayHaveAnyBytes) {
  Lock lock;
  const std::string odd("\0\xff\r\n", 4);
  lock.grant(odd, kShared, lease(0, 10), Token(5));
  lock.grant(std::string(1000, 'x'), kShared, lease(0, 10), Token(6));
  EXPECT_EQ(lock.release(odd), 0u);
  EXPECT_EQ(lock.check(), nullptr);
}

TEST(Lock, ACopyIsIndependent) {
  Lock lock;
  lock.grant("ann", kShared, lease(0, 10), Token(5));
  Lock copy = lock.clone();
  lock.release("ann");
  EXPECT_EQ(copy.find("ann")->token, Token(5));
  EXPECT_EQ(copy.check(), nullptr);
}

TEST(Lock, ItsMemoryDependsOnItsHolders) {
  Lock lock;
  const size_t empty = lock.memory();
  lock.grant("ann", kShared, lease(0, 10), Token(5));
  EXPECT_LE(lock.memory(), 24u + 48u) << "one holder with a short name";
  lock.grant(std::string(1000, 'x'), kShared, lease(0, 10), Token(5));
  EXPECT_GT(lock.memory(), 1200u);
  lock.release("ann");
  lock.release(std::string(1000, 'x'));
  EXPECT_EQ(lock.memory(), empty);
}

}  // namespace
}  // namespace millrace
