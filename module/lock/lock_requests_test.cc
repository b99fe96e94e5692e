#include "module/lock/lock_requests.h"

#include <gtest/gtest.h>

#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

TEST(LockRequests, AcquireTakesItsWordsInAnyOrderAndCase) {
  const struct {
    ByteView line;
    LockMode mode;
    std::optional<uint64_t> block_ms;
  } rows[] = {
      {"ann 500", LockMode::exclusive(), std::nullopt},
      {"ann 500 WAIT 0", LockMode::exclusive(), std::nullopt},
      {"ann 500 wait 70", LockMode::exclusive(), 70},
      {"ann 500 SHARED", LockMode::shared(), std::nullopt},
      {"ann 500 Shared WAIT 9", LockMode::shared(), 9},
      {"ann 500 WAIT 9 SHARED", LockMode::shared(), 9},
      {"ann 500 LIMIT 1", LockMode::limit(1), std::nullopt},
      {"ann 500 WAIT 9007199254740991 limit 4294967295", LockMode::limit(kMaxPermits), kMaxLeaseMs},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto words = words_of(row.line);
    const auto request = parse_lock_acquire(words);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->owner, "ann");
    EXPECT_EQ(request->ttl_ms, 500u);
    EXPECT_EQ(request->mode, row.mode);
    EXPECT_EQ(request->block_ms, row.block_ms);
  }
}

TEST(LockRequests, AnOwnerMayBeAKeyword) {
  const auto words = words_of("SHARED 1");
  EXPECT_EQ(parse_lock_acquire(words)->owner, "SHARED");
}

TEST(LockRequests, AcquireRefusesInvalidForms) {
  expect_errors(
      parse_lock_acquire,
      {{"nothing", "", kSyntax, "missing owner"},
       {"an empty owner", " 5", kRange, "the owner has 0 bytes, expected 1 to 1024"},
       {"no time", "ann", kSyntax, "missing lease time"},
       {"no time at all", "ann 0", kRange, "invalid lease time '0': expected an integer from 1 to 9007199254740991"},
       {"not a time", "ann soon", kRange, "invalid lease time 'soon': expected an integer from 1 to 9007199254740991"},
       {"too long", "ann 9007199254740992", kRange,
        "invalid lease time '9007199254740992': expected an integer from 1 to 9007199254740991"},
       {"two modes", "ann 5 SHARED LIMIT 3", kSyntax, "SHARED and LIMIT exclude each other"},
       {"twice", "ann 5 SHARED SHARED", kSyntax, "SHARED is given twice"},
       {"no permits", "ann 5 LIMIT 0", kRange, "invalid LIMIT '0': expected an integer from 1 to 4294967295"},
       {"no number", "ann 5 LIMIT", kSyntax, "missing LIMIT"},
       {"a negative wait", "ann 5 WAIT -1", kRange,
        "invalid WAIT time '-1': expected an integer from 0 to 9007199254740991"},
       {"something else", "ann 5 BLOCK 3", kSyntax,
        "syntax error: expected SHARED, LIMIT, VALUE, WAIT or ALIVE, found 'BLOCK'"},
       {"alive without a wait", "ann 5 ALIVE 3", kSyntax, "ALIVE is for a grant that was waited for: it needs WAIT"},
       {"no time to live", "ann 5 WAIT 9 ALIVE 0", kRange,
        "invalid ALIVE time '0': expected an integer from 1 to 9007199254740991"},
       {"no value", "ann 5 VALUE", kSyntax, "missing VALUE"}});
  const std::string long_value(kMaxLockValue + 1, 'x');
  const ByteView words[] = {"ann", "5", "VALUE", long_value};
  EXPECT_EQ(parse_lock_acquire(words).error().text, "VALUE has 65536 bytes at most");
}

TEST(LockRequests, AcquireTakesAValueAndATimeToConfirm) {
  const auto words = words_of("ann 500 value text ALIVE 7 WAIT 9");
  const auto request = parse_lock_acquire(words);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->value, "text");
  EXPECT_EQ(request->alive_ms, 7U);
  EXPECT_FALSE(parse_lock_acquire(words_of("ann 500"))->value);
}

