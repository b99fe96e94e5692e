#include "engine/base/slots.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/strong_id.h"

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

TEST(Slots, numbers_may_be_strong_ids) {
  using CatId = StrongId<struct CatIdName>;
  Slots<int, CatId> cats;
  for (int i = 0; i < 3; ++i) cats[cats.add()] = i;
  cats.remove(CatId(1));
  EXPECT_EQ(cats[CatId(2)], 2);
  const auto all = cats.all();
  EXPECT_EQ(std::vector<CatId>(all.begin(), all.end()), (std::vector{CatId(0), CatId(1), CatId(2)}));
  EXPECT_EQ(cats.add(), CatId(1));
}

TEST(Slots, few_things_take_little_room) {
  Slots<uint64_t> slots;
  slots.add();
  EXPECT_LE(slots.memory(), 64u);
}

TEST(Slots, memory_comes_back_though_one_stays) {
  Slots<std::string> slots;
  const uint32_t first = slots.add();
  const size_t small = slots.memory();
  for (int i = 0; i < 100'000; ++i) slots[slots.add()] = "x";
  const uint32_t last = slots.add();
  slots[last] = "last";
  const size_t full = slots.memory();
  EXPECT_GE(full, 100'000 * sizeof(std::string));
  for (uint32_t slot = first + 1; slot < last; ++slot) slots.remove(slot);
  // The last piece, a spare one, and the list of free numbers.
  EXPECT_LT(slots.memory(), small + 2 * 1024 * sizeof(std::string) + full / 5);
  EXPECT_EQ(slots[last], "last");
  for (uint32_t slot = first + 1; slot < last; ++slot) EXPECT_EQ(std::as_const(slots)[slot], "");
  slots.remove(last);
  slots.remove(first);
  EXPECT_EQ(slots.memory(), 0u);
  EXPECT_EQ(slots.limit(), 0u);
}

TEST(Slots, who_comes_and_goes_alone_finds_its_piece_again) {
  Slots<std::string> slots;
  for (int i = 0; i < 2048; ++i) slots.add();
  const uint32_t slot = slots.add();
  const std::string* place = &slots[slot];
  for (int i = 0; i < 3; ++i) {
    slots.remove(slot);
    EXPECT_EQ(slots.add(), slot);
    EXPECT_EQ(&slots[slot], place);
  }
}

TEST(Slots, a_random_history_keeps_what_is_there) {
  std::mt19937 random(7);
  Slots<std::string> slots;
  std::map<uint32_t, std::string> model;
  for (int step = 0; step < 200'000; ++step) {
    const bool grows = step / 20'000 % 2 == 0;
    if (model.empty() || random() % 10 < (grows ? 7 : 3)) {
      const uint32_t slot = slots.add();
      ASSERT_TRUE(model.emplace(slot, std::to_string(step)).second) << "given out twice";
      slots[slot] = std::to_string(step);
    } else {
      auto gone = model.lower_bound(static_cast<uint32_t>(random() % slots.limit()));
      if (gone == model.end()) gone = model.begin();
      ASSERT_EQ(slots[gone->first], gone->second);
      slots.remove(gone->first);
      model.erase(gone);
    }
    ASSERT_EQ(slots.size(), model.size());
  }
  for (uint32_t slot = 0; slot < slots.limit(); ++slot) {
    const auto known = model.find(slot);
    EXPECT_EQ(std::as_const(slots)[slot], known == model.end() ? "" : known->second);
  }
}

}  // namespace

}  // namespace millrace
