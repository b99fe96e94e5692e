#include "engine/log/log_codec.h"

#include "engine/base/decoder.h"

namespace millrace {

namespace {

// Do not change: persisted. A head of the first version has no gaps behind it, and says
// less.
constexpr uint64_t kHeadVersion = 2;
constexpr uint64_t kFirstVersion = 1;

// What a log keeps, as one number.
constexpr uint64_t kAcked = 1;
constexpr uint64_t kLatest = 2;

}  // namespace

std::string encode_log_head(const Log& log) {
  std::string head;
  const Retention& keep = log.retention();
  const uint64_t flags = (keep.acked ? kAcked : 0) | (keep.latest ? kLatest : 0);
  for (uint64_t number : {kHeadVersion, log.first().value(), log.next().value(), log.clock().value(), keep.count,
                          keep.age_ms, keep.bytes, flags, uint64_t{log.block_count()}, uint64_t{log.groups().size()},
                          log.evicted_end().value(), log.compacted_total()}) {
    append_varint(head, number);
  }
  return head;
}

std::string encode_block_header(const Block& block) {
  std::string header;
  append_varint(header, block.first().value());
  append_varint(header, block.first_time().value());
  append_varint(header, block.count());
  if (block.is_packed() || block.has_gaps()) append_varint(header, block.header().unpacked);
  if (block.has_gaps()) append_varint(header, block.missing());
  return header;
}

Result<LogHead> decode_log_head(ByteView bytes) {
  Decoder in(bytes);
  const uint64_t version = in.number();
  if (version != kHeadVersion && version != kFirstVersion) {
    return corrupt("a log of a version this module does not know");
  }
  LogHead head;
  head.first = Offset(in.number());
  head.next = Offset(in.number());
  head.clock = UnixMs(in.number());
  head.retention.count = in.number();
  head.retention.age_ms = in.number();
  head.retention.bytes = in.number();
  const uint64_t flags = in.number();
  head.retention.acked = (flags & kAcked) != 0;
  head.retention.latest = (flags & kLatest) != 0;
  head.blocks = in.number();
  head.groups = in.number();
  head.evicted_end = version == kFirstVersion ? head.first : Offset(in.number());
  head.compacted = version == kFirstVersion ? 0 : in.number();
  if (!in.finished()) return corrupt("a log head of the wrong length");
  if (head.first.value() == 0 || head.first > head.next || head.next > kMaxOffset || head.evicted_end.value() == 0 ||
      head.evicted_end > head.first) {
    return corrupt("a log head with impossible offsets");
  }
  if (head.clock.value() > INT64_MAX) return corrupt("a log head beyond the end of time");
  const Retention& keep = head.retention;
  const uint64_t known = version == kFirstVersion ? kAcked : kAcked | kLatest;
  if (flags > known || head.compacted > INT64_MAX || keep.count > INT64_MAX || keep.age_ms > INT64_MAX ||
      keep.bytes > INT64_MAX) {
    return corrupt("a log head with an impossible limit");
  }
  return head;
}

Result<BlockHeader> decode_block_header(ByteView bytes) {
  Decoder in(bytes);
  BlockHeader header;
  header.first = Offset(in.number());
  header.first_time = UnixMs(in.number());
  const uint64_t count = in.number();
  const bool has_size = in.ok() && !in.finished();
  const uint64_t unpacked = has_size ? in.number() : 0;
  const bool has_gaps = in.ok() && !in.finished();
  header.missing = has_gaps ? in.number() : 0;
  if (!in.finished() || count > UINT32_MAX || unpacked > UINT32_MAX) {
    return corrupt("a block header of the wrong length");
  }
  if (has_size && !has_gaps && unpacked == 0) return corrupt("a packed block of nothing");
  if (has_gaps && header.missing == 0) return corrupt("a block with gaps that are none");
  header.count = static_cast<uint32_t>(count);
  header.unpacked = static_cast<uint32_t>(unpacked);
  return header;
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

Result<uint64_t> apply_removal(Log& log, ByteView bytes, BlockLimits limits) {
  Decoder in(bytes);
  Removal removal;
  Offset before;
  while (in.ok() && !in.finished()) {
    const uint64_t distance = in.number();
    const uint64_t length = in.number();
    if (!in.ok()) break;
    if (distance == 0 || length == 0) return corrupt("compacted messages in no order");
    if (distance > log.last() - before || length > log.last() - before - distance) {
      return corrupt("compacted messages that are not there");
    }
    removal.ranges.push_back({before + distance, before + distance + length});
    before = removal.ranges.back().to;
  }
  if (!in.ok() || removal.empty()) return corrupt("compacted messages that end too early");
  if (!log.holds_all(removal)) return corrupt("compacted messages that are not there");
  log.remove(removal, limits);
  return removal.count();
}

}  // namespace millrace
