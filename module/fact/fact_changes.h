// The commands that change a graph, and how each is answered.
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

// FACT.APPLY is not for users: a server writes it to its AOF. But any client may send it, so it is documented, and
// checks its bytes as carefully as RESTORE does.
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
