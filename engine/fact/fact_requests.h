// What can be asked of graphs, as plain values. The views in a request are the caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/base/bytes.h"
#include "engine/fact/fact_order.h"

namespace millrace {

// Facts to be added or removed: subject, predicate and object of the first, of the next one, and so on.
// REQUIRES: three for each; names have 1 to kMaxFactName bytes.
using FactWords = std::span<const ByteView>;

// A pattern by names. Nothing is any.
struct FactQuestion {
  std::optional<ByteView> subject;
  std::optional<ByteView> predicate;
  std::optional<ByteView> object;
};

struct FactFindRequest {
  FactQuestion question;
  uint64_t limit = 1000;
  std::optional<Fact> after;  // the last one of the page before
};

struct FactWalkRequest {
  ByteView start;
  std::optional<ByteView> predicate;  // nothing: any
  bool is_reverse = false;            // from objects to subjects
  uint32_t depth = UINT32_MAX;
  uint64_t limit = 1000;        // the most nodes; not used if there is an end
  std::optional<ByteView> end;  // a path to here is asked for, and not the nodes
};

}  // namespace millrace
