#include "module/words/argument_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::module {
namespace {

using WordList = std::vector<ByteView>;

TEST(ArgumentReader, GivesWordsInOrder) {
  const WordList words = {"one", "", ByteView("\0\n", 2)};
  ArgumentReader reader(words);
  EXPECT_EQ(reader.left(), 3u);
  EXPECT_EQ(reader.word("a"), "one");
  EXPECT_EQ(reader.word("b"), "");
  EXPECT_FALSE(reader.at_end());
  EXPECT_EQ(reader.word("c"), ByteView("\0\n", 2));
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(reader.failed());
}

TEST(ArgumentReader, NamesTheWordThatIsMissing) {
  ArgumentReader reader(WordList{});
  EXPECT_EQ(reader.word("group name"), "");
  ASSERT_TRUE(reader.failed());
  EXPECT_EQ(reader.error().error().code, ErrorCode::Syntax);
  EXPECT_EQ(reader.error().error().text, "missing group name");
}

TEST(ArgumentReader, RecognisesAKeywordInAnyLetterCase) {
  for (ByteView word : {"BLOCK", "block", "bLoCk"}) {
    SCOPED_TRACE(word);
    const WordList words = {word};
    ArgumentReader reader(words);
    EXPECT_TRUE(reader.keyword("BLOCK"));
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(ArgumentReader, DoesNotTakeAWordThatIsNotTheKeyword) {
  // The last one differs from "BLOCK" only by the bit between upper and lower case.
  for (ByteView word :
       {ByteView("BLOC"), ByteView("BLOCKS"), ByteView(""), ByteView("BLOCK\0", 6), ByteView("\"LOCK")}) {
    SCOPED_TRACE(word);
    const WordList words = {word};
    ArgumentReader reader(words);
    EXPECT_FALSE(reader.keyword("BLOCK"));
    EXPECT_EQ(reader.left(), 1u);
    EXPECT_FALSE(reader.failed());
  }
  ArgumentReader none(WordList{});
  EXPECT_FALSE(none.keyword("BLOCK"));
}

TEST(ArgumentReader, TakesAnOptionOnce) {
  const WordList words = {"SKIP", "skip"};
  ArgumentReader reader(words);
  bool given = false;
  EXPECT_TRUE(reader.option("SKIP", given));
  EXPECT_TRUE(given);
  EXPECT_FALSE(reader.failed());
  EXPECT_TRUE(reader.option("SKIP", given));
  ASSERT_TRUE(reader.failed());
  EXPECT_EQ(reader.error().error().text, "SKIP is given twice");
}

struct NumberRow {
  ByteView word;
  bool valid;
};

TEST(ArgumentReader, TakesOnlyWholeNumbersInRange) {
  const NumberRow rows[] = {
      {"0", false},
      {"1", true},
      {"007", true},
      {"100", true},
      {"101", false},
      {"-1", false},
      {"+5", false},
      {"", false},
      {" 5", false},
      {"5 ", false},
      {"5x", false},
      {"0x5", false},
      {"5.0", false},
      {"1e1", false},
      {"ten", false},
      {ByteView("5\0", 2), false},
      {"-", false},
      {"٣", false},
      {"18446744073709551615", false},
      {"18446744073709551616", false},
      {"99999999999999999999999", false},
  };
  for (const NumberRow& row : rows) {
    SCOPED_TRACE(row.word);
    const WordList words = {row.word};
    ArgumentReader reader(words);
    const uint64_t value = reader.number("count", 1, 100);
    ASSERT_EQ(reader.failed(), !row.valid);
    if (row.valid) {
      EXPECT_EQ(std::to_string(value), row.word == "007" ? "7" : row.word);
    } else {
      EXPECT_EQ(value, 0u);
      EXPECT_EQ(reader.error().error().code, ErrorCode::Range);
      EXPECT_EQ(reader.error().error().text,
                "invalid count " + quoted(row.word) + ": expected an integer from 1 to 100");
    }
  }
}

TEST(ArgumentReader, TakesTheWholeRangeOfSixtyFourBits) {
  const WordList words = {"18446744073709551615", "-9223372036854775808", "9223372036854775807"};
  ArgumentReader reader(words);
  EXPECT_EQ(reader.number("n", 0, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(reader.signed_number("n", INT64_MIN, INT64_MAX), INT64_MIN);
  EXPECT_EQ(reader.signed_number("n", INT64_MIN, INT64_MAX), INT64_MAX);
  EXPECT_FALSE(reader.failed());
}

// Numbers of up to 18 digits are read in another way.
TEST(ArgumentReader, ReadsNumbersOfAnyLength) {
  const struct {
    ByteView word;
    uint64_t number;
  } rows[] = {{"0", 0},
              {"0007", 7},
              {"999999999999999999", 999'999'999'999'999'999},
              {"1000000000000000000", 1'000'000'000'000'000'000},
              {"0000000000000000000000042", 42}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.word);
    const WordList words = {row.word};
    ArgumentReader reader(words);
    EXPECT_EQ(reader.number("n", 0, UINT64_MAX), row.number);
    EXPECT_FALSE(reader.failed());
  }
  for (ByteView word : {"", "1x", "x1", "+1", "-1", " 1", "1.0", "18446744073709551616", "1\xb0"}) {
    SCOPED_TRACE(word);
    const WordList words = {word};
    ArgumentReader reader(words);
    reader.number("n", 0, UINT64_MAX);
    EXPECT_TRUE(reader.failed());
  }
}

TEST(ArgumentReader, TakesSignedNumbersInRangeOnly) {
  for (ByteView word : {"-6", "6", "--1", "-", "9223372036854775808", "-9223372036854775809"}) {
    SCOPED_TRACE(word);
    const WordList words = {word};
    ArgumentReader reader(words);
    EXPECT_EQ(reader.signed_number("offset", -5, 5), 0);
    ASSERT_TRUE(reader.failed());
    EXPECT_EQ(reader.error().error().text, "invalid offset " + quoted(word) + ": expected an integer from -5 to 5");
  }
}

TEST(ArgumentReader, KeepsTheFirstError) {
  const WordList words = {"x", "y"};
  ArgumentReader reader(words);
  reader.number("count", 0, 1);
  const std::string first = reader.error().error().text;
  reader.unknown_word("anything");
  reader.fail(ErrorCode::Syntax, "later");
  reader.number("other", 0, 1);
  EXPECT_EQ(reader.word("word"), "");
  EXPECT_FALSE(reader.keyword("Y"));
  EXPECT_TRUE(reader.at_end()) << "a loop over the words ends";
  EXPECT_EQ(reader.error().error().text, first);
}

TEST(ArgumentReader, SaysWhatItFoundInsteadOfAKnownWord) {
  const WordList words = {"BLOKC"};
  ArgumentReader reader(words);
  reader.unknown_word("BLOCK or SKIP");
  EXPECT_EQ(reader.error().error().text, "syntax error: expected BLOCK or SKIP, found 'BLOKC'");
  ArgumentReader none(WordList{});
  none.unknown_word("BLOCK or SKIP");
  EXPECT_EQ(none.error().error().text, "syntax error: expected BLOCK or SKIP, found nothing more");
}

TEST(Quoted, IsPrintableAndShortWhateverTheWord) {
  EXPECT_EQ(quoted("word"), "'word'");
  EXPECT_EQ(quoted(""), "''");
  // A line break would end the error reply, and the rest would be read as the next reply.
  EXPECT_EQ(quoted(ByteView("a\r\n\0\x7f\xff+OK", 9)), "'a?????+OK'");
  EXPECT_EQ(millrace::quoted(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(millrace::quoted(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace millrace::module
