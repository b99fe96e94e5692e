#include "module/fact/fact_requests.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

TEST(FactRequests, FactsAreTakenAsTheyAre) {
  for (const auto parse : {parse_fact_add, parse_fact_del}) {
    const auto words = words_of("ann knows bob * =x LIMIT");
    const auto facts = parse(words);
    ASSERT_TRUE(facts);
    EXPECT_EQ(std::vector(facts->begin(), facts->end()), words);
  }
}

TEST(FactRequests, FactsThatAreNotWholeAreRefused) {
  const ErrorRow rows[] = {
      {"no predicate", "ann", kSyntax, "missing predicate"},
      {"no object", "ann knows", kSyntax, "missing object"},
      {"a second fact without object", "ann knows bob carl knows", kSyntax, "missing object"},
      {"an empty subject", " knows bob", kRange, "the subject has 0 bytes, expected 1 to 4096"},
      {"an empty object", "ann knows ", kRange, "the object has 0 bytes, expected 1 to 4096"},
  };
  expect_errors(parse_fact_add, rows);
  expect_errors(parse_fact_del, rows);
}

TEST(FactRequests, ANameThatIsTooLongIsRefused) {
  const std::string longest(kMaxFactName, 'x');
  const std::string too_long(kMaxFactName + 1, 'x');
  EXPECT_TRUE(parse_fact_add(std::vector<ByteView>{longest, "p", "o"}));
  EXPECT_FALSE(parse_fact_add(std::vector<ByteView>{too_long, "p", "o"}));
  EXPECT_FALSE(parse_fact_count(std::vector<ByteView>{too_long, "*", "*"}));
  EXPECT_TRUE(parse_fact_count(std::vector<ByteView>{longest, "*", "*"}));
  const std::string escaped = "=" + longest;
  EXPECT_EQ(parse_fact_count(std::vector<ByteView>{escaped, "*", "*"})->subject, longest);
}

TEST(FactRequests, AStarIsAnyAndAnEqualsSignTakesTheRestAsItIs) {
  const struct {
    ByteView word;
    std::optional<ByteView> name;
  } rows[] = {
      {"ann", "ann"}, {"*", std::nullopt}, {"=*", "*"}, {"=ann", "ann"}, {"==", "="}, {"==x", "=x"}, {"**", "**"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.word);
    const auto question = parse_fact_count(std::vector<ByteView>{row.word, "p", row.word});
    ASSERT_TRUE(question);
    EXPECT_EQ(question->subject, row.name);
    EXPECT_EQ(question->predicate, "p");
    EXPECT_EQ(question->object, row.name);
  }
}

TEST(FactRequests, FindTakesItsOptionsInAnyOrderAndCase) {
  const Fact last{FactName(1), FactName(2), FactName(3)};
  const struct {
    ByteView line;
    uint64_t limit;
    std::optional<Fact> after;
  } rows[] = {
      {"a * c", 1000, std::nullopt},
      {"a * c LIMIT 1", 1, std::nullopt},
      {"a * c after 1-2-3", 1000, last},
      {"a * c AFTER 1-2-3 limit 1000000", 1000000, last},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto words = words_of(row.line);
    const auto request = parse_fact_find(words);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->question.subject, "a");
    EXPECT_EQ(request->question.predicate, std::nullopt);
    EXPECT_EQ(request->question.object, "c");
    EXPECT_EQ(request->limit, row.limit);
    EXPECT_EQ(request->after, row.after);
  }
}

TEST(FactRequests, FindRefusesWhatItDoesNotKnow) {
  const ErrorRow rows[] = {
      {"no object", "a b", kSyntax, "missing object"},
      {"an empty name", "a = c", kRange, "the predicate has 0 bytes, expected 1 to 4096"},
      {"a limit of nothing", "a b c LIMIT 0", kRange, "invalid LIMIT '0': expected an integer from 1 to 1000000"},
      {"a huge limit", "a b c LIMIT 1000001", kRange, "invalid LIMIT '1000001': expected an integer from 1 to 1000000"},
      {"no cursor", "a b c AFTER", kSyntax, "missing AFTER cursor"},
      {"no such cursor", "a b c AFTER 0", kSyntax, "invalid AFTER cursor '0': expected one that FACT.FIND returned"},
      {"an option twice", "a b c LIMIT 1 LIMIT 1", kSyntax, "LIMIT is given twice"},
      {"another word", "a b c d", kSyntax, "syntax error: expected LIMIT or AFTER, found 'd'"},
  };
  expect_errors(parse_fact_find, rows);
}

TEST(FactRequests, CountTakesNoOptions) {
  const ErrorRow rows[] = {
      {"one more", "a b c d", kSyntax, "syntax error: expected nothing more, found 'd'"},
      {"one less", "a b", kSyntax, "missing object"},
  };
  expect_errors(parse_fact_count, rows);
}

TEST(FactRequests, WalkTakesItsOptionsInAnyOrderAndCase) {
  const auto plain = parse_fact_walk(words_of("ann *"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->start, "ann");
  EXPECT_EQ(plain->predicate, std::nullopt);
  EXPECT_FALSE(plain->is_reverse);
  EXPECT_EQ(plain->depth, UINT32_MAX);
  EXPECT_EQ(plain->limit, 1000u);
  const auto all = parse_fact_walk(words_of("=* knows limit 7 DEPTH 2 rev"));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->start, "*");
  EXPECT_EQ(all->predicate, "knows");
  EXPECT_TRUE(all->is_reverse);
  EXPECT_EQ(all->depth, 2u);
  EXPECT_EQ(all->limit, 7u);
  EXPECT_EQ(parse_fact_walk(words_of("REV TO TO DEPTH"))->end, "DEPTH");
}

TEST(FactRequests, WalkRefusesWhatItDoesNotKnow) {
  const ErrorRow rows[] = {
      {"no predicate", "ann", kSyntax, "missing predicate"},
      {"any start", "* knows", kSyntax, "the start must be one name; the name * is written =*"},
      {"any end", "ann knows TO *", kSyntax, "the end must be one name; the name * is written =*"},
      {"no end", "ann knows TO", kSyntax, "missing end"},
      {"no depth", "ann knows DEPTH 0", kRange, "invalid DEPTH '0': expected an integer from 1 to 4294967295"},
      {"a limit for a path", "ann knows TO bob LIMIT 1", kSyntax, "LIMIT and TO exclude each other"},
      {"an option twice", "ann knows REV REV", kSyntax, "REV is given twice"},
      {"another word", "ann knows bob", kSyntax, "syntax error: expected REV, DEPTH, LIMIT or TO, found 'bob'"},
  };
  expect_errors(parse_fact_walk, rows);
}

TEST(FactRequests, AnEffectIsAPart) {
  const auto effect = parse_fact_apply(words_of("facts bytes"));
  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->kind, 0);
  EXPECT_EQ(effect->bytes, "bytes");
  const ErrorRow rows[] = {
      {"no part", "FACTS", kSyntax, "missing part"},
      {"another word", "CLOCK 1", kSyntax, "syntax error: expected FACTS, found 'CLOCK'"},
      {"one more", "FACTS a b", kSyntax, "syntax error: expected nothing more, found 'b'"},
  };
  expect_errors(parse_fact_apply, rows);
}

}  // namespace
}  // namespace millrace::module
