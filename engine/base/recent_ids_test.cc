#include "engine/base/recent_ids.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {

namespace {

constexpr HashKey kKey{1, 2, 3};

RecentIds::Answer number(uint64_t value) { return {.number = value, .date = std::nullopt}; }

void add(RecentIds& ids, ByteView id, const RecentIds::Answer& answer, uint64_t now) {
  ids.add(ids.fingerprint(id), answer, UnixMs(now));
}

std::optional<RecentIds::Answer> find(const RecentIds& ids, ByteView id, uint64_t now) {
  return ids.find(ids.fingerprint(id), UnixMs(now));
}

TEST(RecentIds, an_id_is_known_until_its_window_is_over) {
  RecentIds ids(kKey, 100);
  add(ids, "a", number(7), 1000);
  EXPECT_EQ(find(ids, "a", 1000), number(7));
  EXPECT_EQ(find(ids, "a", 1099), number(7));
  EXPECT_EQ(find(ids, "a", 1100), std::nullopt);
  EXPECT_EQ(find(ids, "b", 1000), std::nullopt);
}

TEST(RecentIds, an_answer_may_have_a_date) {
  RecentIds ids(kKey, 100);
  const RecentIds::Answer dated{.number = INT64_MAX, .date = UnixMs(INT64_MAX)};
  add(ids, "a", dated, 1000);
  add(ids, "", number(0), 1001);
  EXPECT_EQ(find(ids, "a", 1001), dated);
  EXPECT_EQ(find(ids, "", 1001), number(0));
}

TEST(RecentIds, a_window_that_changes_counts_for_those_that_are_there) {
  RecentIds ids(kKey, 100);
  add(ids, "a", number(1), 1000);
  ids.set_window(200, UnixMs(1050));
  EXPECT_EQ(find(ids, "a", 1199), number(1));
  ids.set_window(50, UnixMs(1051));
  EXPECT_EQ(find(ids, "a", 1051), std::nullopt);
  EXPECT_EQ(find(ids, "a", 1049), number(1));
  // It may have been forgotten meanwhile.
  ids.set_window(500, UnixMs(1051));
  EXPECT_EQ(find(ids, "a", 1051), std::nullopt);
}

TEST(RecentIds, the_oldest_are_forgotten_from_the_front_a_few_at_a_time) {
  RecentIds ids(kKey, 100);
  for (uint64_t i = 0; i < 1000; ++i) add(ids, std::to_string(i), number(i), 1000 + i / 10);
  EXPECT_EQ(ids.next_expiry(), UnixMs(1100));
  EXPECT_EQ(ids.expire(UnixMs(1150), 100), 100u);
  EXPECT_EQ(ids.size(), 900u);
  EXPECT_EQ(ids.expire(UnixMs(1150), 10'000), 410u);
  EXPECT_EQ(ids.next_expiry(), UnixMs(1151));
  EXPECT_EQ(ids.expire(UnixMs(9999), 10'000), 490u);
  EXPECT_EQ(ids.next_expiry(), std::nullopt);
  EXPECT_EQ(ids.check(), nullptr);
}

TEST(RecentIds, an_id_costs_at_most_40_bytes_whatever_its_length) {
  RecentIds ids(kKey, 1'000'000);
  std::string id(100, 'x');
  // Twice as many ids as the window holds: for each new one, an old one is forgotten.
  for (uint64_t i = 0; i < 600'000; ++i) {
    id.replace(0, 20, std::to_string(1'000'000'000'000'000'000 + i));
    add(ids, id, {.number = (uint64_t{1} << 40) + i, .date = UnixMs(1'700'000'000'000 + i)}, 1'000'000 + 4 * i);
    if (i % 50'000 == 49'999) {
      EXPECT_LE(ids.memory(), 40 * ids.size()) << i;
    }
  }
  EXPECT_LE(ids.size(), 250'001u);
  EXPECT_EQ(ids.check(), nullptr);
}

// Against a map that is searched from end to end.
TEST(RecentIds, answers_like_a_naive_model) {
  testing::run_seeds(50, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    struct Known {
      uint64_t date;
      RecentIds::Answer answer;
      bool is_over = false;
    };
    std::map<std::string, Known> model;
    RecentIds ids(kKey, 1 + random() % 500);
    uint64_t now = 1000;
    for (int step = 0; step < 2000; ++step) {
      now += random() % 3;
      const std::string id = "id " + std::to_string(random() % 400);
      const auto known = model.find(id);
      const bool is_known =
          known != model.end() && !known->second.is_over && now - known->second.date < ids.window_ms();
      ASSERT_EQ(find(ids, id, now), is_known ? std::optional(known->second.answer) : std::nullopt) << step;
      if (!is_known) {
        RecentIds::Answer answer = number(random() >> (1 + random() % 60));
        if (random() % 2 == 0) answer.date = UnixMs(random() >> 20);
        add(ids, id, answer, now);
        model[id] = {now, answer};
      }
      if (random() % 100 == 0) {
        for (auto& [name, one] : model) one.is_over |= now - one.date >= ids.window_ms();
        ids.set_window(1 + random() % 500, UnixMs(now));
      }
      if (random() % 50 == 0) ids.expire(UnixMs(now), random() % 20);
      if (random() % 200 == 0) ids = ids.clone();
      ASSERT_EQ(ids.check(), nullptr);
    }
  });
}

}  // namespace
}  // namespace millrace
