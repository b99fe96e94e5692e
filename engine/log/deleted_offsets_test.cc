#include "engine/log/deleted_offsets.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/model/seeds.h"

namespace millrace {

namespace {

Removal all_from(const DeletedOffsets& deleted, uint64_t from) {
  Removal all;
  deleted.each_word(Offset(from), [&](uint64_t index, uint64_t bits) {
    for (; bits != 0; bits &= bits - 1) {
      all.add(Offset(index * 64 + static_cast<uint64_t>(std::countr_zero(bits))));
    }
  });
  return all;
}

TEST(DeletedOffsets, returns_the_ranges_that_were_added) {
  DeletedOffsets deleted;
  deleted.add({{{Offset(3), Offset(4)}, {Offset(60), Offset(200)}}});
  deleted.add({{{Offset(4), Offset(5)}}});
  const Removal all = all_from(deleted, 1);
  ASSERT_EQ(all.ranges.size(), 2u);
  EXPECT_EQ(all.ranges[0].from, Offset(3));
  EXPECT_EQ(all.ranges[0].to, Offset(5));
  EXPECT_EQ(all.ranges[1].from, Offset(60));
  EXPECT_EQ(all.ranges[1].to, Offset(200));
  EXPECT_EQ(all_from(deleted, 199).count(), 1u);
}

TEST(DeletedOffsets, equals_a_set) {
  testing::run_seeds(100, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    DeletedOffsets deleted;
    std::set<uint64_t> model;
    uint64_t first = 1;
    for (int step = 0; step < 300; ++step) {
      const uint64_t from = first + random() % 1000;
      const uint64_t to = from + 1 + random() % (random() % 4 == 0 ? 300 : 3);
      deleted.add({{{Offset(from), Offset(to)}}});
      for (uint64_t at = from; at < to; ++at) model.insert(at);
      if (random() % 10 == 0) {
        first += random() % 300;
        model.erase(model.begin(), model.lower_bound(first));
        deleted.forget_before(Offset(first));
      }
      for (int i = 0; i < 10; ++i) {
        const uint64_t asked = first + random() % 1500;
        const uint64_t end = asked + random() % 200;
        const auto expected = model.lower_bound(asked);
        const auto found = deleted.next(Offset(asked), Offset(end));
        if (expected == model.end() || *expected >= end) {
          ASSERT_FALSE(found);
        } else {
          ASSERT_EQ(found, Offset(*expected));
        }
      }
      ASSERT_EQ(all_from(deleted, first).count(), model.size());
      ASSERT_EQ(deleted.check(), nullptr);
    }
  });
}

}  // namespace
}  // namespace millrace
