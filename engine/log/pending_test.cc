#include "engine/log/pending.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

constexpr size_t kAll = SIZE_MAX;

// [first, first + count), up to 64.
OffsetBits run(uint64_t first, uint64_t count) { return {Offset(first), ~uint64_t{0} >> (64 - count)}; }
PendingTerms due_at(uint64_t date) { return {.retry_at = date, .retry_ms = 100}; }
PendingTerms due_and_over(uint64_t date, uint64_t expire_at) {
  return {.retry_at = date, .expire_at = expire_at, .retry_ms = 100};
}

std::vector<uint64_t> offsets_of(const PendingPart& part) {
  std::vector<uint64_t> offsets;
  part.messages.each([&](Offset offset) { offsets.push_back(offset.value()); });
  return offsets;
}
std::vector<uint64_t> offsets_of(const std::vector<PendingPart>& parts) {
  std::vector<uint64_t> all;
  for (const PendingPart& part : parts) {
    for (uint64_t offset : offsets_of(part)) all.push_back(offset);
  }
  return all;
}
std::vector<uint64_t> all_of(const Pending& pending) {
  EXPECT_STREQ(pending.check(), nullptr);
  std::vector<PendingPart> parts;
  pending.each_from(Offset(0), [&](const PendingPart& part) {
    parts.push_back(part);
    return true;
  });
  std::vector<uint64_t> offsets = offsets_of(parts);
  EXPECT_EQ(pending.count(), offsets.size());
  EXPECT_EQ(pending.empty(), offsets.empty());
  if (!offsets.empty()) {
    EXPECT_EQ(pending.first(), Offset(offsets.front()));
    EXPECT_EQ(pending.end(), Offset(offsets.back() + 1));
  }
  return offsets;
}
using Offsets = std::vector<uint64_t>;

std::vector<PendingPart> removed(Pending& pending, uint64_t from, uint64_t to) {
  std::vector<PendingPart> parts;
  const uint64_t count =
      pending.remove(Offset(from), Offset(to), [&](const PendingPart& part) { parts.push_back(part); });
  EXPECT_EQ(count, offsets_of(parts).size());
  return parts;
}
std::vector<PendingPart> extracted(Pending& pending, uint64_t from, uint64_t to) {
  std::vector<PendingPart> parts;
  const uint64_t count =
      pending.extract(Offset(from), Offset(to), [&](const PendingPart& part) { parts.push_back(part); });
  EXPECT_EQ(count, offsets_of(parts).size());
  return parts;
}
// Lets time pass to `now`; nothing is given up.
void advance(Pending& pending, uint64_t now) { EXPECT_TRUE(pending.advance(UnixMs(now), 0, kAll).empty()); }

TEST(Pending, IsEmptyAtFirst) {
  Pending pending;
  EXPECT_EQ(all_of(pending), Offsets{});
  EXPECT_EQ(pending.next_event(), std::nullopt);
  EXPECT_FALSE(pending.has_due());
  EXPECT_TRUE(pending.due(10).empty());
  EXPECT_TRUE(removed(pending, 0, UINT64_MAX).empty());
  advance(pending, kMaxPendingDate);
}

TEST(Pending, MessagesDeliveredTogetherAreOneRange) {
  Pending pending;
  pending.add(run(101, 10), due_at(1000));
  EXPECT_EQ(all_of(pending), (Offsets{101, 102, 103, 104, 105, 106, 107, 108, 109, 110}));
  EXPECT_EQ(pending.range_count(), 1u);
  EXPECT_EQ(removed(pending, 103, 105).size(), 1u);
  EXPECT_EQ(all_of(pending), (Offsets{101, 102, 105, 106, 107, 108, 109, 110}));
  EXPECT_EQ(pending.range_count(), 1u) << "acknowledging clears bits";
}

TEST(Pending, RemovesExactlyTheMessagesInTheRange) {
  for (uint64_t from = 99; from <= 166; ++from) {
    for (uint64_t to = from; to <= 230; to += 3) {
      Pending pending;
      pending.add(run(101, 64), due_at(1000));
      pending.add(run(165, 50), due_at(2000));
      Offsets taken, left;
      for (uint64_t offset = 101; offset < 215; ++offset) {
        (offset >= from && offset < to ? taken : left).push_back(offset);
      }
      SCOPED_TRACE(::testing::Message() << from << " to " << to);
      ASSERT_EQ(offsets_of(removed(pending, from, to)), taken);
      ASSERT_EQ(all_of(pending), left);
      ASSERT_TRUE(removed(pending, from, to).empty()) << "twice";
    }
  }
}

