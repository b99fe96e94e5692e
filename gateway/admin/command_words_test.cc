#include "gateway/admin/command_words.h"

#include <gtest/gtest.h>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

// A request with these names in its path, this query and this body.
struct Asked {
  std::vector<std::string> names = {};
  const char* query = "";
  std::string body = {};

  ExchangePtr exchange() const {
    Request request;
    EXPECT_TRUE(parse_target(std::string("/v1/admin/x") + query, request)) << query;
    request.body = body;
    auto exchange = std::make_shared<Exchange>(std::move(request), "127.0.0.1", nullptr);
    exchange->names = names;
    return exchange;
  }
};

struct TemplateRow {
  const char* name;
  const char* text;
  Asked asked;
  Words words;
};

TEST(FillTemplate, BecomesTheWordsOfACommand) {
  const TemplateRow rows[] = {
      {"words and names", "TDEL $1 $2", {.names = {"a b", "7"}}, {"TDEL", "a b", "7"}},
      {"the usual page", "X COUNT <count>", {}, {"X", "COUNT", "100"}},
      {"a page and one more", "X COUNT <count+1>", {.query = "?count=10"}, {"X", "COUNT", "11"}},
      {"a parameter of the query", "X <a>", {.query = "?a=%FF%00b"}, {"X", std::string("\xff\0b", 3)}},
      {"a parameter of the body", "X <a>", {.body = R"({"a":"é"})"}, {"X", "é"}},
      {"the body before the query", "X <a>", {.query = "?a=1", .body = R"({"a":2})"}, {"X", "2"}},
      {"bytes", "X <a>", {.body = R"({"a":{"base64":"/wA="}})"}, {"X", std::string("\xff\0", 2)}},
      {"JSON as it is written", "X <a>", {.body = R"({"a":{"b":[1, 2]}})"}, {"X", R"({"b":[1,2]})"}},
      {"an object that only begins as bytes do",
       "X <a>",
       {.body = R"({"a":{"base64":"/wA=","b":1}})"},
       {"X", R"({"base64":"/wA=","b":1})"}},
      {"a default", "X <a=b>", {}, {"X", "b"}},
      {"an empty default", "X <a=>", {}, {"X", ""}},
      {"a value in place of the default", "X <a=b>", {.body = R"({"a":""})"}, {"X", ""}},
      {"null is none", "X <a=b>", {.body = R"({"a":null})"}, {"X", "b"}},
      {"an option that is given", "X [AFTER <a>] Y", {.query = "?a=b"}, {"X", "AFTER", "b", "Y"}},
      {"an option that is not", "X [AFTER <a>] Y", {}, {"X", "Y"}},
      {"a flag that is true", "X [NOW ?now]", {.query = "?now=1"}, {"X", "NOW"}},
      {"a flag of the body", "X [NOW ?now]", {.body = R"({"now":true})"}, {"X", "NOW"}},
      {"a flag that is false", "X [NOW ?now]", {.body = R"({"now":false})"}, {"X"}},
      {"a list", "X <a...>", {.body = R"({"a":[1,"2-3",{"base64":"/w=="}]})"}, {"X", "1", "2-3", "\xff"}},
      {"a list of the query", "X <a...>", {.query = "?a=b,,c"}, {"X", "b", "c"}},
      {"a word stays a word", "X <a> Y", {.query = "?a=$1+%3Cb%3E+%5BZ%5D"}, {"X", "$1 <b> [Z]", "Y"}},
  };
  for (const TemplateRow& row : rows) {
    const ExchangePtr exchange = row.asked.exchange();
    AdminInput input(*exchange);
    EXPECT_EQ(fill_template(row.text, input).words, row.words) << row.name;
    EXPECT_FALSE(input.wrong()) << row.name;
  }
}

TEST(FillTemplate, KnowsWhichWordIsTheKey) {
  const ExchangePtr exchange = Asked{.names = {"orders", "billing"}}.exchange();
  AdminInput input(*exchange);
  EXPECT_EQ(fill_template("TGROUP DROP $1 $2", input).key, 2U);
  EXPECT_EQ(fill_template("TDEL $1 $2", input).key, 1U);
  EXPECT_EQ(fill_template("ROUTE.PATTERNS", input).key, Upstream::kNoKey);
}

struct RefusedRow {
  const char* name;
  const char* text;
  Asked asked;
  const char* said;
};

TEST(FillTemplate, RefusesWhatIsMissingOrOutOfBounds) {
  const RefusedRow rows[] = {
      {"no parameter", "X <a>", {}, "expected 'a'"},
      {"null as a parameter", "X <a>", {.body = R"({"a":null})"}, "expected 'a'"},
      {"half of a surrogate pair", "X <a>", {.body = R"({"a":"\ud800"})"}, "expected 'a'"},
      {"bytes that are no base64", "X <a>", {.body = R"({"a":{"base64":"?"}})"}, "expected 'a'"},
      {"no list", "X <a...>", {}, "expected a list 'a'"},
      {"an empty list", "X <a...>", {.body = R"({"a":[]})"}, "expected a list 'a'"},
      {"a number in place of a list", "X <a...>", {.body = R"({"a":1})"}, "expected a list 'a'"},
      {"no page", "X <count>", {.query = "?count=0"}, "invalid 'count'"},
      {"a page below none", "X <count>", {.query = "?count=-1"}, "invalid 'count'"},
      {"a large page", "X <count>", {.query = "?count=1001"}, "invalid 'count'"},
      {"more than a number holds", "X <count>", {.query = "?count=9223372036854775808"}, "invalid 'count'"},
      {"no number", "X <count>", {.query = "?count=NaN"}, "invalid 'count'"},
      {"a fraction", "X <count>", {.body = R"({"count":1.5})"}, "invalid 'count'"},
      {"an empty count", "X <count>", {.query = "?count="}, "invalid 'count'"},
      {"a cursor that is none of ours", "X", {.query = "?cursor=~%3F"}, "invalid 'cursor'"},
      {"no JSON", "X", {.body = "{"}, "the body is no JSON object"},
      {"no object", "X", {.body = "[]"}, "the body is no JSON object"},
  };
  for (const RefusedRow& row : rows) {
    const ExchangePtr exchange = row.asked.exchange();
    AdminInput input(*exchange);
    fill_template(row.text, input);
    ASSERT_TRUE(input.wrong()) << row.name;
    EXPECT_EQ(input.wrong()->status, 400) << row.name;
    EXPECT_NE(input.wrong()->body.find(row.said), std::string::npos) << row.name << ": " << input.wrong()->body;
  }
}

TEST(Cursor, ComesBackAsItWas) {
  for (const std::string& bytes :
       {std::string("orders"), std::string("~tilde"), std::string("a\0b\xff", 4), std::string("\"\n%")}) {
    std::string json;
    append_cursor(json, bytes);
    const auto object = JsonObject::parse("{" + json.substr(1) + "}");
    ASSERT_TRUE(object) << json;
    const std::string given = *object->text("cursor");
    const ExchangePtr by_body = Asked{.body = "{" + json.substr(1) + "}"}.exchange();
    EXPECT_EQ(AdminInput(*by_body).value("cursor"), bytes);
    Request request;
    request.query = {{"cursor", given}};
    const Exchange by_query(std::move(request), "", nullptr);
    EXPECT_EQ(AdminInput(by_query).value("cursor"), bytes);
  }
}

}  // namespace
}  // namespace millrace::gateway
