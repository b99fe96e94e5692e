#include "engine/log/log_codec.h"

#include "engine/base/decoder.h"

namespace millrace {

std::string encode_log_head(const Log& log) {
  SavedHead head = saved_head(log.messages());
  const Retention& keep = log.retention();
  head.count = keep.count;
  head.age_ms = keep.age_ms;
  head.bytes = keep.bytes;
  head.acked = keep.acked;
  head.latest = keep.latest;
  head.groups = log.groups().size();
  head.evicted_end = log.evicted_end();
  head.compacted = log.compacted_total();
  return encode_head(head);
}

Result<LogHead> decode_log_head(ByteView bytes) {
  const auto saved = decode_head(bytes);
  if (!saved) return std::unexpected(saved.error());
  LogHead head;
  static_cast<MessagesHead&>(head) = *saved;
  head.retention = {.count = saved->count,
                    .age_ms = saved->age_ms,
                    .bytes = saved->bytes,
                    .acked = saved->acked,
                    .latest = saved->latest};
  head.groups = saved->groups;
  head.evicted_end = saved->evicted_end;
  head.compacted = saved->compacted;
  return head;
}

std::string encode_effect(const Removal& removal) {
  std::string effect;
  Offset before;
  for (const Removal::Range& range : removal.ranges) {
    append_varint(effect, range.from - before);
    append_varint(effect, range.to - range.from);
    before = range.to;
  }
  return effect;
}

Result<Removal> decode_removal(ByteView bytes, Offset end, const std::string& what) {
  Decoder in(bytes);
  Removal removal;
  Offset before;
  while (in.ok() && !in.finished()) {
    const uint64_t distance = in.number();
    const uint64_t length = in.number();
    if (!in.ok()) break;
    if (distance == 0 || length == 0) return fail(ErrorCode::Corrupt, what + " out of order");
    if (distance > end - before || length > end - before - distance) {
      return fail(ErrorCode::Corrupt, what + " that do not exist");
    }
    removal.ranges.push_back({before + distance, before + distance + length});
    before = removal.ranges.back().to;
  }
  if (!in.ok() || removal.empty()) return fail(ErrorCode::Corrupt, what + " that end too early");
  return removal;
}

Result<uint64_t> apply_removal(Log& log, ByteView bytes, BlockLimits limits) {
  const auto removal = decode_removal(bytes, log.next(), "compacted messages");
  if (!removal) return std::unexpected(removal.error());
  // The newest message of the log is the newest of its tag.
  if (removal->ranges.back().to == log.next() || !log.holds_all(*removal)) {
    return corrupt("compacted messages that do not exist");
  }
  log.remove(*removal, limits);
  return removal->count();
}

}  // namespace millrace
