// A whole dictionary as parts (engine/base/parts.h), and their bytes; docs/formats/suggest.md draws them. Numbers are
// varints.
//
//   terms  := version factor term*
//   term   := size bytes weight             in the order of their bytes
//
// Factor and weights are doubles, eight bytes, the least significant first.
#pragma once

#include <cstdint>
#include <utility>

#include "engine/base/parts.h"
#include "engine/suggest/term_dictionary.h"

namespace millrace {

// Do not change: persisted.
enum class SuggestPart : uint8_t { Terms };
inline constexpr PartKind kSuggestParts[] = {{"TERMS"}};

// Visits the parts in the order in which they are restored; an empty dictionary has none. Two dictionaries that had the
// same changes have the same parts.
void each_part(const TermDictionary& dictionary, const PartVisit& visit);

// Adds a part from an untrusted source to the dictionary, after checking all of it. Failure: Corrupt; the dictionary is
// unchanged then.
Result<void> restore_part(TermDictionary& dictionary, SuggestPart part, ByteView bytes);

class SuggestRestorer {
 public:
  Result<void> add(uint8_t kind, ByteView bytes, Buffer) {
    return restore_part(dictionary_, static_cast<SuggestPart>(kind), bytes);
  }
  // Failure: Corrupt, if there was no part: a dictionary without terms does not exist.
  Result<TermDictionary> finish();

 private:
  TermDictionary dictionary_;
};

}  // namespace millrace
