// A graph of facts from untrusted bytes, as RESTORE and FACT.APPLY bring them: its parts, one after the other, for a
// graph that is new and for one that has facts. Whatever a part says, the graph is valid after it, and unchanged if it
// was refused; it can be saved and loaded, and works like any other.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/allocation_meter.h"
#include "fuzz/require.h"
#include "tests/model/fact_bytes.h"

namespace millrace {
namespace {

using testing::graph_digest;

// What a part may allocate: its own bytes, and its names and facts in memory, in the worst case with each name on a
// page of its own.
constexpr uint64_t kPerInputByte = 256;
constexpr uint64_t kPerPart = 8192;

FactGraph working_graph() {
  FactGraph graph{HashKey{}};
  for (const char* name : {"a", "b", "c", "d"}) graph.add({name, "p", "o"});
  graph.remove({"b", "p", "o"});
  return graph;
}

// False at the end of the input.
bool restore_next(FactGraph& graph, Decoder& parts) {
  const uint64_t kind = parts.number();
  const ByteView part = parts.bytes(parts.number());
  if (!parts.ok()) return false;
  const std::string before = graph_digest(graph);
  const uint64_t allocated = fuzz::allocated_bytes();
  const auto restored = restore_part(graph, static_cast<FactPart>(kind % 3), part);
  REQUIRE(fuzz::allocated_bytes() - allocated <= kPerPart + kPerInputByte * part.size());
  REQUIRE(graph.check() == nullptr);
  if (!restored) {
    REQUIRE(restored.error().code == ErrorCode::Corrupt && !restored.error().text.empty());
    REQUIRE(graph_digest(graph) == before);
  }
  return true;
}

void require_comes_back(const FactGraph& graph) {
  const auto again = testing::graph_from_bytes(testing::graph_to_bytes(graph), HashKey{1});
  // A graph without facts does not exist.
  REQUIRE(again.has_value() == !graph.empty());
  if (!again) return;
  REQUIRE(again->check() == nullptr);
  REQUIRE(graph_digest(*again) == graph_digest(graph));
}

void go_on(FactGraph& graph) {
  for (const char* name : {"a", "s", "new"}) graph.add({name, "p", "newer"});
  REQUIRE(graph.check() == nullptr);
  REQUIRE(graph.count({}) == graph.size());
  while (!graph.empty()) {
    Fact first;
    graph.each({}, nullptr, [&](const Fact& fact) {
      first = fact;
      return false;
    });
    const FactText text = graph.text(first);
    const std::string names[] = {std::string(text.subject), std::string(text.predicate), std::string(text.object)};
    REQUIRE(graph.remove({names[0], names[1], names[2]}));
  }
  REQUIRE(graph.check() == nullptr && graph.names().size() == 0);
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  for (const bool is_new : {true, false}) {
    FactGraph graph = is_new ? FactGraph(HashKey{}) : working_graph();
    Decoder parts({reinterpret_cast<const char*>(bytes), size});
    // A bounded number, because everything is checked after each one.
    for (int i = 0; i < 30 && !parts.finished() && restore_next(graph, parts);) ++i;
    require_comes_back(graph);
    go_on(graph);
  }
  return 0;
}
