// Messages as the strings in which RDB files and the AOF hold them, for every type that keeps
// messages in blocks: two strings a block, docs/formats/log.md.
#pragma once

#include "engine/blocks/blocks_codec.h"
#include "module/abi/data_type.h"

namespace millrace::abi {

inline void save_blocks(RdbWriter& writer, const MessageBlocks& messages) {
  messages.each_block([&](const Block& block) {
    writer.bytes(encode_block_header(block));
    writer.bytes(block.bytes());
  });
}

// `append` takes a header and the bytes, and may refuse them.
template <class Append>
Result<void> load_blocks(RdbReader& reader, uint64_t count, Append append) {
  for (uint64_t i = 0; i < count; ++i) {
    auto header_bytes = reader.bytes();
    auto bytes = header_bytes ? reader.bytes() : std::nullopt;
    if (!bytes) return cut_short();
    auto header = decode_block_header(header_bytes->view());
    if (!header) return std::unexpected(header.error());
    if (auto added = append(*header, std::move(*bytes)); !added) return added;
  }
  return {};
}

inline void rewrite_blocks(AofWriter& writer, const char* command, const char* what, const MessageBlocks& messages) {
  messages.each_block(
      [&](const Block& block) { writer.emit(command, what, encode_block_header(block), block.bytes()); });
}

}  // namespace millrace::abi
