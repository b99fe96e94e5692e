#include "client/load/csv_splitter.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

using namespace std::string_literals;
using Fields = std::vector<std::string>;
using Kind = Split::Kind;

Fields fields_of(const CsvSplitter& splitter) { return {splitter.fields().begin(), splitter.fields().end()}; }

struct RecordRow {
  const char* name;
  std::string bytes;  // the first record has `size` bytes; 0: all bytes
  Fields fields;
  size_t size = 0;
};

void expect_records(CsvSplitter::Style style, const std::vector<RecordRow>& rows) {
  for (const RecordRow& row : rows) {
    SCOPED_TRACE(row.name);
    CsvSplitter splitter(style);
    const Split split = splitter.split(row.bytes, true);
    ASSERT_EQ(split.kind, Kind::Record) << split.problem;
    EXPECT_EQ(split.size, row.size == 0 ? row.bytes.size() : row.size);
    EXPECT_EQ(fields_of(splitter), row.fields);
  }
}

TEST(CsvSplitter, ARecordIsTakenApartAsRfc4180Says) {
  expect_records(CsvSplitter::kCsv, {
                                        {"one field", "a\n", {"a"}},
                                        {"fields", "a,b,c\n", {"a", "b", "c"}},
                                        {"the first of two records", "a,b\nc,d\n", {"a", "b"}, 4},
                                        {"CRLF", "a,b\r\n", {"a", "b"}},
                                        {"the end of the input ends a line", "a,b", {"a", "b"}},
                                        {"empty fields", ",,\n", {"", "", ""}},
                                        {"a field of spaces", " , \n", {" ", " "}},
                                        {"quotes", "\"a\",\"b\"\n", {"a", "b"}},
                                        {"quotes and CRLF", "\"a\",\"b\"\r\n", {"a", "b"}},
                                        {"a quoted field and one that is not, CRLF", "\"a\",b\r\n", {"a", "b"}},
                                        {"quotes at the end of the input", "a,\"b\"", {"a", "b"}},
                                        {"an empty quoted field", "\"\"\n", {""}},
                                        {"a comma in quotes", "\"a,b\",c\n", {"a,b", "c"}},
                                        {"line ends in quotes", "\"a\nb\r\nc\",d\n", {"a\nb\r\nc", "d"}},
                                        {"two quotes in quotes", "\"a\"\"b\",c\n", {"a\"b", "c"}},
                                        {"only two quotes in quotes", "\"\"\"\"\n", {"\""}},
                                        {"several fields with two quotes", "\"a\"\"\",\"\"\"b\"\n", {"a\"", "\"b"}},
                                        {"an empty last field behind quotes", "\"a\",\n", {"a", ""}},
                                        {"a zero byte", "a\0b,c\n"s, {"a\0b"s, "c"}},
                                        {"CR that ends no line", "a\rb,\"c\"\n", {"a\rb", "c"}},
                                    });
}

TEST(CsvSplitter, TsvHasTabsAndNoQuotes) {
  expect_records(CsvSplitter::kTsv, {
                                        {"fields", "a\tb\n", {"a", "b"}},
                                        {"quotes are text", "\"a\tb\"\r\n", {"\"a", "b\""}},
                                        {"a comma is text", "a,b\n", {"a,b"}},
                                    });
}

TEST(CsvSplitter, TheTextOfARecordIsAsItStandsThereWithoutItsEnd) {
  for (const auto& [bytes, text] :
       {std::pair{"a,b\r\nc"s, "a,b"s}, {"a,\"b\n\"\r\n", "a,\"b\n\""}, {"\"a\"", "\"a\""}}) {
    CsvSplitter splitter(CsvSplitter::kCsv);
    ASSERT_EQ(splitter.split(bytes, true).kind, Kind::Record);
    EXPECT_EQ(splitter.text(), text);
  }
}

TEST(CsvSplitter, WhatIsNoRecordIsRefusedAndCostsAsLittleAsCanBe) {
  const struct {
    const char* name;
    std::string bytes;
    const char* problem;
    size_t size;
  } rows[] = {
      {"text behind a quoted field", "\"a\"b,c\nnext\n", "text behind the closing quote of a field", 7},
      {"a space behind a quoted field", "\"a\" ,c\n", "text behind the closing quote of a field", 7},
      {"text behind a field of two lines", "\"a\nb\"c\nnext\n", "text behind the closing quote of a field", 7},
      {"a quote within a field", "a\"b,c\nnext\n", "a quote within a field that does not begin with one", 6},
      {"a quote that is not closed costs one line", "\"a,b\nnext\nmore\n", "a quote that is never closed", 5},
      {"a quote that is not closed at the very end", "a,\"b", "a quote that is never closed", 4},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    CsvSplitter splitter(CsvSplitter::kCsv);
    const Split split = splitter.split(row.bytes, true);
    EXPECT_EQ(split.kind, Kind::Bad);
    EXPECT_EQ(split.problem, row.problem);
    EXPECT_EQ(split.size, row.size);
  }
}

TEST(CsvSplitter, ABlankLineIsNothing) {
  for (const char* bytes : {"\n", "\r\n"}) {
    EXPECT_EQ(CsvSplitter(CsvSplitter::kCsv).split(bytes, false).kind, Kind::Nothing);
  }
}

// The record is the same, however the input is divided into windows.
TEST(CsvSplitter, ARecordThatIsCutAnywhereNeedsMore) {
  const std::string record = "a,\"b\"\"\r\n,\",\"\",\"c\"\r\n";
  for (size_t shown = 0; shown < record.size(); ++shown) {
    SCOPED_TRACE(shown);
    EXPECT_EQ(CsvSplitter(CsvSplitter::kCsv).split(record.substr(0, shown), false).kind, Kind::NeedsMore);
  }
  CsvSplitter splitter(CsvSplitter::kCsv);
  EXPECT_EQ(splitter.split(record, false).size, record.size());
  EXPECT_EQ(fields_of(splitter), (Fields{"a", "b\"\r\n,", "", "c"}));
}

TEST(CsvSplitter, AWindowThatCannotGrowCostsOneLineOrTheFile) {
  EXPECT_EQ(CsvSplitter::too_long("\"a\nbbb").size, 3U);
  EXPECT_EQ(CsvSplitter::too_long("\"a\nbbb").kind, Kind::Bad);
  EXPECT_EQ(CsvSplitter::too_long("aaaa").kind, Kind::Lost);
}

}  // namespace
}  // namespace millrace::client
