// A whole log as one string and back, for tests and fuzzers: what RDB and AOF do with
// one string for each part (engine/log/log_codec.h), here with a length before each.
//
//   log   := part(head) (part(block-header) part(block-bytes))* group*
//   group := part(group) number-of-parts part(pending)*
//   part  := length bytes                                   (numbers are varints)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/decoder.h"
#include "engine/log/group_codec.h"
#include "engine/log/log_codec.h"
#include "tests/model/test_packer.h"

namespace millrace::testing {

inline void append_part(std::string& to, ByteView part) {
  append_varint(to, part.size());
  to += part;
}

inline std::string log_to_bytes(const Log& log) {
  std::string bytes;
  append_part(bytes, encode_log_head(log));
  log.each_block([&](const Block& block) {
    append_part(bytes, encode_block_header(block));
    append_part(bytes, block.bytes());
  });
  for (const auto& [name, group] : log.groups()) {
    append_part(bytes, encode_group(name, group));
    const std::vector<std::string> pending = encode_pending(name, group);
    append_varint(bytes, pending.size());
    for (const std::string& part : pending) append_part(bytes, part);
  }
  return bytes;
}

// Trusts nothing, as the module's loader does.
inline Result<Log> log_from_bytes(ByteView bytes) {
  Decoder parts(bytes);
  const auto next_part = [&] { return parts.bytes(parts.number()); };
  const auto head = decode_log_head(next_part());
  if (!head) return std::unexpected(head.error());
  Log log;
  for (uint64_t i = 0; i < head->blocks; ++i) {
    const auto header = decode_block_header(next_part());
    if (!header) return std::unexpected(header.error());
    const ByteView block = next_part();
    if (!parts.ok()) return fail(ErrorCode::Corrupt, "the payload ends too early");
    if (auto added = log.append_block(*header, Buffer::copy_of(block), test_packer(), Log::Gaps::Allowed); !added) {
      return std::unexpected(added.error());
    }
  }
  if (auto restored = log.restore_head(*head); !restored) return std::unexpected(restored.error());
  for (uint64_t i = 0; i < head->groups; ++i) {
    if (auto restored = restore_group(log, next_part()); !restored) return std::unexpected(restored.error());
    for (uint64_t left = parts.number(); left > 0; --left) {
      if (auto restored = restore_pending(log, next_part()); !restored) return std::unexpected(restored.error());
      if (!parts.ok()) return fail(ErrorCode::Corrupt, "the payload ends too early");
    }
  }
  if (!parts.finished()) return fail(ErrorCode::Corrupt, "bytes after the end");
  return log;
}

}  // namespace millrace::testing
