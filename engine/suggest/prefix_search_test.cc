#include "engine/suggest/prefix_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/base/case_folding.h"
#include "engine/base/utf8.h"
#include "engine/suggest/term_dictionary.h"
#include "tests/model/seeds.h"

namespace millrace {

namespace {

using Characters = std::vector<std::string>;

Characters characters_of(ByteView text, bool ignores_case) {
  Characters characters;
  while (!text.empty()) {
    const size_t size = std::max<size_t>(utf8_length(text), 1);
    characters.push_back(ignores_case ? fold_case(text.substr(0, size)) : std::string(text.substr(0, size)));
    text.remove_prefix(size);
  }
  return characters;
}

// Whether a single mistake turns one text into the other, by the definition of each kind of mistake.
bool is_one_mistake(const Characters& meant, const Characters& typed) {
  for (size_t i = 0; i < typed.size(); ++i) {
    Characters fixed = typed;
    fixed.erase(fixed.begin() + static_cast<ptrdiff_t>(i));
    if (fixed == meant) return true;
    if (i + 1 < typed.size()) {
      fixed = typed;
      std::swap(fixed[i], fixed[i + 1]);
      if (fixed == meant) return true;
    }
    fixed = typed;
    if (meant.size() == typed.size()) fixed[i] = meant[i];
    if (fixed == meant) return true;
  }
  for (size_t i = 0; i < meant.size(); ++i) {
    Characters fixed = meant;
    fixed.erase(fixed.begin() + static_cast<ptrdiff_t>(i));
    if (fixed == typed) return true;
  }
  return false;
}

enum class Match { None, Right, Mistaken };

Match naive_match(const std::string& term, const TypedPrefix& typed) {
  const Characters wanted = characters_of(typed.text, typed.ignores_case);
  const Characters all = characters_of(term, typed.ignores_case);
  Match match = Match::None;
  for (size_t size = 0; size <= all.size(); ++size) {
    const Characters begin(all.begin(), all.begin() + static_cast<ptrdiff_t>(size));
    if (begin == wanted) return Match::Right;
    if (typed.allows_a_mistake && is_one_mistake(begin, wanted)) match = Match::Mistaken;
  }
  return match;
}

bool begins_with_one_of(const std::string& term, const std::vector<std::string>& prefixes) {
  return std::ranges::any_of(prefixes, [&](const std::string& prefix) { return term.starts_with(prefix); });
}

TEST(PrefixSearch, finds_the_prefixes_of_exactly_the_terms_that_a_naive_comparison_finds) {
  const Characters alphabet = {"a", "b", "A", "B", "ä", "Ä", "k", "\u212a", "日", "c"};
  testing::run_seeds(100, [&](uint64_t seed) {
    std::mt19937_64 random(seed);
    const size_t letters = 2 + random() % (alphabet.size() - 1);
    const auto text = [&](size_t most) {
      std::string made;
      for (size_t i = random() % (most + 1); i > 0; --i) made += alphabet[random() % letters];
      return made;
    };
    TermDictionary dictionary;
    std::set<std::string> terms;
    for (int i = 0; i < 150; ++i) terms.insert(text(5) + alphabet[random() % letters]);
    for (const std::string& term : terms) dictionary.set(term, 1);
    for (int i = 0; i < 20; ++i) {
      const std::string prefix = text(5);
      const TypedPrefix typed{prefix, random() % 2 == 0, random() % 3 != 0};
      const MatchingPrefixes found = matching_prefixes(dictionary.terms(), typed);
      for (const std::string& term : terms) {
        SCOPED_TRACE(::testing::Message() << "term " << term << ", typed " << prefix << ", ignores case "
                                          << typed.ignores_case << ", fuzzy " << typed.allows_a_mistake);
        const bool is_right = begins_with_one_of(term, found.right);
        const bool is_mistaken = !is_right && begins_with_one_of(term, found.mistaken);
        ASSERT_EQ(is_right ? Match::Right : is_mistaken ? Match::Mistaken : Match::None, naive_match(term, typed));
      }
      for (const auto* list : {&found.right, &found.mistaken}) {
        for (const std::string& one : *list) {
          ASSERT_EQ(std::ranges::count_if(*list, [&](const auto& other) { return one.starts_with(other); }), 1);
        }
      }
    }
  });
}

TEST(PrefixSearch, a_plain_prefix_is_taken_as_it_is) {
  const TermDictionary dictionary;
  EXPECT_EQ(matching_prefixes(dictionary.terms(), {.text = "any"}).right, std::vector<std::string>{"any"});
}

TEST(PrefixSearch, takes_bytes_that_are_not_text_as_characters) {
  TermDictionary dictionary;
  for (const char* term : {"\xc3", "\xc3\xa4", "\xff\xfe", "x"}) dictionary.set(term, 1);
  const MatchingPrefixes found =
      matching_prefixes(dictionary.terms(), {.text = "\xfe", .ignores_case = true, .allows_a_mistake = true});
  EXPECT_TRUE(found.right.empty());
  EXPECT_FALSE(found.mistaken.empty());
}

TEST(PrefixSearch, ends_after_so_many_lookups_however_many_characters_follow) {
  TermDictionary dictionary;
  for (uint32_t i = 0x4e00; i < 0x9000; ++i) {
    const std::string character = {static_cast<char>(0xe0 | i >> 12), static_cast<char>(0x80 | (i >> 6 & 0x3f)),
                                   static_cast<char>(0x80 | (i & 0x3f))};
    dictionary.set(character, 1);
  }
  const MatchingPrefixes found =
      matching_prefixes(dictionary.terms(), {.text = "xy", .ignores_case = false, .allows_a_mistake = true});
  EXPECT_LT(found.mistaken.size(), kMostPrefixLookups);
}

}  // namespace

}  // namespace millrace
