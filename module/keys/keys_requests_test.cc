#include "module/keys/keys_requests.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace millrace::module {
namespace {

Result<KeysRequest> parsed(std::vector<ByteView> words) { return parse_millrace_keys(words); }

TEST(ParseMillraceKeys, TakesEveryRightForm) {
  const auto plain = parsed({});
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->type || plain->pattern || plain->after || plain->with_info);
  EXPECT_EQ(plain->count, 100u);
  const auto all = parsed({"withinfo", "type", "Pool", "match", "a*", "cursor", "", "count", "0"});
  ASSERT_TRUE(all) << all.error().text;
  EXPECT_EQ(all->type, KeyType{2});
  EXPECT_EQ(all->pattern, "a*");
  EXPECT_EQ(all->after, "");
  EXPECT_EQ(all->count, 0u);
  EXPECT_TRUE(all->with_info);
}

TEST(ParseMillraceKeys, RefusesEveryWrongForm) {
  const struct {
    const char* name;
    std::vector<ByteView> words;
    const char* error;
  } rows[] = {
      {"no type", {"TYPE"}, "missing TYPE"},
      {"another type",
       {"TYPE", "hash"},
       "invalid TYPE 'hash': expected log, channel, pool, lock, route, index, fact or suggest"},
      {"no pattern", {"MATCH"}, "missing MATCH"},
      {"no cursor", {"CURSOR"}, "missing CURSOR"},
      {"too many", {"COUNT", "10001"}, "invalid COUNT '10001': expected an integer from 0 to 10000"},
      {"twice", {"WITHINFO", "WITHINFO"}, "WITHINFO is given twice"},
      {"another word", {"KEYS"}, "syntax error: expected TYPE, MATCH, CURSOR, COUNT or WITHINFO, found 'KEYS'"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto request = parsed(row.words);
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().text, row.error);
  }
  const std::string pattern(1025, '*');
  ASSERT_FALSE(parsed({"MATCH", pattern}));
}

}  // namespace
}  // namespace millrace::module
