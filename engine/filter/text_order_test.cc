#include "engine/filter/text_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/model/seeds.h"

namespace millrace {
namespace {

TEST(TextOrder, IsThatOfTheTexts) {
  testing::run_seeds(50, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::string beginning(random() % 20, 'x');
    std::vector<std::string> texts;
    for (size_t i = random() % 100; i > 0; --i) {
      std::string& text = texts.emplace_back(beginning);
      for (size_t size = random() % 12; size > 0; --size) text += "\0a\xff"[random() % 3];
    }
    const std::vector<ByteView> views(texts.begin(), texts.end());
    std::vector<std::string> ordered;
    for (const uint32_t number : text_order(views)) ordered.push_back(texts[number]);
    std::ranges::sort(texts);
    ASSERT_EQ(ordered, texts);
  });
}

TEST(TextOrder, ReordersMovableValues) {
  testing::run_seeds(50, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<uint32_t> order(random() % 20);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::shuffle(order, random);
    std::vector<std::unique_ptr<uint32_t>> values;
    for (uint32_t i = 0; i < order.size(); ++i) values.push_back(std::make_unique<uint32_t>(i));
    reorder(values, order);
    ASSERT_EQ(values.size(), order.size());
    for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(*values[i], order[i]);
  });
}

}  // namespace
}  // namespace millrace
