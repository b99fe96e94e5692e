// The commands that only read a graph.
#pragma once

#include "module/fact/fact_object.h"
#include "module/fact/fact_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct FactFind {
  using Object = FactGraph;
  static constexpr auto parse = parse_fact_find;
  static void show(abi::Reply reply, const Shown<FactGraph>& shown, const FactFindRequest& request);
};

struct FactCount {
  using Object = FactGraph;
  static constexpr auto parse = parse_fact_count;
  static void show(abi::Reply reply, const Shown<FactGraph>& shown, const FactQuestion& question) {
    write_number(reply, FactOperations::count(shown.object, question));
  }
};

struct FactWalkCommand {
  using Object = FactGraph;
  static constexpr auto parse = parse_fact_walk;
  static void show(abi::Reply reply, const Shown<FactGraph>& shown, const FactWalkRequest& request);
};

struct FactInfo {
  using Object = FactGraph;
  static constexpr auto parse = parse_nothing;
  static void show(abi::Reply reply, const Shown<FactGraph>& shown, NoRequest);
};

}  // namespace millrace::module