TEST(Pending, RemovedMessagesAreReportedWithTheirTerms) {
  Pending pending;
  const PendingTerms terms{.retry_at = kMaxPendingDate,
                           .expire_at = kNeverExpires,
                           .retry_ms = UINT32_MAX,
                           .attempts = 65535,
                           .consumer = ConsumerId(7)};
  pending.add(run(1, 2), terms);
  pending.add(run(INT64_MAX - 1, 2), due_and_over(0, kMaxPendingDate));
  EXPECT_EQ(removed(pending, 2, 3).at(0).terms, terms);
  EXPECT_EQ(removed(pending, 3, uint64_t{1} << 63).at(0).terms, due_and_over(0, kMaxPendingDate));
  EXPECT_EQ(all_of(pending), Offsets{1});
}

TEST(Pending, ExtractingFromTheMiddleCutsTheRange) {
  Pending pending;
  pending.add(run(101, 10), due_at(1000));
  const auto parts = extracted(pending, 104, 106);
  EXPECT_EQ(offsets_of(parts), (Offsets{104, 105}));
  EXPECT_EQ(pending.range_count(), 2u);
  pending.add(parts[0].messages, due_at(5000));
  EXPECT_EQ(pending.range_count(), 3u);
  EXPECT_EQ(all_of(pending), (Offsets{101, 102, 103, 104, 105, 106, 107, 108, 109, 110}));
  advance(pending, 1000);
  EXPECT_EQ(offsets_of(pending.due(100)), (Offsets{101, 102, 103, 106, 107, 108, 109, 110}));
}

TEST(Pending, ExtractingAtTheEndsLeavesOneRange) {
  Pending pending;
  pending.add(run(101, 10), due_at(1000));
  extracted(pending, 0, 103);
  EXPECT_EQ(pending.range_count(), 1u);
  extracted(pending, 109, 200);
  EXPECT_EQ(pending.range_count(), 1u);
  EXPECT_EQ(all_of(pending), (Offsets{103, 104, 105, 106, 107, 108}));
  extracted(pending, 103, 109);
  EXPECT_EQ(pending.range_count(), 0u);
  EXPECT_EQ(pending.next_event(), std::nullopt);
}

TEST(Pending, NeighboursWithEqualTermsBecomeOneRange) {
  Pending pending;
  for (uint64_t offset = 1; offset <= 70; ++offset) pending.add(run(offset, 1), due_at(1000));
  EXPECT_EQ(pending.range_count(), 2u) << "64 is the most";
  EXPECT_EQ(pending.count(), 70u);
  pending.add(run(71, 1), due_at(1001));
  EXPECT_EQ(pending.range_count(), 3u) << "another date";
  pending.add(run(72, 1), {.retry_at = 1001, .retry_ms = 100, .consumer = ConsumerId(3)});
  EXPECT_EQ(pending.range_count(), 4u) << "another consumer";
  pending.add(run(73, 1), {.retry_at = 1001, .retry_ms = 100, .attempts = 2, .consumer = ConsumerId(3)});
  EXPECT_EQ(pending.range_count(), 5u) << "another number of attempts";
  pending.add(run(100, 60), due_at(9));
  pending.add(run(160, 5), due_at(9));
  EXPECT_EQ(pending.range_count(), 7u) << "not in part";
  EXPECT_EQ(all_of(pending).size(), 138u);
}

TEST(Pending, DueRangesAreNotJoinedWithOthers) {
  Pending pending;
  pending.add(run(1, 1), due_at(1000));
  advance(pending, 1000);
  pending.add(run(2, 1), due_at(1000));
  EXPECT_EQ(offsets_of(pending.due(10)), Offsets{1});
  EXPECT_EQ(pending.range_count(), 2u);
  advance(pending, 1000);
  EXPECT_EQ(offsets_of(pending.due(10)), (Offsets{1, 2}));
  EXPECT_STREQ(pending.check(), nullptr);
}

