// The commands that change a graph: how each is answered.
#pragma once

#include "module/fact/fact_object.h"
#include "module/fact/fact_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct FactAdd {
  using Object = FactGraph;
  static constexpr auto parse = parse_fact_add;
  static auto execute(Place<FactGraph>& graph, FactWords facts, const Call& call) {
    return fact_operations().add(graph, facts, call);
  }
  static constexpr auto write = write_number;
};

struct FactDel {
  using Object = FactGraph;
  static constexpr auto parse = parse_fact_del;
  static auto execute(Place<FactGraph>& graph, FactWords facts, const Call& call) {
    return fact_operations().remove(graph, facts, call);
  }
  static constexpr auto write = write_number;
};

// FACT.APPLY is not for people: it is what a server writes to its AOF. It is documented, and as careful with its bytes
// as RESTORE, because anybody may send it.
struct FactApply {
  using Object = FactGraph;
  static constexpr auto parse = parse_fact_apply;
  static auto execute(Place<FactGraph>& graph, const Part& part, const Call& call) {
    return fact_operations().apply(graph, part, call);
  }
  static constexpr auto write = write_ok;
  static constexpr bool kApplies = true;
};

}  // namespace millrace::module
