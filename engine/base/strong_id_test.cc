#include "engine/base/strong_id.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace millrace {

namespace {

using CatId = StrongId<struct CatIdName>;
using DogId = StrongId<struct DogIdName>;

static_assert(!std::is_convertible_v<uint32_t, CatId>, "a plain number does not become an id by itself");
static_assert(!std::is_convertible_v<CatId, uint32_t>, "nor an id a number");
static_assert(!std::is_constructible_v<CatId, DogId>, "an id cannot be made of another kind of id");

TEST(StrongId, an_id_without_a_value_is_none) {
  EXPECT_EQ(CatId(), CatId::none());
  EXPECT_TRUE(CatId().is_none());
  EXPECT_FALSE(CatId().is_some());
  EXPECT_EQ(CatId::none().value(), UINT32_MAX);
}

TEST(StrongId, an_id_with_a_value_is_that_number) {
  EXPECT_EQ(CatId(0).value(), 0u);
  EXPECT_TRUE(CatId(0).is_some());
  EXPECT_FALSE(CatId(0).is_none());
}

TEST(StrongId, ids_compare_as_their_numbers) {
  EXPECT_LT(CatId(1), CatId(2));
  EXPECT_GT(CatId::none(), CatId(2));
  EXPECT_NE(CatId(1), CatId(2));
}

TEST(StrongId, ids_can_be_hashed) {
  const std::unordered_set<CatId> cats = {CatId(1), CatId(2), CatId(1)};
  EXPECT_EQ(cats.size(), 2u);
  EXPECT_TRUE(cats.contains(CatId(2)));
}

}  // namespace

}  // namespace millrace
