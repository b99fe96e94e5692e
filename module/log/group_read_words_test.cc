#include "module/log/group_read_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "module/log/log_requests.h"

namespace millrace::module {
namespace {

struct Row {
  const char* name;
  std::vector<ByteView> words;
  bool with_group;
};

const std::vector<Row> kRows = {
    {"alone", {"TREAD", "k", "1", "1"}, false},
    {"a group", {"TREAD", "k", "1", "1", "GROUP", "g"}, true},
    {"in any case", {"tread", "k", "1", "1", "tailGroup", "g"}, true},
    {"behind every option",
     {"TREAD", "k", "1", "1", "BLOCK", "5", "CONSUMER", "c", "RETRY", "1", "2", "MAXBYTES", "9", "WITHINFO", "WITHTIME",
      "WITHATTEMPTS", "GROUP", "g"},
     true},
    {"a key and offsets of that name", {"TREAD", "GROUP", "GROUP", "GROUP"}, false},
    {"a tag of that name", {"TREAD", "k", "1", "1", "TAGS", "2", "GROUP", "TAILGROUP", "WITHINFO"}, false},
    {"a consumer of that name", {"TREAD", "k", "1", "1", "CONSUMER", "GROUP", "WITHINFO"}, false},
    {"a group of the name of an option", {"TREAD", "k", "1", "1", "GROUP", "TAGS"}, true},
    {"behind tags", {"TREAD", "k", "1", "1", "TAGS", "1", "t", "GROUP", "g"}, true},
    {"in the place of a time", {"TREAD", "k", "1", "1", "BLOCK", "GROUP", "g"}, false},
    {"more tags than words", {"TREAD", "k", "1", "1", "TAGS", "9223372036854775807", "GROUP"}, false},
    {"no number of tags", {"TREAD", "k", "1", "1", "TAGS", "x", "GROUP", "g"}, false},
    {"too few words", {"TREAD"}, false},
};

TEST(GroupReadWords, AReadWithAGroupIsRecognisedByItsOptions) {
  for (const Row& row : kRows) EXPECT_EQ(reads_with_group(row.words), row.with_group) << row.name;
}

TEST(GroupReadWords, EveryFormThatTheParserAcceptsIsRecognisedCorrectly) {
  for (const Row& row : kRows) {
    if (row.words.size() < 4) continue;
    const auto request = parse_tread(Words(row.words).subspan(2));
    if (request) {
      EXPECT_EQ(request->group.has_value(), row.with_group) << row.name;
    }
  }
}

}  // namespace
}  // namespace millrace::module