TEST(Pending, IsDueInTheMillisecondOfItsDate) {
  Pending pending;
  pending.add(run(1, 3), due_at(1000));
  EXPECT_EQ(pending.next_event(), UnixMs(1000));
  advance(pending, 999);
  EXPECT_FALSE(pending.has_due());
  advance(pending, 1000);
  EXPECT_TRUE(pending.has_due());
  EXPECT_EQ(pending.next_event(), std::nullopt) << "nothing more will happen to it";
  EXPECT_EQ(pending.count(), 3u);
}

TEST(Pending, DueMessagesAreOrderedByDeadline) {
  Pending pending;
  pending.add(run(1, 2), due_at(3000));
  pending.add(run(3, 2), due_at(1000));
  pending.add(run(5, 2), due_at(2000));
  pending.add(run(7, 2), due_at(1000));
  pending.add(run(9, 2), due_at(3001));
  advance(pending, 3000);
  EXPECT_EQ(offsets_of(pending.due(100)), (Offsets{3, 4, 7, 8, 5, 6, 1, 2}));
  EXPECT_EQ(offsets_of(pending.due(3)), (Offsets{3, 4, 7})) << "a range may be taken in part, its front first";
  EXPECT_TRUE(pending.due(0).empty());
  removed(pending, 3, 4);
  EXPECT_EQ(offsets_of(pending.due(2)), (Offsets{4, 7}));
  EXPECT_STREQ(pending.check(), nullptr);
}

TEST(Pending, CountsDueMessagesThroughAllChanges) {
  Pending pending;
  pending.add(run(1, 20), due_at(100));
  pending.add(run(100, 10), due_at(200));
  const auto ignore = [](const PendingPart&) {};
  const auto due_count = [&] {
    EXPECT_STREQ(pending.check(), nullptr);
    return pending.due_count();
  };
  EXPECT_EQ(due_count(), 0u);
  pending.advance(UnixMs(100), 0, kAll);
  EXPECT_EQ(due_count(), 20u);
  pending.remove(Offset(3), Offset(5), ignore);
  EXPECT_EQ(due_count(), 18u);
  pending.extract(Offset(10), Offset(12), ignore);
  EXPECT_EQ(due_count(), 16u) << "its range is cut in two";
  pending.extract(Offset(1), Offset(3), ignore);
  EXPECT_EQ(due_count(), 14u);
  pending.remove(Offset(100), Offset(101), ignore);
  EXPECT_EQ(due_count(), 14u) << "that was not due";
  pending.look_again();
  EXPECT_EQ(due_count(), 0u);
  pending.advance(UnixMs(200), 0, kAll);
  EXPECT_EQ(due_count(), 14u + 9u);
  pending.clear();
  EXPECT_EQ(due_count(), 0u);
}

TEST(Pending, LooksAgainAtWhatWasDueAPartAtATime) {
  Pending pending;
  for (uint64_t i = 0; i < 300; ++i) pending.add(run(1 + i, 1), due_at(100 + i));
  pending.advance(UnixMs(1000), 0, kAll);
  EXPECT_EQ(pending.due_count(), 300u);
  pending.look_again();
  EXPECT_STREQ(pending.check(), nullptr);
  EXPECT_EQ(pending.due_count(), 0u);
  EXPECT_TRUE(pending.due(10).empty()) << "none is delivered before it is looked at";
  EXPECT_EQ(pending.next_event(), UnixMs(100));
  EXPECT_TRUE(pending.advance(UnixMs(1000), 5, 100).empty());
  EXPECT_STREQ(pending.check(), nullptr);
  EXPECT_EQ(pending.due_count(), 100u);
  // The rest is looked at with another limit, and so is what had been looked at.
  pending.look_again();
  EXPECT_STREQ(pending.check(), nullptr);
  EXPECT_EQ(pending.due_count(), 0u);
  const auto ignore = [](const PendingPart&) {};
  EXPECT_EQ(pending.remove(Offset(50), Offset(60), ignore), 10u);
  EXPECT_EQ(pending.extract(Offset(70), Offset(71), ignore), 1u);
  EXPECT_STREQ(pending.check(), nullptr);
  EXPECT_EQ(pending.advance(UnixMs(1000), 1, kAll).size(), 289u);
}

