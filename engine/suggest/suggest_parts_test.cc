#include "engine/suggest/suggest_parts.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <string>

#include "tests/model/seeds.h"
#include "tests/model/suggest_bytes.h"

namespace millrace {

namespace {

using testing::dictionary_digest;
using testing::dictionary_from_bytes;
using testing::dictionary_to_bytes;

// A part from numbers, doubles and names: numbers are varints, names a size and bytes.
class TermsPart {
 public:
  TermsPart& operator<<(int number) {
    append_varint(bytes_, static_cast<uint64_t>(number));
    return *this;
  }
  TermsPart& operator<<(double number) {
    for (uint64_t i = 0, bits = std::bit_cast<uint64_t>(number); i < 8; ++i, bits >>= 8) {
      bytes_ += static_cast<char>(bits & 0xff);
    }
    return *this;
  }
  TermsPart& operator<<(ByteView name) {
    append_varint(bytes_, name.size());
    bytes_ += name;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

TEST(SuggestParts, a_dictionary_comes_back_as_it_was) {
  testing::run_seeds(60, [](uint64_t seed) {
    std::mt19937_64 random(seed);
    TermDictionary dictionary;
    for (int i = 0; i < 3000; ++i) {
      const std::string term = std::string(random() % 30, 'x') + std::to_string(random() % 2000);
      dictionary.set(term, dictionary.weight_for(static_cast<double>(random() % 100)));
      if (random() % 200 == 0) dictionary.fade(0.9);
      if (random() % 3 == 0) dictionary.remove(term);
    }
    const std::string saved = dictionary_to_bytes(dictionary);
    const auto loaded = dictionary_from_bytes(saved);
    ASSERT_TRUE(loaded) << loaded.error().text;
    ASSERT_EQ(loaded->check(), nullptr);
    ASSERT_EQ(dictionary_digest(*loaded), dictionary_digest(dictionary));
    ASSERT_EQ(dictionary_to_bytes(*loaded), saved);
  });
}

struct BadRow {
  const char* name;
  std::string bytes;
  const char* error;
};

TEST(SuggestParts, refuses_what_is_not_a_part_and_leaves_the_dictionary_as_it_was) {
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  const std::string good = (TermsPart() << 1 << 0.5 << ByteView("tea") << 2.0).bytes();
  const BadRow rows[] = {
      {"nothing", "", "terms of a version this module does not know"},
      {"another version", (TermsPart() << 2 << 0.5).bytes(), "terms of a version this module does not know"},
      {"no factor", (TermsPart() << 1).bytes(), "terms without a factor"},
      {"a factor of nothing", (TermsPart() << 1 << 0.0).bytes(), "terms without a factor"},
      {"a factor that is no number", (TermsPart() << 1 << kNotANumber).bytes(), "terms without a factor"},
      {"a factor above one", (TermsPart() << 1 << 1.5).bytes(), "terms without a factor"},
      {"another factor", (TermsPart() << 1 << 0.25 << ByteView("tea") << 2.0).bytes(), "parts of two dictionaries"},
      {"no terms", (TermsPart() << 1 << 0.5).bytes(), "a term of the wrong length"},
      {"cut short", good.substr(0, good.size() - 1), "a term of the wrong length"},
      {"something behind", good + "x", "a term of the wrong length"},
      {"an empty term", (TermsPart() << 1 << 0.5 << ByteView() << 2.0).bytes(), "a term of the wrong length"},
      {"a long term", (TermsPart() << 1 << 0.5 << ByteView(std::string(513, 'x')) << 2.0).bytes(),
       "a term of the wrong length"},
      {"a score below nothing", (TermsPart() << 1 << 0.5 << ByteView("tea") << -1.0).bytes(),
       "a term with an impossible score"},
      {"a score that is no number", (TermsPart() << 1 << 0.5 << ByteView("tea") << kNotANumber).bytes(),
       "a term with an impossible score"},
      {"a score without end", (TermsPart() << 1 << 0.5 << ByteView("tea") << kEndless).bytes(),
       "a term with an impossible score"},
      {"a term twice", (TermsPart() << 1 << 0.5 << ByteView("tea") << 2.0 << ByteView("tea") << 2.0).bytes(),
       "terms out of order"},
      {"a term that the dictionary has", (TermsPart() << 1 << 0.5 << ByteView("here") << 2.0).bytes(),
       "a term that is there already"},
  };
  for (const BadRow& row : rows) {
    SCOPED_TRACE(row.name);
    TermDictionary dictionary;
    const TermsPart here = TermsPart() << 1 << 0.5 << ByteView("here") << 1.0;
    ASSERT_TRUE(restore_part(dictionary, SuggestPart::Terms, here.bytes()));
    const std::string before = dictionary_digest(dictionary);
    const auto restored = restore_part(dictionary, SuggestPart::Terms, row.bytes);
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(restored.error().text, row.error);
    EXPECT_EQ(dictionary_digest(dictionary), before);
    EXPECT_EQ(dictionary.check(), nullptr);
  }
}

TEST(SuggestParts, refuses_a_kind_of_part_that_it_does_not_know) {
  TermDictionary dictionary;
  EXPECT_FALSE(restore_part(dictionary, static_cast<SuggestPart>(1), "x"));
}

}  // namespace

}  // namespace millrace
