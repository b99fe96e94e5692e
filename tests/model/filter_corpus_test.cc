// The fuzzer's filters, one by one: a name that begins with "bad_" promises that the filter is
// refused, any other that it is accepted.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/filter/filter.h"

namespace millrace::testing {
namespace {

TEST(FilterCorpus, IsAcceptedOrRefusedAsItsNamesPromise) {
  int filters = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_CORPUS "/route_filter")) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const auto filter = parse_filter(ByteView(bytes).substr(0, bytes.find('\0')));
    EXPECT_EQ(filter.has_value(), !entry.path().filename().string().starts_with("bad_"))
        << (filter ? "accepted" : filter.error().text);
    ++filters;
  }
  EXPECT_GT(filters, 0);
}

}  // namespace
}  // namespace millrace::testing
