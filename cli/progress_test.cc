#include "cli/progress.h"

#include <gtest/gtest.h>

namespace millrace::cli {
namespace {

TEST(Progress, SaysWhatIsKnown) {
  const struct {
    const char* name;
    ProgressFacts facts;
    const char* text;
  } rows[] = {
      {"the beginning", {0, 0, 1000, 0}, "0 %, 0 records"},
      {"a file", {500, 250, 1000, 10}, "25 %, 500 records, 50 a second, 30 s left"},
      {"minutes", {1, 1, 100, 10}, "1 %, 1 records, 0 a second, 16 min left"},
      {"hours", {1, 1, 1000, 10}, "0 %, 1 records, 0 a second, 2 h 46 min left"},
      {"a pipe", {500, 250, std::nullopt, 10}, "500 records, 50 a second"},
      {"an empty file", {0, 0, 0, 1}, "0 records, 0 a second"},
      {"a file that has grown", {1, 2000, 1000, 1}, "100 %, 1 records, 1 a second, 0 s left"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(progress_text(row.facts), row.text);
  }
}

TEST(Progress, TheBarIsAsFullAsTheFileIsRead) {
  EXPECT_TRUE(progress_bar({0, 0, 1000, 1}).starts_with("[" + std::string(30, ' ') + "] 0 %"));
  EXPECT_TRUE(
      progress_bar({0, 500, 1000, 1}).starts_with("[" + std::string(15, '#') + std::string(15, ' ') + "] 50 %"));
  EXPECT_TRUE(progress_bar({0, 1000, 1000, 1}).starts_with("[" + std::string(30, '#') + "] 100 %"));
}

}  // namespace
}  // namespace millrace::cli
