// Tables: each row has what a client types behind the key, and the parser's result. A single space separates two words,
// so a space at the end makes an empty word.
#include "module/index/index_requests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

TEST(ParseIdxCreate, TakesFieldsAndOrders) {
  const auto words =
      words_of("prefix user: json FIELD a.b integer unique FIELD tags TEXT NOCASE MANY , ORDER both 2 a.b tags");
  const auto request = parse_idx_create(words);
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->prefix, "user:");
  EXPECT_TRUE(request->is_json);
  ASSERT_EQ(request->fields.size(), 2U);
  EXPECT_EQ(request->fields[0].name, "a.b");
  EXPECT_EQ(request->fields[0].type, FieldType::Integer);
  EXPECT_TRUE(request->fields[0].is_unique);
  EXPECT_TRUE(request->fields[1].ignores_case);
  EXPECT_EQ(request->fields[1].separator, ",");
  ASSERT_EQ(request->orders.size(), 1U);
  EXPECT_EQ(request->orders[0].fields, (std::vector<std::string>{"a.b", "tags"}));
  EXPECT_TRUE(parse_idx_create(words_of("PREFIX  FIELD a NUMBER"))) << "an empty prefix is every key";
}

TEST(ParseIdxCreate, RefusesEveryWrongForm) {
  expect_errors(
      parse_idx_create,
      {
          {"nothing", "", kSyntax, "syntax error: expected PREFIX, found nothing more"},
          {"no field", "PREFIX p", kSyntax, "syntax error: expected FIELD, found nothing more"},
          {"an order first", "PREFIX p ORDER o 2 a b", kSyntax, "syntax error: expected FIELD, found 'ORDER'"},
          {"no type", "PREFIX p FIELD a", kSyntax,
           "syntax error: expected INTEGER, NUMBER or TEXT, found nothing more"},
          {"another word", "PREFIX p FIELD a TEXT SORTABLE", kSyntax,
           "syntax error: expected FIELD or ORDER, found 'SORTABLE'"},
          {"twice", "PREFIX p FIELD a TEXT UNIQUE UNIQUE", kSyntax, "UNIQUE is given twice"},
          {"an order of one", "PREFIX p FIELD a TEXT ORDER o 1 a", kRange,
           "invalid number of fields '1': expected an integer from 2 to 8"},
          {"an empty separator", "PREFIX p FIELD a TEXT MANY ", kRange, "the separator has 0 bytes, expected 1 to 512"},
      });
}

TEST(ParseIdxAlter, TakesEveryForm) {
  using Kind = AlterIndexRequest::Kind;
  EXPECT_EQ(parse_idx_alter(words_of("ADD FIELD a NUMBER"))->kind, Kind::AddField);
  EXPECT_EQ(parse_idx_alter(words_of("add order o 2 a b"))->kind, Kind::AddOrder);
  const auto field = words_of("DROP FIELD a");
  EXPECT_EQ(parse_idx_alter(field)->name, "a");
  EXPECT_EQ(parse_idx_alter(words_of("DROP ORDER o"))->kind, Kind::DropOrder);
  expect_errors(parse_idx_alter,
                {
                    {"another word", "RENAME FIELD a", kSyntax, "syntax error: expected ADD or DROP, found 'RENAME'"},
                    {"of what", "ADD a", kSyntax, "syntax error: expected FIELD or ORDER, found 'a'"},
                    {"two", "DROP FIELD a b", kSyntax, "syntax error: expected nothing more, found 'b'"},
                });
}

