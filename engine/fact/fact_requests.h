// The requests that graphs take, as plain values. The views in a request are borrowed from the caller.
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

// A pattern by names; nullopt matches any name.
struct FactQuestion {
  std::optional<ByteView> subject;
  std::optional<ByteView> predicate;
  std::optional<ByteView> object;
};

struct FactFindRequest {
  FactQuestion question;
  uint64_t limit = 1000;
  std::optional<Fact> after;  // the last fact of the previous page
};

struct FactWalkRequest {
  ByteView start;
  std::optional<ByteView> predicate;  // nullopt: any
  bool is_reverse = false;            // walk from objects to subjects
  uint32_t depth = UINT32_MAX;
  uint64_t limit = 1000;        // the largest number of nodes; not used if there is an end
  std::optional<ByteView> end;  // asks for a path to this node instead of the nodes
};

}  // namespace millrace
