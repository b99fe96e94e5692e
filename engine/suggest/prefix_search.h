// Which prefixes of terms are what somebody has typed, but for upper and lower case, or but for one mistake: a
// character too many, one that is missing, another one, or two that are swapped. Characters are those of UTF-8; a byte
// that is not part of valid UTF-8 is one by itself.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/suggest/term.h"

namespace millrace {

struct TypedPrefix {
  ByteView text;
  bool ignores_case = false;      // by simple case folding (engine/base/case_folding.h)
  bool allows_a_mistake = false;  // one
};

// Only those that terms begin with, if the case or a mistake matters; each list is sorted, and no prefix begins with
// another one of its list.
struct MatchingPrefixes {
  std::vector<std::string> right;
  std::vector<std::string> mistaken;  // none begins with a right one, but a right one may begin with one of them
};

// How often one search may look something up. What it has not found by then is left out.
inline constexpr size_t kMostPrefixLookups = 10'000;

MatchingPrefixes matching_prefixes(const TermTree& tree, const TypedPrefix& typed);

// True if the text begins with one of the prefixes. O(log n). REQUIRES: they are a list of MatchingPrefixes
bool begins_with_one(std::span<const std::string> prefixes, ByteView text);

}  // namespace millrace