TEST(ParseIdxFind, TakesConditionsAndOptionsInAnyOrder) {
  const auto words =
      words_of("LIMIT 7 WHERE age >= 18 REV where city in 2 WHERE IN ORDER o GET 2 GET LIMIT WITHVALUES AFTER 00");
  const auto request = parse_idx_find(words);
  ASSERT_TRUE(request) << request.error().text;
  ASSERT_EQ(request->where.size(), 2U);
  EXPECT_EQ(request->where[0].relation, FieldCondition::Operator::AtLeast);
  EXPECT_EQ(request->where[1].operands, (std::vector<ByteView>{"WHERE", "IN"})) << "no word needs an escape";
  EXPECT_EQ(request->get, (std::vector<ByteView>{"GET", "LIMIT"}));
  EXPECT_EQ(request->limit, 7U);
  EXPECT_TRUE(request->is_reversed && request->with_values);
  EXPECT_EQ(parse_idx_find({})->limit, 100U);
}

TEST(ParseIdxFind, RefusesEveryWrongForm) {
  expect_errors(
      parse_idx_find,
      {
          {"no relation", "WHERE a", kSyntax,
           "syntax error: expected =, <, <=, >, >=, BETWEEN, PREFIX or IN, found nothing more"},
          {"half a range", "WHERE a BETWEEN 1", kSyntax, "missing value"},
          {"none of many", "WHERE a IN 0", kRange, "invalid number of values '0': expected an integer from 1 to 1000"},
          {"too many", "LIMIT 10001", kRange, "invalid LIMIT '10001': expected an integer from 1 to 10000"},
          {"twice", "LIMIT 1 LIMIT 1", kSyntax, "LIMIT is given twice"},
          {"another word", "SORT a", kSyntax,
           "syntax error: expected WHERE, ORDER, REV, LIMIT, AFTER, GET or WITHVALUES, found 'SORT'"},
      });
}

TEST(ParseIdxRest, TakesEveryForm) {
  EXPECT_EQ(parse_idx_count(words_of("WHERE a = 1 WHERE a < 2"))->where.size(), 2U);
  EXPECT_EQ(parse_idx_sample(words_of("5 WHERE a = 1"))->count, 5U);
  EXPECT_EQ(parse_idx_sample(words_of("WHERE a = 1"))->count, 1U);
  EXPECT_EQ(parse_idx_recent({}), 10U);
  EXPECT_EQ(parse_idx_recent(words_of("1000")), 1000U);
  const auto complete = words_of("city  WITHCOUNTS limit 3");
  EXPECT_TRUE(parse_idx_complete(complete)->with_counts);
  EXPECT_EQ(parse_idx_complete(complete)->prefix, "");
  const auto put = words_of("k a 1 b 2");
  EXPECT_EQ(parse_idx_put(put)->pairs.size(), 4U);
  EXPECT_EQ(parse_idx_conflicts({}), 100U);
  EXPECT_EQ(parse_idx_skipped(words_of("COUNT 5")), 5U);
  EXPECT_TRUE(parse_idx_check(words_of("repair"))->repairs);
  EXPECT_EQ(parse_idx_apply(words_of("documents x"))->kind, 1);
}

TEST(ParseIdxRest, RefusesEveryWrongForm) {
  expect_errors(parse_idx_put, {
                                   {"no field", "k", kSyntax, "missing field"},
                                   {"half a pair", "k a 1 b", kSyntax, "missing value"},
                               });
  expect_errors(parse_idx_recent,
                {{"too many", "1001", kRange, "invalid count '1001': expected an integer from 1 to 1000"}});
  expect_errors(parse_idx_check, {{"another word", "NOW", kSyntax, "syntax error: expected REPAIR, found 'NOW'"}});
  expect_errors(parse_idx_skipped, {{"another word", "5", kSyntax, "syntax error: expected COUNT, found '5'"}});
  expect_errors(parse_idx_count, {{"another word", "5", kSyntax, "syntax error: expected WHERE, found '5'"}});
  expect_errors(parse_idx_apply, {{"an unknown part", "X y", kSyntax,
                                   "syntax error: expected SCHEMA, DOCUMENTS, LINES, SKIPPED or RECENT, found 'X'"}});
}

}  // namespace
}  // namespace millrace::module
