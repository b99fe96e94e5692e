// The parts of an object (engine/base/parts.h) as the words of a command: a rewritten AOF has <APPLY> key word bytes,
// followed by the bytes of a block if the kind has one.
#pragma once

#include <optional>
#include <span>

#include "engine/base/parts.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// The next words as a part; nullopt if the next word is none of these kinds.
inline std::optional<Part> read_part(ArgumentReader& reader, std::span<const PartKind> kinds) {
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    if (!reader.keyword(kinds[kind].word)) continue;
    Part part{static_cast<uint8_t>(kind), reader.word("part"), {}};
    if (kinds[kind].has_block) part.block = reader.word("block");
    if (part.block.size() > kMaxBlock) reader.fail(ErrorCode::Range, "a block is larger than 4 GiB");
    return part;
  }
  return std::nullopt;
}

}  // namespace millrace::module
