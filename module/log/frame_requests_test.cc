// TWRITE and TREAD with FRAMED.
#include <gtest/gtest.h>

#include <vector>

#include "module/log/log_requests.h"
#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

TEST(ParseFramed, AWriteTakesAFrameInsteadOfEntries) {
  for (const ByteView line : {"FRAMED bytes", "framed bytes"}) {
    const std::vector<ByteView> words = words_of(line);
    const auto request = parse_twrite(words);
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_EQ(request->frame, "bytes");
    EXPECT_TRUE(request->pairs.empty());
  }
  const std::vector<ByteView> words = words_of("BACKLOG 5 ID x DELAY 7 FRAMED bytes");
  const auto request = parse_twrite(words);
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->frame, "bytes");
  EXPECT_EQ(request->backlog, 5u);
  EXPECT_EQ(request->id, "x");
  EXPECT_EQ(request->delay_ms, 7u);
}

TEST(ParseFramed, AfterEntriesATagMayBeTheWordFramed) {
  const std::vector<ByteView> words = words_of("ENTRIES FRAMED bytes");
  const auto request = parse_twrite(words);
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_FALSE(request->frame);
  EXPECT_EQ(request->pairs.size(), 2u);
}

TEST(ParseFramed, AWriteTakesOneFrameAndNothingAfterIt) {
  expect_errors(parse_twrite,
                {
                    {"no frame", "FRAMED", kSyntax, "missing frame"},
                    {"two", "FRAMED a b", kSyntax, "syntax error: expected nothing more, found 'b'"},
                    {"a date and a delay", "AT 1 DELAY 1 FRAMED a", kSyntax, "AT and DELAY exclude each other"},
                });
}

TEST(ParseFramed, AFramedReadTakesBlockAndMaxbytes) {
  const auto request = parse_tread(words_of("5 1000 MAXBYTES 700 framed BLOCK 10"));
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_TRUE(request->is_framed);
  EXPECT_TRUE(request->skip) << "a frame has no nulls";
  EXPECT_EQ(request->max_bytes, 700u);
  EXPECT_EQ(request->block_ms, 10u);
  EXPECT_TRUE(parse_tread(words_of("77.5 1000 FRAMED"))->epoch);
  EXPECT_FALSE(parse_tread(words_of("5 1000"))->is_framed);
}

TEST(ParseFramed, AFramedReadTakesNoOtherOption) {
  constexpr char kOnly[] = "FRAMED goes with BLOCK and MAXBYTES only";
  expect_errors(parse_tread, {
                                 {"a group", "5 10 FRAMED GROUP g", kSyntax, kOnly},
                                 {"information", "5 10 FRAMED WITHINFO", kSyntax, kOnly},
                                 {"dates", "5 10 WITHTIME FRAMED", kSyntax, kOnly},
                                 {"SKIP", "5 10 FRAMED SKIP", kSyntax, kOnly},
                                 {"backwards", "5 10 REV FRAMED", kSyntax, kOnly},
                                 {"tags", "5 10 FRAMED TAGS 1 a", kSyntax, kOnly},
                                 {"twice", "5 10 FRAMED FRAMED", kSyntax, "FRAMED is given twice"},
                             });
}

}  // namespace
}  // namespace millrace::module
