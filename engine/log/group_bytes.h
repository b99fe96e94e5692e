// Encoding that group_codec.h and group_effects.h share.
#pragma once

#include <optional>
#include <string>

#include "engine/base/decoder.h"
#include "engine/base/error.h"
#include "engine/log/log.h"

namespace millrace::group_bytes {

inline void append_bytes(std::string& to, ByteView bytes) {
  append_varint(to, bytes.size());
  to += bytes;
}

inline void append_holder(std::string& to, const std::optional<ByteView>& holder) {
  append_varint(to, holder ? holder->size() + 1 : 0);
  if (holder) to += *holder;
}

inline std::optional<ByteView> read_holder(Decoder& in) {
  const uint64_t size = in.number();
  if (size == 0) return std::nullopt;
  return in.bytes(size - 1);
}

inline uint64_t encoded_date(uint64_t date) { return date == kNeverExpires ? 0 : date + 1; }

// The result may be larger than a range can store: bad_date() checks that.
inline uint64_t read_date(Decoder& in) {
  const uint64_t date = in.number();
  return date == 0 ? kNeverExpires : date - 1;
}

inline bool bad_date(uint64_t date) { return date > kNeverExpires; }

inline Result<Group*> named_group(Log& log, ByteView name) {
  Group* group = log.group(name);
  if (group == nullptr) return corrupt("a group that does not exist");
  return group;
}

}  // namespace millrace::group_bytes
