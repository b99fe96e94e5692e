// The best terms that begin with one of some prefixes. The search visits the parts of the tree from the best to the
// next best, and skips parts that cannot contain an answer.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/suggest/term.h"

namespace millrace {

// The best first; terms of the same weight in the order of their bytes. At most `most`. The entries are valid until the
// next change. REQUIRES: no prefix begins with another one.
std::vector<const TermEntry*> best_terms(const TermTree& tree, std::span<const std::string> prefixes, size_t most);

}  // namespace millrace
