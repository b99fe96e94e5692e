#include "engine/base/case_folding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace millrace {

namespace {

TEST(CaseFolding, folds_each_character_by_itself) {
  const struct {
    const char* text;
    const char* folded;
  } rows[] = {
      {"", ""},
      {"Hello", "hello"},
      {"ÄÖÜ", "äöü"},
      {"Straße", "straße"},
      {"STRASSE", "strasse"},
      {"ΣΑΣ", "σασ"},
      {"ς", "σ"},
      {"ДОМ", "дом"},
      {"\u212a", "k"},
      {"ẞ", "ß"},
      {"日本", "日本"},
      {"\xff\xfeX", "\xff\xfex"},
  };
  for (const auto& row : rows) EXPECT_EQ(fold_case(row.text), row.folded) << row.text;
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

TEST(CaseFolding, variants_are_all_characters_with_the_same_folded_form) {
  using Texts = std::vector<std::string>;
  for (const char* letter : {"k", "K", "\u212a"}) {
    EXPECT_EQ(sorted(case_variants(letter)), (Texts{"K", "k", "\u212a"})) << letter;
  }
  EXPECT_EQ(sorted(case_variants("a")), (Texts{"A", "a"}));
  EXPECT_EQ(sorted(case_variants("Σ")), sorted({"σ", "Σ", "ς"}));
  EXPECT_EQ(sorted(case_variants("ä")), sorted({"ä", "Ä"}));
  EXPECT_EQ(case_variants("7"), Texts{"7"});
  EXPECT_EQ(case_variants("日"), Texts{"日"});
  EXPECT_EQ(case_variants("\xff"), Texts{"\xff"});
}

TEST(CaseFolding, a_variant_folds_to_the_same_and_every_character_is_its_own_variant) {
  for (uint32_t character = 0x80; character < 0x800; ++character) {
    const std::string text = {static_cast<char>(0xc0 | character >> 6), static_cast<char>(0x80 | (character & 0x3f))};
    const auto variants = case_variants(text);
    EXPECT_NE(std::ranges::find(variants, text), variants.end()) << character;
    for (const std::string& variant : variants) EXPECT_EQ(fold_case(variant), fold_case(text)) << character;
  }
}

}  // namespace

}  // namespace millrace
