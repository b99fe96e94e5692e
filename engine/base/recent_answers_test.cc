#include "engine/base/recent_answers.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>

namespace millrace {
namespace {

constexpr HashKey kKey = {7};

TEST(RecentAnswers, FindWhatWasAddedWithItsText) {
  RecentAnswers ids(kKey, 3, 10'000);
  EXPECT_EQ(ids.find("a"), nullptr);
  ids.add("a", "one");
  ids.add("", "of nothing");
  ASSERT_NE(ids.find("a"), nullptr);
  EXPECT_EQ(*ids.find("a"), "one");
  EXPECT_EQ(*ids.find(""), "of nothing");
  EXPECT_EQ(ids.find("b"), nullptr);
}

TEST(RecentAnswers, ForgetTheOldestWhenThereAreTooMany) {
  RecentAnswers ids(kKey, 3, 10'000);
  for (const char* id : {"a", "b", "c", "d"}) ids.add(id, id);
  EXPECT_EQ(ids.find("a"), nullptr);
  EXPECT_NE(ids.find("b"), nullptr);
  EXPECT_EQ(ids.size(), 3u);
  ids.add("a", "again");
  EXPECT_EQ(*ids.find("a"), "again");
  EXPECT_EQ(ids.check(), nullptr);
}

TEST(RecentAnswers, ForgetTheOldestWhenTheyTakeTooMuch) {
  RecentAnswers ids(kKey, 1000, 1000);
  ids.add("a", "short");
  ids.add("b", std::string(900, 'x'));
  EXPECT_EQ(ids.find("a"), nullptr);
  EXPECT_NE(ids.find("b"), nullptr);
  ids.add("c", std::string(5000, 'x'));
  EXPECT_EQ(ids.size(), 1u) << "the last one stays, whatever its size";
  EXPECT_NE(ids.find("c"), nullptr);
}

TEST(RecentAnswers, AreTheSameAsANaiveWindow) {
  std::mt19937_64 random(20261116);
  RecentAnswers ids(kKey, 50, 1'000'000);
  std::deque<std::string> model;
  for (int i = 0; i < 5000; ++i) {
    const std::string id = std::to_string(random() % 200);
    const bool is_known = std::ranges::find(model, id) != model.end();
    ASSERT_EQ(ids.find(id) != nullptr, is_known);
    if (is_known) continue;
    ids.add(id, id);
    model.push_back(id);
    if (model.size() > 50) model.pop_front();
    if (i % 100 == 0) {
      ASSERT_EQ(ids.check(), nullptr);
    }
  }
  const RecentAnswers copy = ids.clone();
  EXPECT_EQ(copy.check(), nullptr);
  size_t at = 0;
  copy.each([&](ByteView id, ByteView text) {
    EXPECT_EQ(id, model[at++]);
    EXPECT_EQ(text, id);
  });
  EXPECT_EQ(at, model.size());
}

}  // namespace
}  // namespace millrace
