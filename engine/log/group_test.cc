// The rules of the specification for groups, as far as the engine implements them.
#include "engine/log/group.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/log/log.h"

namespace millrace {
namespace {

constexpr uint64_t kNoLimit = 1'000'000;
constexpr size_t kAll = SIZE_MAX;
constexpr Retry kRetry100{.retry_ms = 100, .expire_ms = 0};
constexpr Retry kRetry100Expire250{.retry_ms = 100, .expire_ms = 250};

using Offsets = std::vector<uint64_t>;

// A log with some messages and one group, which is read in the same steps as the module uses.
struct Scene {
  explicit Scene(int messages) {
    for (int i = 0; i < messages; ++i) log.append("t", "e");
    log.create_group("g", log.first());
  }
  ~Scene() { EXPECT_STREQ(log.check(), nullptr); }

  Group& group() { return *log.group("g"); }
  GivingUp give_up(uint64_t now) {
    GivingUp giving_up = group().give_up_due(UnixMs(now), kAll);
    group().apply(giving_up);
    return giving_up;
  }
  // Reads, and returns the offsets in the order of delivery.
  Offsets read(uint64_t count, uint64_t now, std::optional<Retry> retry = kRetry100,
               std::optional<ByteView> consumer = {}) {
    give_up(now);
    const Delivery delivery = group().plan(log.next(), count, UnixMs(now), retry, consumer, kNoLimit);
    group().apply(delivery);
    if (!retry) group().finish(delivery.again);
    Offsets offsets;
    for (const OffsetBits& part : delivery.again) {
      part.each([&](Offset offset) { offsets.push_back(offset.value()); });
    }
    for (uint64_t i = 0; i < delivery.fresh_count; ++i) offsets.push_back(delivery.fresh_first.value() + i);
    EXPECT_EQ(delivery.count(), offsets.size());
    EXPECT_EQ(delivery.empty(), offsets.empty());
    EXPECT_STREQ(log.check(), nullptr);
    return offsets;
  }
  uint64_t pending() { return group().pending().count(); }
  PendingTerms terms(uint64_t offset) {
    std::optional<PendingTerms> found;
    group().pending().each_from(Offset(offset), [&](const PendingPart& part) {
      part.messages.each([&](Offset each) {
        if (each == Offset(offset)) found = part.terms;
      });
      return false;
    });
    EXPECT_TRUE(found) << offset << " is not pending";
    return found.value_or(PendingTerms{});
  }

