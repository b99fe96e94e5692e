// The fuzzers' payloads, one by one: a name that begins with "bad_" promises that the payload is refused, any other
// that it is a graph.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/model/fact_bytes.h"

namespace millrace::testing {
namespace {

TEST(FactCorpus, IsAcceptedOrRefusedAsItsNamesPromise) {
  int payloads = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_CORPUS "/fact_payload")) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const auto graph = graph_from_bytes(bytes);
    EXPECT_EQ(graph.has_value(), !entry.path().filename().string().starts_with("bad_"))
        << (graph ? "accepted" : graph.error().text);
    if (graph) {
      EXPECT_EQ(graph->check(), nullptr);
    }
    ++payloads;
  }
  EXPECT_GT(payloads, 0);
}

}  // namespace
}  // namespace millrace::testing
