// Everything that a routing table holds, sorted: equal tables have equal facts.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/route/route_codec.h"

namespace millrace::testing {

inline std::vector<std::string> route_facts(const RouteTable& table) {
  std::vector<std::string> facts;
  each_fact(table, [&](ByteView fact) { facts.emplace_back(fact); });
  std::ranges::sort(facts);
  return facts;
}

}  // namespace millrace::testing