  Log log;
};

TEST(Group, EachMessageGoesToOneReader) {
  Scene scene(5);
  EXPECT_EQ(scene.read(2, 0), (Offsets{1, 2}));
  EXPECT_EQ(scene.read(2, 0), (Offsets{3, 4}));
  EXPECT_EQ(scene.read(2, 0), (Offsets{5}));
  EXPECT_EQ(scene.read(2, 0), Offsets{});
  EXPECT_EQ(scene.group().next(), Offset(6));
}

TEST(Group, APlanChangesNothing) {
  Scene scene(5);
  scene.read(2, 0);
  scene.give_up(100);
  for (int i = 0; i < 2; ++i) {
    const Delivery delivery = scene.group().plan(scene.log.next(), 3, UnixMs(100), kRetry100, "c", kNoLimit);
    EXPECT_EQ(delivery.count(), 3u);
    EXPECT_EQ(scene.pending(), 2u);
    EXPECT_EQ(scene.group().consumers().count(), 0u);
  }
}

TEST(Group, WithoutRetryADeliveredMessageIsFinished) {
  Scene scene(3);
  EXPECT_EQ(scene.read(2, 0, {}), (Offsets{1, 2}));
  EXPECT_EQ(scene.pending(), 0u);
  EXPECT_EQ(scene.group().next_event(), std::nullopt);
  EXPECT_EQ(scene.read(9, 1'000'000, {}), Offsets{3});
}

TEST(Group, WithRetryAMessageIsDeliveredAgainUntilItIsAcknowledged) {
  Scene scene(1);
  EXPECT_EQ(scene.read(1, 0), Offsets{1});
  EXPECT_EQ(scene.read(1, 99), Offsets{});
  EXPECT_EQ(scene.read(1, 100), Offsets{1});
  EXPECT_EQ(scene.terms(1).attempts, 2u);
  EXPECT_EQ(scene.read(1, 199), Offsets{});
  EXPECT_EQ(scene.read(1, 500), Offsets{1});
  EXPECT_EQ(scene.terms(1).attempts, 3u);
  EXPECT_EQ(scene.group().counters().redelivered, 2u);
  EXPECT_EQ(scene.group().acknowledge(Offset(1), Offset(1)), 1u);
  EXPECT_EQ(scene.group().acknowledge(Offset(1), Offset(1)), 0u);
  EXPECT_EQ(scene.read(1, 1'000'000), Offsets{});
}

TEST(Group, DueMessagesComeBeforeNewOnesAndTheOldestDeadlineFirst) {
  Scene scene(10);
  scene.read(2, 0, Retry{.retry_ms = 300, .expire_ms = 0});   // 1, 2 due at 300
  scene.read(2, 50, Retry{.retry_ms = 100, .expire_ms = 0});  // 3, 4 due at 150
  scene.read(2, 60, Retry{.retry_ms = 100, .expire_ms = 0});  // 5, 6 due at 160
  EXPECT_EQ(scene.read(6, 400), (Offsets{3, 4, 5, 7, 8, 9}));
  EXPECT_EQ(scene.read(9, 401), (Offsets{6, 1, 2, 10}));
}

TEST(Group, DueMessagesTakeAtMostHalfOfAReadWhileFreshOnesAreWaiting) {
  Scene scene(25);
  scene.read(10, 0);
  EXPECT_EQ(scene.read(10, 100), (Offsets{1, 2, 3, 4, 5, 11, 12, 13, 14, 15})) << "half and half";
  EXPECT_EQ(scene.read(3, 101), (Offsets{6, 16, 17})) << "not more than half";
  EXPECT_EQ(scene.read(8, 102), (Offsets{7, 8, 9, 10, 18, 19, 20, 21})) << "half and half";
  EXPECT_EQ(scene.read(12, 250).size(), 12u);
  EXPECT_EQ(scene.group().next(), Offset(26)) << "all four that were left, and due ones instead of more";
}

TEST(Group, ReadsOfOneMessageAlternateBetweenDueAndFreshOnes) {
  Scene scene(6);
  scene.read(3, 0);
  Offsets got;
  for (int i = 0; i < 7; ++i) {
    for (const uint64_t offset : scene.read(1, 100)) got.push_back(offset);
  }
  EXPECT_EQ(got, (Offsets{1, 4, 2, 5, 3, 6}));
}

TEST(Group, MessagesThatAlwaysFailDoNotStarveFreshOnes) {
  Scene scene(15);
  const Retry hasty{.retry_ms = 1, .expire_ms = 0};
  scene.read(10, 0, hasty);
  EXPECT_EQ(scene.read(10, 10, hasty), (Offsets{1, 2, 3, 4, 5, 11, 12, 13, 14, 15})) << "all five good ones at once";
}

TEST(Group, WaitingReadersGetEqualShares) {
  Scene scene(9);
  const auto share = [&](uint64_t count, uint64_t readers) {
    return scene.group().share(scene.log.next(), count, readers, true, kNoLimit);
  };
  EXPECT_EQ(share(10, 3), 3u);
  EXPECT_EQ(share(10, 2), 5u);
  EXPECT_EQ(share(10, 1), 10u) << "alone it may have all";
  EXPECT_EQ(share(2, 3), 2u) << "never more than it asks for";
  EXPECT_EQ(share(10, 100), 1u) << "never nothing";
  scene.read(6, 0);
  scene.give_up(100);
  EXPECT_EQ(share(10, 3), 3u) << "six due ones and three fresh ones";
  scene.group().set({.pending_max = 6, .max_attempts = 0, .dead_letter = ""});
  EXPECT_EQ(share(10, 3), 2u) << "there is no room for fresh ones";
}

TEST(Group, AtItsLimitDueMessagesTakeAllOfARead) {
  Scene scene(10);
  scene.group().set({.pending_max = 4, .max_attempts = 0, .dead_letter = ""});
  EXPECT_EQ(scene.read(4, 0), (Offsets{1, 2, 3, 4}));
  EXPECT_EQ(scene.read(4, 100), (Offsets{1, 2, 3, 4}));
}

TEST(Group, ARedeliveryStartsANewIntervalAndKeepsTheExpiry) {
  Scene scene(1);
  scene.read(1, 1000, kRetry100Expire250);
  EXPECT_EQ(scene.terms(1).expire_at, 1250u);
  EXPECT_EQ(scene.read(1, 1120, Retry{.retry_ms = 70, .expire_ms = 9999}), Offsets{1});
  EXPECT_EQ(scene.terms(1).retry_at, 1190u);
  EXPECT_EQ(scene.terms(1).retry_ms, 70u);
  EXPECT_EQ(scene.terms(1).expire_at, 1250u);
  EXPECT_EQ(scene.read(1, 1190), Offsets{1});
  EXPECT_EQ(scene.terms(1).retry_at, 1290u);
  EXPECT_EQ(scene.group().next_event(), UnixMs(1250));
  EXPECT_EQ(scene.read(1, 1250), Offsets{});
  EXPECT_EQ(scene.pending(), 0u);
  EXPECT_EQ(scene.group().counters().expired, 1u);
}

TEST(Group, AReadWithoutRetryFinishesTheDueMessagesItGets) {
  Scene scene(2);
  scene.read(1, 1000, kRetry100Expire250, "first");
  EXPECT_EQ(scene.read(2, 1150, {}, "second"), (Offsets{1, 2}));
  EXPECT_EQ(scene.pending(), 0u);
  EXPECT_EQ(scene.group().consumers().count(), 0u);
  EXPECT_EQ(scene.group().next_event(), std::nullopt);
  EXPECT_EQ(scene.group().counters().redelivered, 1u);
  EXPECT_EQ(scene.read(2, 1'000'000), Offsets{});
}

TEST(Group, ADeliveryEffectWithoutAFinishLeavesDueMessagesPendingAsInVersion1) {
  Scene scene(1);
  scene.read(1, 1000, kRetry100Expire250, "first");
  scene.give_up(1150);
  scene.group().apply(scene.group().plan(scene.log.next(), 2, UnixMs(1150), {}, "second", kNoLimit));
  EXPECT_EQ(scene.terms(1).retry_at, 1250u);
  EXPECT_EQ(scene.terms(1).retry_ms, 100u);
  EXPECT_EQ(scene.terms(1).expire_at, 1250u);
  EXPECT_EQ(scene.terms(1).attempts, 2u);
}

TEST(Group, ExpiredMessagesAreGivenUpAndCounted) {
  Scene scene(3);
  scene.read(3, 0, kRetry100Expire250);
  scene.group().acknowledge(Offset(2), Offset(2));
  EXPECT_EQ(scene.read(3, 249, Retry{.retry_ms = 100, .expire_ms = 0}), (Offsets{1, 3}));
  const GivingUp giving_up = scene.give_up(250);
  uint64_t given_up = 0;
  for (const GivingUp::Part& part : giving_up.parts) {
    EXPECT_TRUE(part.expired);
    EXPECT_EQ(part.attempts, 2u);
    given_up += part.messages.count();
  }
  EXPECT_EQ(given_up, 2u);
  EXPECT_EQ(scene.pending(), 0u);
  EXPECT_EQ(scene.group().counters().expired, 2u);
  EXPECT_EQ(scene.group().counters().exhausted, 0u);
}

TEST(Group, MessagesDueAfterTheLastAttemptAreGivenUpAndCounted) {
  Scene scene(1);
  scene.group().set({.pending_max = 0, .max_attempts = 2, .dead_letter = ""});
  scene.read(1, 0);
  EXPECT_EQ(scene.read(1, 100), Offsets{1});
  EXPECT_TRUE(scene.give_up(199).empty());
  const GivingUp giving_up = scene.give_up(200);
  ASSERT_EQ(giving_up.parts.size(), 1u);
  EXPECT_FALSE(giving_up.parts[0].expired);
  EXPECT_EQ(giving_up.parts[0].attempts, 2u);
  EXPECT_EQ(scene.pending(), 0u);
  EXPECT_EQ(scene.group().counters().exhausted, 1u);
  EXPECT_EQ(scene.group().counters().expired, 0u);
}

TEST(Group, ALowerLimitOfAttemptsAppliesToMessagesThatAreDueAlready) {
  Scene scene(2);
  scene.read(2, 0);
  scene.read(1, 100);  // 1 has had two
  EXPECT_TRUE(scene.give_up(200).empty());
  scene.group().set({.pending_max = 0, .max_attempts = 2, .dead_letter = ""});
  EXPECT_EQ(scene.group().next_event(), UnixMs(100));
  EXPECT_EQ(scene.read(2, 200), Offsets{2});
  EXPECT_EQ(scene.group().counters().exhausted, 1u);
}

TEST(Group, AtItsLimitAGroupGetsRedeliveriesOnly) {
  Scene scene(10);
  scene.group().set({.pending_max = 3, .max_attempts = 0, .dead_letter = ""});
  EXPECT_EQ(scene.read(2, 0), (Offsets{1, 2}));
  EXPECT_EQ(scene.read(5, 10), Offsets{3});
  EXPECT_EQ(scene.read(5, 10), Offsets{});
  EXPECT_EQ(scene.read(5, 100), (Offsets{1, 2}));
  EXPECT_EQ(scene.read(2, 101, {}), Offsets{}) << "not even to a reader without RETRY";
  scene.group().acknowledge(Offset(2), Offset(2));
  EXPECT_EQ(scene.read(2, 102, {}), (Offsets{4, 5})) << "what will not be pending takes no room";
  EXPECT_EQ(scene.read(5, 105), Offsets{6}) << "an acknowledgement makes room";
  scene.group().set({.pending_max = 1, .max_attempts = 0, .dead_letter = ""});
  EXPECT_EQ(scene.read(5, 106), Offsets{}) << "far beyond a limit that was lowered";
}

TEST(Group, WithoutItsOwnLimitTheHostsLimitApplies) {
  Scene scene(10);
  const auto fresh = [&](uint64_t default_max) {
    return scene.group().plan(scene.log.next(), 100, UnixMs(0), kRetry100, {}, default_max).fresh_count;
  };
  EXPECT_EQ(fresh(4), 4u);
  EXPECT_EQ(fresh(kNoLimit), 10u);
  scene.group().set({.pending_max = 7, .max_attempts = 0, .dead_letter = ""});
  EXPECT_EQ(fresh(4), 7u);
}

TEST(Group, EvictedMessagesLeavePendingAndCountAsLost) {
  Scene scene(10);
  scene.read(4, 0, kRetry100, "c");
  scene.group().acknowledge(Offset(2), Offset(2));
  scene.log.evict_before(Offset(4));
  EXPECT_EQ(scene.pending(), 1u);
  EXPECT_EQ(scene.group().counters().lost, 2u) << "1 and 3 were pending, 2 was done";
  EXPECT_EQ(scene.group().next(), Offset(5));
  scene.log.evict_before(Offset(8));
  EXPECT_EQ(scene.pending(), 0u);
  EXPECT_EQ(scene.group().counters().lost, 6u) << "4 was pending, 5 to 7 were never delivered";
  EXPECT_EQ(scene.read(9, 0), (Offsets{8, 9, 10}));
}

TEST(Group, LagCountsExistingMessagesThatWereNotDelivered) {
  Scene scene(10);
  const auto lag = [&] { return scene.group().lag(scene.log.next()); };
  EXPECT_EQ(lag(), 10u);
  scene.read(3, 0);
  EXPECT_EQ(lag(), 7u);
  scene.group().acknowledge(Offset(1), Offset(3));
  EXPECT_EQ(lag(), 7u);
  scene.log.append("t", "e");
  EXPECT_EQ(lag(), 8u);
  scene.log.evict_before(Offset(6));
  EXPECT_EQ(lag(), 6u);
  scene.group().seek(Offset(10));
  EXPECT_EQ(lag(), 2u);
  scene.log.evict_before(scene.log.next());
  EXPECT_EQ(lag(), 0u);
}

TEST(Group, AGivenBackMessageIsDueAtOnceAndKeepsItsAttempts) {
  Scene scene(3);
  scene.read(3, 1000, kRetry100Expire250, "c");
  EXPECT_EQ(scene.group().give_back(Offset(2), Offset(2), UnixMs(1010)), 1u);
  EXPECT_EQ(scene.pending(), 3u);
  EXPECT_EQ(scene.terms(2).attempts, 1u);
  EXPECT_EQ(scene.terms(2).expire_at, 1250u);
  EXPECT_EQ(scene.terms(2).retry_ms, 100u);
  EXPECT_EQ(scene.read(9, 1010), Offsets{2});
  EXPECT_EQ(scene.terms(2).attempts, 2u);
  EXPECT_EQ(scene.group().give_back(Offset(4), Offset(9), UnixMs(1010)), 0u) << "not pending";
}

TEST(Group, GivingBackUncountedSubtractsTheAttempt) {
  Scene scene(1);
  scene.group().set({.pending_max = 0, .max_attempts = 2, .dead_letter = ""});
  for (uint64_t now : {1000U, 1010U, 1020U, 1030U}) {
    EXPECT_EQ(scene.read(1, now, kRetry100, "c"), Offsets{1});
    EXPECT_EQ(scene.terms(1).attempts, 1u);
    scene.group().give_back(Offset(1), Offset(1), UnixMs(now), {.releases = true, .is_uncounted = true});
    EXPECT_EQ(scene.terms(1).attempts, 0u);
    EXPECT_EQ(scene.terms(1).consumer, ConsumerId::none());
    EXPECT_EQ(scene.group().consumers().count(), 0u);
  }
  scene.group().give_back(Offset(1), Offset(1), UnixMs(1040), {.is_uncounted = true});
  EXPECT_EQ(scene.terms(1).attempts, 0u) << "there is none to take back";
}

TEST(Group, MessagesOfAConsumerAreFoundByItsName) {
  Scene scene(200);
  scene.read(70, 0, kRetry100, "ann");
  scene.read(70, 0, kRetry100, "bob");
  scene.read(10, 0, kRetry100, "ann");
  scene.group().acknowledge(Offset(5), Offset(60));
  const auto count = [](const std::vector<PendingPart>& parts) {
    uint64_t sum = 0;
    for (const PendingPart& part : parts) sum += part.messages.count();
    return sum;
  };
  const auto pending = [&](uint64_t from, uint64_t to, std::optional<ByteView> consumer, PendingSearch search = {}) {
    return count(scene.group().pending_in(Offset(from), Offset(to), consumer, search));
  };
  EXPECT_EQ(pending(1, 200, "ann"), 24u);
  EXPECT_EQ(pending(4, 61, "ann"), 2u);
  EXPECT_EQ(pending(60, 80, {}), 20u);
  EXPECT_EQ(pending(1, 200, "carol"), 0u);
  EXPECT_EQ(pending(1, 200, "ann", {.looks = SIZE_MAX, .parts = 1}), 8u) << "of the first range";
  EXPECT_EQ(pending(1, 200, "ann", {.looks = 3, .parts = SIZE_MAX}), 14u) << "of the first two, which are hers";
  EXPECT_EQ(count(scene.group().held_by("ann", Offset(1), 1000, kAll)), 24u);
  EXPECT_EQ(count(scene.group().held_by("ann", Offset(1), 9, kAll)), 9u);
  EXPECT_EQ(count(scene.group().held_by("ann", Offset(70), 1000, kAll)), 11u);
  EXPECT_EQ(count(scene.group().held_by("ann", Offset(1), 1000, 1)), 8u) << "of the first range";
}

TEST(Group, ARepetitionStartsANewIntervalAndCountsNoAttempt) {
  Scene scene(3);
  scene.read(3, 1000, kRetry100Expire250, "ann");
  scene.give_up(1150);
  scene.group().repeat({{Offset(1), 0b11}}, UnixMs(1150), 70);
  EXPECT_EQ(scene.terms(1).retry_at, 1220u);
  EXPECT_EQ(scene.terms(1).retry_ms, 70u);
  EXPECT_EQ(scene.terms(1).expire_at, 1250u);
  EXPECT_EQ(scene.terms(1).attempts, 1u);
  EXPECT_EQ(scene.group().consumers().name(scene.terms(1).consumer), "ann");
  EXPECT_EQ(scene.group().counters().redelivered, 0u);
  EXPECT_EQ(scene.read(9, 1219), Offsets{3});
}

TEST(Group, AMessageCanBeGivenBackWithADelay) {
  Scene scene(2);
  scene.read(2, 0);
  scene.give_up(100);  // both are due
  EXPECT_EQ(scene.group().give_back(Offset(1), Offset(1), UnixMs(500)), 1u);
  EXPECT_EQ(scene.read(9, 499), Offsets{2});
  EXPECT_EQ(scene.read(9, 500), Offsets{1});
}

TEST(Group, AMessageGivenBackAfterItsLastAttemptIsGivenUp) {
  Scene scene(1);
  scene.group().set({.pending_max = 0, .max_attempts = 1, .dead_letter = ""});
  scene.read(1, 0);
  scene.group().give_back(Offset(1), Offset(1), UnixMs(10));
  EXPECT_EQ(scene.read(1, 10), Offsets{});
  EXPECT_EQ(scene.group().counters().exhausted, 1u);
}

TEST(Group, AMessageThatCannotBeGivenUpNowIsPostponedWithItsExpiry) {
  Scene scene(2);
  scene.read(2, 0, kRetry100Expire250);
  ASSERT_EQ(scene.group().give_up_due(UnixMs(250), kAll).parts.size(), 1u);
  EXPECT_EQ(scene.group().give_back(Offset(1), Offset(2), UnixMs(60'250), {.postpones_expiry = true}), 2u);
  EXPECT_EQ(scene.terms(1).expire_at, 60'250u);
  EXPECT_TRUE(scene.give_up(60'249).empty());
  EXPECT_EQ(scene.give_up(60'250).parts.size(), 1u);
  EXPECT_EQ(scene.group().counters().expired, 2u);
}

TEST(Group, SeekingForgetsPendingMessages) {
  Scene scene(5);
  scene.read(3, 0, kRetry100, "c");
  scene.group().seek(Offset(2));
  EXPECT_EQ(scene.pending(), 0u);
  EXPECT_EQ(scene.group().consumers().count(), 0u);
  EXPECT_EQ(scene.group().next_event(), std::nullopt);
  EXPECT_EQ(scene.group().counters().lost, 0u);
  EXPECT_EQ(scene.read(9, 1000), (Offsets{2, 3, 4, 5}));
  EXPECT_EQ(scene.terms(2).attempts, 1u);
}

TEST(Group, AConsumerIsForgottenWithItsLastMessage) {
  Scene scene(6);
  scene.read(2, 0, kRetry100, "alice");
  scene.read(2, 0, kRetry100, "bob");
  scene.read(1, 0, kRetry100);
  EXPECT_EQ(scene.group().consumers().count(), 2u);
  EXPECT_EQ(scene.group().consumers().name(scene.terms(3).consumer), "bob");
  EXPECT_EQ(scene.terms(5).consumer, ConsumerId::none());
  scene.group().acknowledge(Offset(1), Offset(3));
  EXPECT_EQ(scene.group().consumers().count(), 1u);
  EXPECT_EQ(scene.read(1, 100, kRetry100, "carol"), Offsets{4});
  EXPECT_EQ(scene.group().consumers().count(), 1u);
  EXPECT_EQ(scene.group().consumers().name(scene.terms(4).consumer), "carol");
  scene.log.evict_before(Offset(5));
  EXPECT_EQ(scene.group().consumers().count(), 0u);
}

TEST(Group, TheNumberOfAttemptsStopsAtItsMaximum) {
  Scene scene(1);
  scene.group().restore_pending({Offset(1), 1}, {.retry_at = 5, .retry_ms = 1, .attempts = kMaxAttempts}, {});
  scene.group().seek(Offset(2));
  scene.group().restore_pending({Offset(1), 1}, {.retry_at = 5, .retry_ms = 1, .attempts = kMaxAttempts}, {});
  EXPECT_EQ(scene.read(1, 10), Offsets{1});
  EXPECT_EQ(scene.terms(1).attempts, kMaxAttempts);
}

TEST(Group, DatesStopAtTheirMaximum) {
  Scene scene(1);
  scene.read(1, kMaxPendingDate - 5, Retry{.retry_ms = UINT32_MAX, .expire_ms = uint64_t{1} << 47});
  EXPECT_EQ(scene.terms(1).retry_at, kMaxPendingDate);
  EXPECT_EQ(scene.terms(1).expire_at, kMaxPendingDate);
  scene.group().give_back(Offset(1), Offset(1), UnixMs(UINT64_MAX));
  EXPECT_EQ(scene.terms(1).retry_at, kMaxPendingDate);
}

TEST(Group, AReadOfThousandsIsCutIntoRangesOf64) {
  Scene scene(1000);
  EXPECT_EQ(scene.read(1000, 0).size(), 1000u);
  EXPECT_EQ(scene.group().pending().range_count(), 16u);
  EXPECT_EQ(scene.read(1000, 100).size(), 1000u);
  EXPECT_EQ(scene.pending(), 1000u);
  EXPECT_EQ(scene.group().acknowledge(Offset(1), kMaxOffset), 1000u);
}

}  // namespace
}  // namespace millrace
