#include "engine/lock/lock_codec.h"

#include <gtest/gtest.h>

#include "engine/base/varint.h"

namespace millrace {
namespace {

constexpr uint64_t kClock = 7;
constexpr LockMode kShared = LockMode::shared();

Now at(uint64_t ms) {
  Now now;
  now.wall = UnixMs(1'000'000 + ms);
  now.monotonic = MonotonicMs(ms);
  now.clock_id = kClock;
  return now;
}
Holding holding(uint64_t token, uint64_t now = 0, uint64_t ttl = 100, uint64_t holds = 1) {
  return {Token(token), holds, Lease::from(at(now), ttl)};
}

std::string numbers(std::initializer_list<uint64_t> list) {
  std::string bytes;
  for (uint64_t number : list) append_varint(bytes, number);
  return bytes;
}

const char* reason_of(Lock& lock, ByteView bytes) {
  static std::string reason;
  Token greatest;
  const auto applied = apply_changes(lock, bytes, at(0), kMaxToken, greatest);
  EXPECT_FALSE(applied) << "it was accepted";
  EXPECT_EQ(greatest, Token(0));
  EXPECT_EQ(lock.check(), nullptr);
  reason = applied ? "" : applied.error().text;
  return reason.c_str();
}

TEST(LockCodec, ARestoredLockEqualsTheSavedOne) {
  Lock lock;
  lock.put("ann", kShared, holding(5, 3, 200, 4));
  lock.put(std::string("\0\xff", 2), kShared, holding(9));
  lock.set_value("ann", "10.0.0.7");
  const auto parts = encode_lock(lock, kClock);
  ASSERT_EQ(parts.size(), 1u);
  Lock again;
  Token greatest(6);
  ASSERT_TRUE(apply_changes(again, parts[0], at(50), kMaxToken, greatest));
  EXPECT_EQ(greatest, Token(9));
  EXPECT_EQ(again.mode(), kShared);
  EXPECT_EQ(again.holding(), 2u);
  EXPECT_EQ(again.find("ann")->holds, 4u);
  EXPECT_EQ(again.find("ann")->token, Token(5));
  EXPECT_EQ(again.find("ann")->lease.end, MonotonicMs(203));
  EXPECT_EQ(again.find("ann")->lease.ttl_ms, 200u);
  EXPECT_EQ(again.value_of("ann"), "10.0.0.7");
  EXPECT_EQ(encode_lock(again, kClock), parts);
}

TEST(LockCodec, ALockOfVersion1HasNoValues) {
  Lock lock;
  Token greatest;
  ASSERT_TRUE(apply_changes(lock, numbers({1, 3, 2, 7, 1, 1, 'a', 5, 1, 100, 9, 9, 1, 1, 'b', 6, 1, 100, 9, 9}), at(0),
                            kMaxToken, greatest));
  EXPECT_EQ(lock.holding(), 2u);
  EXPECT_EQ(lock.value_of("a"), "");
}

TEST(LockCodec, AChangeOfTheLimitIsASeparateEffect) {
  Lock lock;
  lock.put("ann", LockMode::limit(3), holding(5));
  LockChanges none(kClock);
  Token greatest;
  ASSERT_TRUE(apply_changes(lock, none.take_bytes(LockMode::limit(2)), at(0), kMaxToken, greatest));
  EXPECT_EQ(lock.mode(), LockMode::limit(2));
  EXPECT_STREQ(reason_of(lock, none.take_bytes(kShared)), "a lock held in two modes");
}

TEST(LockCodec, EachModeIsRestored) {
  for (const LockMode mode :
       {LockMode::exclusive(), LockMode::shared(), LockMode::limit(1), LockMode::limit(kMaxPermits)}) {
    Lock lock;
    lock.put("ann", mode, holding(5));
    Lock again;
    Token greatest;
    ASSERT_TRUE(apply_changes(again, encode_lock(lock, kClock)[0], at(0), kMaxToken, greatest));
    EXPECT_EQ(again.mode(), mode);
  }
}

TEST(LockCodec, ManyHoldersAreEncodedAsSeveralPartsThatAreEachValidAlone) {
  Lock lock;
  for (uint64_t i = 1; i <= 2500; ++i) lock.put("owner " + std::to_string(i), kShared, holding(i));
  const auto parts = encode_lock(lock, kClock);
  ASSERT_EQ(parts.size(), 3u);
  Lock again;
  Token greatest;
  for (const std::string& part : parts) ASSERT_TRUE(apply_changes(again, part, at(0), kMaxToken, greatest));
  EXPECT_EQ(again.holding(), 2500u);
  EXPECT_EQ(encode_lock(again, kClock), parts);
}

TEST(LockCodec, AReleaseAndTheNextGrantAreOneEffect) {
  Lock lock;
  lock.put("ann", LockMode::exclusive(), holding(5));
  LockChanges changes(kClock);
  changes.has_no_longer("ann", Token(5));
  changes.has("bob", holding(6), {});
  changes.has("carl", holding(7), {});
  Token greatest;
  ASSERT_TRUE(apply_changes(lock, changes.take_bytes(kShared), at(0), kMaxToken, greatest));
  EXPECT_EQ(lock.find("ann"), nullptr);
  EXPECT_EQ(lock.holding(), 2u);
  EXPECT_EQ(lock.mode(), kShared);
  EXPECT_EQ(lock.check(), nullptr);
}

TEST(LockCodec, AnEffectThatRemovesTheLastHolderLeavesTheLockFree) {
  Lock lock;
  lock.put("ann", LockMode::exclusive(), holding(5));
  LockChanges changes(kClock);
  changes.has_no_longer("ann", Token(5));
  Token greatest;
  ASSERT_TRUE(apply_changes(lock, changes.take_bytes(LockMode::exclusive()), at(0), kMaxToken, greatest));
  EXPECT_TRUE(lock.is_free());
}

TEST(LockCodec, OnAnotherMachineTheDateDecidesWhatIsLeft) {
  Lock lock;
  lock.put("ann", LockMode::exclusive(), holding(5, 0, 100));
  Token greatest;
  Lock there;
  Now now;
  now.wall = UnixMs(1'000'040);
  now.monotonic = MonotonicMs(9'000'000);
  now.clock_id = 99;
  ASSERT_TRUE(apply_changes(there, encode_lock(lock, kClock)[0], now, kMaxToken, greatest));
  EXPECT_EQ(there.find("ann")->lease.left(now.monotonic), 60u);
}

TEST(LockCodec, AnImpossibleChangeIsRefusedAndChangesNothing) {
  Lock lock;
  lock.put("ann", LockMode::exclusive(), holding(5));
  const auto bytes = [](LockMode mode, auto... make) {
    LockChanges changes(kClock);
    (make(changes), ...);
    return std::string(changes.take_bytes(mode));
  };
  const auto bob = [](LockChanges& changes) { changes.has("bob", holding(6), {}); };
  const auto ann_goes = [](LockChanges& changes) { changes.has_no_longer("ann", Token(5)); };
  const auto bob_goes = [](LockChanges& changes) { changes.has_no_longer("bob", Token(6)); };
  const auto other_ann_goes = [](LockChanges& changes) { changes.has_no_longer("ann", Token(4)); };
  const LockMode exclusive = LockMode::exclusive();
  EXPECT_STREQ(reason_of(lock, bytes(exclusive, bob)), "a lock held by too many");
  EXPECT_STREQ(reason_of(lock, bytes(kShared, bob)), "a lock held in two modes");
  EXPECT_STREQ(reason_of(lock, bytes(kShared, bob, ann_goes)), "a lock held in two modes");
  EXPECT_STREQ(reason_of(lock, bytes(exclusive, bob_goes)), "a lock taken from an owner that does not hold it");
  EXPECT_STREQ(reason_of(lock, bytes(exclusive, other_ann_goes)), "a lock taken from an owner that does not hold it");
  EXPECT_STREQ(reason_of(lock, bytes(exclusive, ann_goes, ann_goes)),
               "a lock taken from an owner that does not hold it");
  EXPECT_EQ(lock.find("ann")->token, Token(5));
}

TEST(LockCodec, ATokenAboveTheCallersLimitIsRefused) {
  Lock lock, again;
  lock.put("ann", kShared, holding(5));
  lock.put("bob", kShared, holding(9));
  Token greatest;
  const auto refused = apply_changes(again, encode_lock(lock, kClock)[0], at(0), Token(8), greatest);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "a token far ahead of this server's clock");
  EXPECT_TRUE(again.is_free());
  EXPECT_TRUE(apply_changes(again, encode_lock(lock, kClock)[0], at(0), Token(9), greatest));
}

TEST(LockCodec, ImpossibleNumbersAreRefused) {
  constexpr uint64_t kTooMuch = uint64_t{1} << 63;
  const struct {
    const char* name;
    std::string bytes;
    const char* reason;
  } rows[] = {
      {"nothing", "", "a lock of a version this module does not know"},
      {"a version to come", numbers({3, 1, 1, 7, 1, 1, 'a', 5, 1, 100, 9, 9}),
       "a lock of a version this module does not know"},
      {"no mode", numbers({1, 0, 1, 7, 1, 1, 'a', 5, 1, 100, 9, 9}), "a lock in an impossible mode"},
      {"exclusive for two", numbers({1, 1, 2, 7, 1, 1, 'a', 5, 1, 100, 9, 9}), "a lock in an impossible mode"},
      {"shared by five", numbers({1, 2, 5, 7, 1, 1, 'a', 5, 1, 100, 9, 9}), "a lock in an impossible mode"},
      {"a limit of none", numbers({1, 3, 0, 7, 1, 1, 'a', 5, 1, 100, 9, 9}), "a lock in an impossible mode"},
      {"a huge limit", numbers({1, 3, kMaxPermits + 1, 7, 1, 1, 'a', 5, 1, 100, 9, 9}), "a lock in an impossible mode"},
      {"no change", numbers({1, 1, 1, 7}), "a limit of a lock without a holder"},
      {"a value that is too long",
       numbers({2, 1, 1, 7, 1, 1, 'a', 5, 1, 100, 9, 9, kMaxLockValue + 1}) + std::string(kMaxLockValue + 1, 'x'),
       "an impossible value"},
      {"no value", numbers({2, 1, 1, 7, 1, 1, 'a', 5, 1, 100, 9, 9}), "a lock of the wrong length"},
      {"cut short", numbers({1, 1, 1, 7, 1, 1, 'a', 5, 1, 100, 9}), "a lock of the wrong length"},
      {"too long", numbers({1, 1, 1, 7, 0, 1, 'a', 5, 9}), "an impossible owner"},
      {"an unknown kind", numbers({1, 1, 1, 7, 2, 1, 'a', 5, 1, 100, 9, 9}), "an impossible owner"},
      {"no owner", numbers({1, 1, 1, 7, 1, 0, 5, 1, 100, 9, 9}), "an impossible owner"},
      {"no token", numbers({1, 1, 1, 7, 1, 1, 'a', 0, 1, 100, 9, 9}), "an impossible token"},
      {"a huge token", numbers({1, 1, 1, 7, 1, 1, 'a', kMaxToken.value() + 1, 1, 100, 9, 9}), "an impossible token"},
      {"no hold", numbers({1, 1, 1, 7, 1, 1, 'a', 5, 0, 100, 9, 9}), "an impossible lease"},
      {"no time", numbers({1, 1, 1, 7, 1, 1, 'a', 5, 1, 0, 9, 9}), "an impossible lease"},
      {"for ever", numbers({1, 1, 1, 7, 1, 1, 'a', 5, 1, kMaxLeaseMs + 1, 9, 9}), "an impossible lease"},
      {"a date too late", numbers({1, 1, 1, 7, 1, 1, 'a', 5, 1, 100, kTooMuch, 9}), "an impossible lease"},
      {"an end too late", numbers({1, 1, 1, 7, 1, 1, 'a', 5, 1, 100, 9, kTooMuch}), "an impossible lease"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Lock lock;
    EXPECT_STREQ(reason_of(lock, row.bytes), row.reason);
    EXPECT_TRUE(lock.is_free());
  }
  Lock lock;
  const std::string long_owner(kMaxOwner + 1, 'x');
  LockChanges changes(kClock);
  changes.has(long_owner, holding(5), {});
  EXPECT_STREQ(reason_of(lock, changes.take_bytes(LockMode::exclusive())), "an impossible owner");
}

}  // namespace
}  // namespace millrace
