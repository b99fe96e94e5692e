#include "engine/base/slots.h"

#include <gtest/gtest.h>

#include <set>

namespace millrace {

namespace {

TEST(Slots, numbers_count_up_and_things_stay_where_they_are) {
  Slots<int> slots;
  std::set<const int*> places;
  for (uint32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(slots.add(), i);
    slots[i] = static_cast<int>(i);
    ASSERT_TRUE(places.insert(&slots[i]).second) << "two things at one place";
  }
  for (uint32_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(slots[i], static_cast<int>(i));
    EXPECT_TRUE(places.contains(&slots[i]));
  }
}

TEST(Slots, a_number_is_given_again_and_holds_nothing_of_before) {
  Slots<int> slots;
  for (int i = 0; i < 10; ++i) slots[slots.add()] = 7;
  slots.remove(3);
  EXPECT_EQ(slots.size(), 9u);
  EXPECT_EQ(slots.add(), 3u);
  EXPECT_EQ(slots[3], 0);
  EXPECT_EQ(slots.limit(), 10u);
}

TEST(Slots, the_last_one_gives_all_memory_back) {
  Slots<int> slots;
  for (int i = 0; i < 3000; ++i) slots.add();
  EXPECT_GE(slots.memory(), 3000 * sizeof(int));
  for (uint32_t i = 0; i < 3000; ++i) slots.remove(i);
  EXPECT_EQ(slots.memory(), 0u);
  EXPECT_EQ(slots.limit(), 0u);
}

TEST(Slots, few_things_take_little_room) {
  Slots<uint64_t> slots;
  slots.add();
  EXPECT_LE(slots.memory(), 64u);
}

}  // namespace

}  // namespace millrace