TEST(Pending, ReportsARangeOnceThatExpiresWhileItIsLookedAtAgain) {
  Pending pending;
  PendingTerms terms = due_at(100);
  terms.expire_at = 200;
  pending.add(run(1, 3), terms);
  pending.advance(UnixMs(150), 0, kAll);
  EXPECT_EQ(pending.due_count(), 3u);
  pending.look_again();
  const auto given_up = pending.advance(UnixMs(300), 1, kAll);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_TRUE(given_up[0].expired);
  pending.remove(Offset(1), Offset(4), [](const PendingPart&) {});
  EXPECT_STREQ(pending.check(), nullptr);
  EXPECT_EQ(pending.next_event(), std::nullopt);
}

TEST(Pending, RemovesManyOfOneDate) {
  Pending pending;
  // Every second one, so that they are separate ranges.
  for (uint64_t i = 0; i < 10'000; ++i) pending.add(run(1 + 100 * i, 1), due_at(100));
  pending.advance(UnixMs(100), 0, 5'000);
  const auto ignore = [](const PendingPart&) {};
  EXPECT_EQ(pending.remove(Offset(200'000), Offset(800'000), ignore), 6'000u);
  EXPECT_STREQ(pending.check(), nullptr);
  EXPECT_EQ(pending.due_count(), 2'000u);
}

TEST(Pending, AdvancesAtMostTheGivenNumberOfRangesOldestFirst) {
  Pending pending;
  for (uint64_t i = 0; i < 10; ++i) pending.add(run(1 + i, 1), due_at(1010 - i));
  EXPECT_TRUE(pending.advance(UnixMs(5000), 0, 3).empty());
  EXPECT_EQ(offsets_of(pending.due(100)), (Offsets{10, 9, 8}));
  EXPECT_EQ(pending.next_event(), UnixMs(1004)) << "not in the future: more is to be looked at";
  EXPECT_STREQ(pending.check(), nullptr);
}

TEST(Pending, AMessageThatExpiresBeforeItIsDueIsGivenUpThen) {
  Pending pending;
  pending.add(run(1, 2), due_and_over(1000, 500));
  EXPECT_EQ(pending.next_event(), UnixMs(500));
  advance(pending, 499);
  const auto given_up = pending.advance(UnixMs(500), 0, kAll);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(offsets_of(given_up[0].part), (Offsets{1, 2}));
  EXPECT_TRUE(given_up[0].expired);
  EXPECT_TRUE(pending.advance(UnixMs(500), 0, kAll).empty()) << "reported once";
  removed(pending, 1, 3);
  EXPECT_EQ(all_of(pending), Offsets{});
}

TEST(Pending, DueMessagesStillExpire) {
  Pending pending;
  pending.add(run(1, 2), due_and_over(1000, 1500));
  advance(pending, 1000);
  EXPECT_EQ(offsets_of(pending.due(100)), (Offsets{1, 2}));
  EXPECT_EQ(pending.next_event(), UnixMs(1500));
  EXPECT_STREQ(pending.check(), nullptr);
  const auto given_up = pending.advance(UnixMs(1500), 0, kAll);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_TRUE(given_up[0].expired);
  removed(pending, 1, 3);
  EXPECT_FALSE(pending.has_due());
  EXPECT_EQ(all_of(pending), Offsets{});
}

TEST(Pending, AMessageThatIsDueAndExpiresAtTheSameTimeIsGivenUp) {
  Pending pending;
  pending.add(run(1, 1), due_and_over(1000, 1000));
  const auto given_up = pending.advance(UnixMs(1000), 1, kAll);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_TRUE(given_up[0].expired) << "not for its attempts";
}

TEST(Pending, AMessageThatIsDueAfterItsLastAttemptIsGivenUp) {
  for (const uint32_t attempts : {1u, 2u, 3u}) {
    SCOPED_TRACE(attempts);
    Pending pending;
    pending.add(run(1, 1), {.retry_at = 1000, .retry_ms = 100, .attempts = attempts});
    EXPECT_TRUE(pending.advance(UnixMs(999), 2, kAll).empty());
    const auto given_up = pending.advance(UnixMs(1000), 2, kAll);
    ASSERT_EQ(given_up.size(), attempts >= 2 ? 1u : 0u);
    EXPECT_EQ(pending.has_due(), attempts < 2);
    if (given_up.empty()) continue;
    EXPECT_FALSE(given_up[0].expired);
    EXPECT_EQ(given_up[0].part.terms.attempts, attempts);
  }
}

TEST(Pending, ReportedMessagesCanBeAddedAgain) {
  Pending pending;
  pending.add(run(1, 5), due_and_over(1000, 1000));
  ASSERT_EQ(pending.advance(UnixMs(1000), 0, kAll).size(), 1u);
  for (PendingPart part : extracted(pending, 1, 6)) {
    part.terms.retry_at = part.terms.expire_at = 2000;
    pending.add(part.messages, part.terms);
  }
  EXPECT_EQ(all_of(pending), (Offsets{1, 2, 3, 4, 5}));
  EXPECT_EQ(pending.next_event(), UnixMs(2000));
}

TEST(Pending, CanBeListedFromAnyOffset) {
  Pending pending;
  pending.add(run(10, 10), due_at(1000));
  pending.add(run(100, 64), due_at(1000));
  for (const auto& [from, first] : {std::pair{0, 10}, {10, 10}, {19, 10}, {74, 100}, {100, 100}, {163, 100}}) {
    SCOPED_TRACE(from);
    uint64_t found = 0;
    pending.each_from(Offset(static_cast<uint64_t>(from)), [&](const PendingPart& part) {
      found = part.messages.first.value();
      return false;
    });
    EXPECT_EQ(found, static_cast<uint64_t>(first));
  }
  pending.each_from(Offset(164), [](const PendingPart&) {
    ADD_FAILURE() << "there is none";
    return true;
  });
}

TEST(Pending, ForgetsEverythingAtOnce) {
  Pending pending;
  pending.add(run(1, 5), due_at(1000));
  pending.add(run(6, 5), due_and_over(2000, 3000));
  advance(pending, 1000);
  pending.clear();
  EXPECT_EQ(all_of(pending), Offsets{});
  EXPECT_FALSE(pending.has_due());
  EXPECT_EQ(pending.next_event(), std::nullopt);
  EXPECT_EQ(pending.memory(), 0u);
}

constexpr uint64_t kMillion = 1'000'000;

TEST(Pending, AMillionMessagesDeliveredInTensTakeAtMost16BytesEach) {
  Pending pending;
  for (uint64_t i = 0; i < kMillion; i += 10) pending.add(run(1 + i, 10), due_at(1000 + i));
  EXPECT_EQ(pending.count(), kMillion);
  EXPECT_LE(pending.memory(), kMillion * 16);
}

TEST(Pending, MessagesDeliveredOneByOneTakeAtMost64BytesEach) {
  const uint64_t count = testing::runs_of(kMillion);
  Pending pending;
  for (uint64_t i = 0; i < count; ++i) pending.add(run(1 + i, 1), due_and_over(1000 + i, 5'000'000 + i));
  EXPECT_EQ(pending.range_count(), count);
  EXPECT_LE(pending.memory(), count * 64);
  // Acknowledges all but one in a hundred, in order, as workers do.
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 100 != 0) pending.remove(Offset(1 + i), Offset(2 + i), [](const PendingPart&) {});
  }
  EXPECT_EQ(pending.count(), count / 100);
  EXPECT_LE(pending.memory(), count / 100 * 64 * 8);
  EXPECT_STREQ(pending.check(), nullptr);
}

// Ranges with dates in any order, some of them in the past, and three holders in turn. Removing many at once must equal
// removing them one by one.
void remove_many(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](uint64_t min, uint64_t max) { return min + random() % (max - min + 1); };
  Pending pending;
  std::map<uint64_t, ConsumerId> held;
  const uint64_t count = between(2'000, 6'000);
  const bool in_order = between(0, 1) == 0;
  for (uint64_t i = 0; i < count; ++i) {
    const ConsumerId holder(static_cast<uint32_t>(between(0, 2)));
    const uint64_t date = in_order ? 1'000 + i : between(0, 5'000);
    const uint64_t expires = between(0, 3) == 0 ? between(6'000, 9'000) : kNeverExpires;
    pending.add({Offset(1 + i * 4), 0b101},
                {.retry_at = date, .expire_at = expires, .retry_ms = 5, .attempts = 1, .consumer = holder});
    held[1 + i * 4] = held[3 + i * 4] = holder;
  }
  advance(pending, between(0, 5'000));
  for (int turn = 0; turn < 4 && !::testing::Test::HasFailure(); ++turn) {
    uint64_t from = between(1, count * 4), to = between(1, count * 4 + 8);
    if (from > to) std::swap(from, to);
    Pending::Holder holder;
    if (between(0, 1) == 0) holder.id = ConsumerId(static_cast<uint32_t>(between(0, 2)));
    std::vector<uint64_t> expected;
    for (const auto& [offset, of] : held) {
      if (offset >= from && offset < to && holder.holds(of)) expected.push_back(offset);
    }
    if (holder.id) {
      holder.messages =
          static_cast<uint64_t>(std::ranges::count_if(held, [&](const auto& one) { return one.second == *holder.id; }));
    }
    std::vector<PendingPart> parts;
    const uint64_t taken = pending.remove(
        Offset(from), Offset(to), [&](const PendingPart& part) { parts.push_back(part); }, holder);
    for (const uint64_t offset : expected) held.erase(offset);
    EXPECT_EQ(taken, expected.size());
    EXPECT_EQ(offsets_of(parts), expected);
    EXPECT_EQ(all_of(pending).size(), held.size());
    EXPECT_STREQ(pending.check(), nullptr);
  }
}
TEST(Pending, RemovingManyAtOnceEqualsRemovingThemOneByOne) { testing::run_seeds(60, remove_many); }

TEST(Pending, GivesUpOnlyTheAdmittedPartOfARange) {
  Pending pending;
  pending.add({Offset(1), 0b1111}, {.retry_at = 10, .expire_at = 50, .retry_ms = 10});
  pending.add({Offset(100), 0b1}, {.retry_at = 20, .expire_at = 60, .retry_ms = 10});
  const auto two = [](const OffsetBits& messages) { return messages.bits & 0b11; };
  auto given_up = pending.advance(UnixMs(100), 0, SIZE_MAX, two);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(given_up[0].part.messages.first, Offset(1));
  EXPECT_EQ(given_up[0].part.messages.bits, 0b11u);
  EXPECT_EQ(pending.remove(Offset(1), Offset(3), [](const PendingPart&) {}), 2u);
  EXPECT_EQ(pending.check(), nullptr);
  EXPECT_EQ(pending.next_event(), UnixMs(10)) << "the rest is looked at again, before what is behind it";

  const auto none = [](const OffsetBits&) { return uint64_t{0}; };
  EXPECT_TRUE(pending.advance(UnixMs(100), 0, SIZE_MAX, none).empty());
  EXPECT_EQ(pending.check(), nullptr);
  given_up = pending.advance(UnixMs(100), 0, SIZE_MAX);
  ASSERT_EQ(given_up.size(), 2u);
  EXPECT_EQ(given_up[0].part.messages.first, Offset(3));
  EXPECT_EQ(given_up[0].part.messages.bits, 0b11u);
}

TEST(Pending, FindsTheEndOfAGivenNumberOfBatches) {
  Pending pending;
  for (uint64_t i = 0; i < 10; ++i) {
    pending.add({Offset(1 + i * 10), 0b101}, {.retry_at = 10 + i, .expire_at = kNeverExpires, .retry_ms = 10});
  }
  size_t batches = 4;
  EXPECT_EQ(pending.end_of_batches(Offset(1), Offset(25), batches), Offset(25));
  EXPECT_EQ(batches, 1u);
  batches = 4;
  EXPECT_EQ(pending.end_of_batches(Offset(1), Offset(1000), batches), Offset(40));
  EXPECT_EQ(batches, 0u);
  batches = 1;
  EXPECT_EQ(pending.end_of_batches(Offset(200), Offset(1000), batches), Offset(1000));
}

}  // namespace
}  // namespace millrace