TEST(LockRequests, WatchTakesATokenAndATime) {
  EXPECT_EQ(parse_lock_watch(words_of(""))->token, Token(0));
  const auto request = parse_lock_watch(words_of("BLOCK 0 token 17"));
  EXPECT_EQ(request->token, Token(17));
  EXPECT_EQ(request->block_ms, 0U);
  expect_errors(parse_lock_watch, {{"a word", "FOR", kSyntax, "syntax error: expected TOKEN or BLOCK, found 'FOR'"},
                                   {"twice", "TOKEN 1 TOKEN 1", kSyntax, "TOKEN is given twice"}});
}

TEST(LockRequests, ReleaseAndRenewTakeAnOwner) {
  EXPECT_EQ(*parse_lock_release(words_of("ann")), "ann");
  const auto words = words_of("ann 70");
  EXPECT_EQ(parse_lock_renew(words)->owner, "ann");
  EXPECT_EQ(parse_lock_renew(words)->ttl_ms, 70u);
  EXPECT_EQ(parse_lock_renew(words)->token, Token(0)) << "as it is";
}

TEST(LockRequests, RenewTakesATokenAsTheNewMinimum) {
  EXPECT_EQ(parse_lock_renew(words_of("ann 70 TOKEN 1"))->token, Token(1));
  EXPECT_EQ(parse_lock_renew(words_of("ann 70 token 9007199254740991"))->token, kMaxToken);
  EXPECT_EQ(parse_lock_renew(words_of("TOKEN 70 TOKEN 3"))->owner, "TOKEN");
}

TEST(LockRequests, ReleaseAndRenewRefuseInvalidForms) {
  expect_errors(parse_lock_release,
                {{"nothing", "", kSyntax, "missing owner"},
                 {"too much", "ann bob", kSyntax, "syntax error: expected nothing more, found 'bob'"}});
  expect_errors(
      parse_lock_renew,
      {{"no time", "ann", kSyntax, "missing lease time"},
       {"too much", "ann 5 6", kSyntax, "syntax error: expected TOKEN, found '6'"},
       {"never", "ann 0", kRange, "invalid lease time '0': expected an integer from 1 to 9007199254740991"},
       {"no token", "ann 5 TOKEN", kSyntax, "missing TOKEN"},
       {"token zero", "ann 5 TOKEN 0", kRange, "invalid TOKEN '0': expected an integer from 1 to 9007199254740991"},
       {"a token no double holds", "ann 5 TOKEN 9007199254740992", kRange,
        "invalid TOKEN '9007199254740992': expected an integer from 1 to 9007199254740991"},
       {"two tokens", "ann 5 TOKEN 6 TOKEN 7", kSyntax, "syntax error: expected nothing more, found 'TOKEN'"}});
}

TEST(LockRequests, AnOwnerThatIsTooLongIsRefused) {
  const std::string longest(kMaxOwner, 'x'), longer(kMaxOwner + 1, 'x');
  const ByteView fits[] = {longest}, too_long[] = {longer};
  EXPECT_TRUE(parse_lock_release(fits));
  ASSERT_FALSE(parse_lock_release(too_long));
  EXPECT_EQ(parse_lock_release(too_long).error().text, "the owner has 1025 bytes, expected 1 to 1024");
}

TEST(LockRequests, ListsTakeACount) {
  EXPECT_EQ(parse_lock_info({})->count, 100u);
  EXPECT_EQ(parse_lock_waits({})->count, 100u);
  EXPECT_EQ(parse_lock_info(words_of("count 0"))->count, 0u);
  EXPECT_EQ(parse_lock_waits(words_of("COUNT 1000000"))->count, kMaxReadCount);
  expect_errors(parse_lock_waits, {{"no number", "COUNT", kSyntax, "missing COUNT"},
                                   {"too many", "COUNT 1000001", kRange,
                                    "invalid COUNT '1000001': expected an integer from 0 to 1000000"},
                                   {"twice", "COUNT 1 COUNT 1", kSyntax, "COUNT is given twice"},
                                   {"something else", "ALL", kSyntax, "syntax error: expected COUNT, found 'ALL'"}});
}

}  // namespace
}  // namespace millrace::module
