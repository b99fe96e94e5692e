// A dictionary as bytes, for RDB, DUMP, AOF rewrite and COPY: a sequence of parts; docs/formats/suggest.md draws them.
// Numbers are varints.
//
//   terms  := version factor term*
//   term   := size bytes weight             in the order of their bytes
//
// Factor and weights are doubles, eight bytes, the least significant first.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/suggest/term_dictionary.h"

namespace millrace {

// Do not change: persisted.
enum class SuggestPart : uint8_t { Terms };

// All parts in the order in which they are restored; none of an empty dictionary. Two dictionaries that have done the
// same have the same bytes.
void each_suggest_part(const TermDictionary& dictionary,
                       const std::function<void(SuggestPart part, ByteView bytes)>& visit);

// Adds a part from an untrusted source to the dictionary, after checking all of it. Failure: Corrupt; the dictionary is
// unchanged then.
Result<void> restore_suggest_part(TermDictionary& dictionary, SuggestPart part, ByteView bytes);

}  // namespace millrace
