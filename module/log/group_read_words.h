// Recognises a read with a group by its words, before the command is parsed.
//
// For the host, a command is only its name: it cannot know that TREAD writes with a group and only reads without one.
// So a TREAD with a group becomes TREADGROUP before the host looks it up (abi::Alias). docs/why.md says more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/base/bytes.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// The least number of words: TREAD key offset count GROUP name.
inline constexpr size_t kLeastGroupReadWords = 6;

// `words` are those of the whole command, with a size() and an operator[]. The values of options, and tags, may be any
// words, so they are skipped. An unknown word counts as an option without a value: the parser refuses it.
template <class CommandWords>
bool reads_with_group(const CommandWords& words) {
  const size_t size = words.size();
  for (size_t i = 4; i < size; ++i) {
    const ByteView word = words[i];
    if (is_keyword(word, "GROUP") || is_keyword(word, "TAILGROUP")) return true;
    if (is_keyword(word, "BLOCK") || is_keyword(word, "CONSUMER") || is_keyword(word, "MAXBYTES")) i += 1;
    if (is_keyword(word, "RETRY")) i += 2;
    if (is_keyword(word, "TAGS") && i + 1 < size) {
      const ByteView next[] = {words[i + 1]};
      ArgumentReader reader(next);
      const uint64_t tags = reader.number("number of TAGS", 1, INT64_MAX);
      if (reader.failed()) return false;
      i += 1 + std::min<uint64_t>(tags, size);
    }
  }
  return false;
}

}  // namespace millrace::module
