#include "engine/log/schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {

namespace {

TEST(Schedule, messages_are_ordered_by_date_then_by_number) {
  Schedule schedule;
  const Ticket late = schedule.add(UnixMs(300), "a", "late");
  const Ticket first = schedule.add(UnixMs(100), "b", "first");
  const Ticket second = schedule.add(UnixMs(100), "c", "second");
  EXPECT_EQ(text_of(late), "300-1");
  EXPECT_EQ(text_of(second), "100-3");
  EXPECT_LT(first, second);
  EXPECT_EQ(schedule.next_due(), UnixMs(100));
  std::string order;
  for (; !schedule.empty(); schedule.pop_front()) order += std::string(schedule.front().entry) + " ";
  EXPECT_EQ(order, "first second late ");
  EXPECT_EQ(schedule.next_due(), std::nullopt);
  EXPECT_EQ(schedule.next_number(), 4u);
}

TEST(Schedule, a_ticket_finds_its_message_and_removes_it_once) {
  Schedule schedule;
  const Ticket ticket = schedule.add(UnixMs(5), "tag", "entry");
  EXPECT_EQ(schedule.find(ticket)->tag, "tag");
  EXPECT_FALSE(schedule.find({UnixMs(5), 2}));
  EXPECT_FALSE(schedule.find({UnixMs(6), 1}));
  EXPECT_TRUE(schedule.erase(ticket));
  EXPECT_FALSE(schedule.erase(ticket));
  EXPECT_EQ(schedule.add(UnixMs(5), "", "").number, 2u);
}

TEST(Schedule, the_largest_dates_and_numbers_fit) {
  Schedule schedule;
  const Ticket last{UnixMs(kMaxTicketPart), kMaxTicketPart};
  ASSERT_TRUE(schedule.put(last, "t", "e"));
  EXPECT_FALSE(schedule.put(last, "t", "e"));
  EXPECT_EQ(schedule.front().ticket, last);
}

// Without the overhead of the allocator, which is measured on a server.
TEST(Schedule, a_message_costs_at_most_40_bytes_besides_its_payload_in_any_order) {
  for (const bool in_order : {true, false}) {
    std::mt19937_64 random(1);
    Schedule schedule;
    for (uint64_t i = 0; i < 200'000; ++i) {
      schedule.add(UnixMs(1'700'000'000'000 + (in_order ? i : random() % 10'000'000)), "tag", std::string(100, 'x'));
    }
    EXPECT_LE(schedule.memory() - schedule.payload(), 40 * schedule.size()) << in_order;
  }
}

TEST(Schedule, equals_a_map) {
  testing::run_seeds(100, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    Schedule schedule;
    std::map<Ticket, std::pair<std::string, std::string>> model;
    for (int step = 0; step < 1000; ++step) {
      switch (random() % 6) {
        case 0:
        case 1:
        case 2: {
          const std::string tag(random() % 4, 't'), entry(random() % 200, 'e');
          model[schedule.add(UnixMs(random() % 50), tag, entry)] = {tag, entry};
          break;
        }
        case 3:
          if (!model.empty()) {
            ASSERT_EQ(schedule.front().ticket, model.begin()->first);
            schedule.pop_front();
            model.erase(model.begin());
          }
          break;
        case 4: {
          const Ticket ticket{UnixMs(random() % 50), random() % schedule.next_number()};
          ASSERT_EQ(schedule.erase(ticket), model.erase(ticket) == 1);
          const auto above = model.lower_bound(ticket);
          const auto found = schedule.ceiling(ticket);
          ASSERT_EQ(found.has_value(), above != model.end());
          if (found) {
            ASSERT_EQ(found->ticket, above->first);
          }
          break;
        }
        default:
          if (random() % 20 == 0) schedule = schedule.clone();
      }
      ASSERT_EQ(schedule.check(), nullptr);
      ASSERT_EQ(schedule.size(), model.size());
    }
    auto expected = model.begin();
    schedule.each([&](const Schedule::Waiting& one) {
      ASSERT_EQ(one.ticket, expected->first);
      ASSERT_EQ(std::pair(std::string(one.tag), std::string(one.entry)), expected->second);
      ++expected;
    });
  });
}

}  // namespace
}  // namespace millrace
