// The requests that dictionaries take, as plain values. The views in a request are borrowed from the caller.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/bytes.h"
#include "engine/suggest/prefix_search.h"
#include "engine/suggest/term_dictionary.h"

namespace millrace {

// Limits of SUG.DECAY, in percent.
inline constexpr double kLeastDecay = 0.001;
inline constexpr double kMostDecay = 99.999;

struct SuggestAddRequest {
  ByteView term;
  bool sets = false;  // set the score instead of adding to it
  double amount = 1;  // 0 to kMaxScore
};

struct SuggestGetRequest {
  TypedPrefix prefix;
  uint64_t limit = 10;
  bool with_scores = false;
};

// REQUIRES: each has 1 to kMaxTerm bytes.
using SuggestTerms = std::span<const ByteView>;

}  // namespace millrace
