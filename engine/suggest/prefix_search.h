// Finds the prefixes of terms that match a typed text, optionally ignoring upper and lower case, or with one mistake:
// one character too many, one missing, one wrong, or two swapped. Characters are those of UTF-8; a byte that is not
// part of valid UTF-8 is one by itself.
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

// If case is ignored or a mistake is allowed, only prefixes of existing terms. Each list is sorted, and no prefix
// begins with another one of its list.
struct MatchingPrefixes {
  std::vector<std::string> right;
  std::vector<std::string> mistaken;  // none begins with an exact prefix, but an exact one may begin with one of these
};

// The most lookups of one search. Prefixes not found by then are left out.
inline constexpr size_t kMostPrefixLookups = 10'000;

MatchingPrefixes matching_prefixes(const TermTree& tree, const TypedPrefix& typed);

// True if the text begins with one of the prefixes. O(log n). REQUIRES: they are a list of MatchingPrefixes
bool begins_with_one(std::span<const std::string> prefixes, ByteView text);

}  // namespace millrace
