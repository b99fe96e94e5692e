// The best terms that begin with one of some prefixes. A search from the best part of the tree to the next best: what
// cannot be among the answers is not looked at.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/suggest/term.h"

namespace millrace {

// The best first; terms of the same weight in the order of their bytes. At most `most`. They live until the next
// change. REQUIRES: no prefix begins with another one.
std::vector<const TermEntry*> best_terms(const TermTree& tree, std::span<const std::string> prefixes, size_t most);

}  // namespace millrace
