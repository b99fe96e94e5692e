#include "engine/fact/fact_parts.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/model/fact_bytes.h"
#include "tests/model/seeds.h"

namespace millrace {

namespace {

using testing::graph_digest;
using testing::graph_from_bytes;
using testing::graph_to_bytes;

// A part from numbers and names: numbers are varints, names a size and bytes.
class FactsPart {
 public:
  FactsPart& operator<<(uint64_t number) {
    append_varint(bytes_, number);
    return *this;
  }
  FactsPart& operator<<(ByteView name) {
    append_varint(bytes_, name.size());
    bytes_ += name;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

constexpr uint64_t kFirst = 1;  // version

TEST(FactParts, a_graph_comes_back_as_it_was) {
  testing::run_seeds(60, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    FactGraph graph{HashKey{1}};
    const auto name = [&] { return std::string(1 + random() % 40, 'x') + std::to_string(random() % 300); };
    for (int i = 0; i < 3000; ++i) {
      const std::string words[] = {name(), name(), name()};
      graph.add({words[0], words[1], words[2]});
      if (random() % 3 == 0) graph.remove({words[0], words[1], words[2]});
    }
    const std::string saved = graph_to_bytes(graph);
    const auto loaded = graph_from_bytes(saved, HashKey{2});
    ASSERT_TRUE(loaded) << loaded.error().text;
    ASSERT_EQ(loaded->check(), nullptr);
    ASSERT_EQ(graph_digest(*loaded), graph_digest(graph));
    ASSERT_EQ(graph_to_bytes(*loaded), saved);
  });
}

TEST(FactParts, names_that_come_after_loading_get_the_same_numbers) {
  FactGraph graph{HashKey{1}};
  graph.add({"a", "b", "c"});
  graph.add({"d", "b", "c"});
  graph.remove({"d", "b", "c"});
  auto loaded = graph_from_bytes(graph_to_bytes(graph));
  ASSERT_TRUE(loaded);
  for (FactGraph* each : {&graph, &*loaded}) each->add({"e", "b", "d"});
  EXPECT_EQ(graph_digest(*loaded), graph_digest(graph));
}

TEST(FactParts, a_large_graph_travels_in_many_parts) {
  FactGraph graph{HashKey{}};
  for (int i = 0; i < 10'000; ++i) graph.add({"s" + std::to_string(i), "p", "o"});
  size_t parts = 0;
  each_part(graph, [&](const Part& part) {
    ++parts;
    EXPECT_LT(part.bytes.size(), 20'000U);
  });
  EXPECT_GT(parts, 3U);
}

struct BadRow {
  const char* name;
  std::string bytes;
  const char* error;
};

TEST(FactParts, refuses_what_is_not_a_part_and_leaves_the_graph_as_it_was) {
  const std::string good = (FactsPart() << kFirst << 3 << 0 << "s" << 1 << "p" << 2 << "o").bytes();
  const BadRow rows[] = {
      {"nothing", "", "facts of a version this module does not know"},
      {"another version", (FactsPart() << 2 << 3).bytes(), "facts of a version this module does not know"},
      {"no next number", (FactsPart() << kFirst).bytes(), "facts without the number of the next name"},
      {"an impossible next number", (FactsPart() << kFirst << UINT32_MAX).bytes(),
       "facts without the number of the next name"},
      {"no facts", (FactsPart() << kFirst << 3).bytes(), "a fact of the wrong length"},
      {"cut short", good.substr(0, good.size() - 1), "a fact of the wrong length"},
      {"something behind", good + "x", "a fact of the wrong length"},
      {"an empty name", (FactsPart() << kFirst << 3 << 0 << "" << 1 << "p" << 2 << "o").bytes(),
       "a fact of the wrong length"},
      {"a long name", (FactsPart() << kFirst << 3 << 0 << std::string(4097, 'x') << 1 << "p" << 2 << "o").bytes(),
       "a fact of the wrong length"},
      {"a number that is none", (FactsPart() << kFirst << 3 << UINT32_MAX << "s" << 1 << "p" << 2 << "o").bytes(),
       "a fact of the wrong length"},
      {"a subject beyond all numbers",
       (FactsPart() << kFirst << 3 << 0 << "s" << 1 << "p" << 2 << "o" << UINT64_MAX << 1 << 2).bytes(),
       "a fact of the wrong length"},
      {"a fact twice", (FactsPart() << kFirst << 3 << 0 << "s" << 1 << "p" << 2 << "o" << 0 << 1 << 2).bytes(),
       "facts out of order"},
      {"a name twice", (FactsPart() << kFirst << 3 << 0 << "s" << 1 << "p" << 2 << "s").bytes(),
       "a name that has two numbers"},
      {"a name that the graph has", (FactsPart() << kFirst << 99 << 70 << "here" << 71 << "p" << 72 << "o").bytes(),
       "a name that has two numbers"},
      {"a fact that the graph has", (FactsPart() << kFirst << 99 << 50 << 51 << 52).bytes(),
       "a fact that is there already"},
  };
  for (const BadRow& row : rows) {
    SCOPED_TRACE(row.name);
    FactGraph graph{HashKey{}};
    ASSERT_TRUE(restore_part(graph, FactPart::Facts,
                             (FactsPart() << kFirst << 60 << 50 << "here" << 51 << "is" << 52 << "it").bytes()));
    const std::string before = graph_digest(graph);
    const auto restored = restore_part(graph, FactPart::Facts, row.bytes);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(restored.error().text, row.error);
    EXPECT_EQ(graph_digest(graph), before);
    EXPECT_EQ(graph.check(), nullptr);
  }
}

TEST(FactParts, refuses_a_kind_of_part_that_it_does_not_know) {
  FactGraph graph{HashKey{}};
  EXPECT_FALSE(restore_part(graph, static_cast<FactPart>(1), "x"));
}

TEST(FactParts, a_number_far_away_takes_no_more_memory_than_a_near_one) {
  FactGraph graph{HashKey{}};
  const FactsPart far = FactsPart() << kFirst << 0 << 4'000'000'000 << "s" << 3'000'000'000 << "p" << 2'000'000'000
                                    << "o";
  ASSERT_TRUE(restore_part(graph, FactPart::Facts, far.bytes()));
  EXPECT_LT(graph.memory(), 4096U);
}

}  // namespace

}  // namespace millrace
