#include "engine/log/log_codec.h"

#include "engine/base/decoder.h"

namespace millrace {

namespace {

// Do not change: persisted.
constexpr uint64_t kHeadVersion = 1;

std::unexpected<Error> corrupt(const char* reason) { return fail(ErrorCode::Corrupt, reason); }

}  // namespace

std::string encode_log_head(const Log& log) {
  std::string head;
  const Retention& keep = log.retention();
  for (uint64_t number :
       {kHeadVersion, log.first().value(), log.next().value(), log.clock().value(), keep.count, keep.age_ms, keep.bytes,
        uint64_t{keep.acked}, uint64_t{log.block_count()}, uint64_t{log.groups().size()}}) {
    append_varint(head, number);
  }
  return head;
}

std::string encode_block_header(const Block& block) {
  std::string header;
  append_varint(header, block.first().value());
  append_varint(header, block.first_time().value());
  append_varint(header, block.count());
  if (block.is_packed()) append_varint(header, block.header().unpacked);
  return header;
}

Result<LogHead> decode_log_head(ByteView bytes) {
  Decoder in(bytes);
  if (in.number() != kHeadVersion) return corrupt("a log of a version this module does not know");
  LogHead head;
  head.first = Offset(in.number());
  head.next = Offset(in.number());
  head.clock = UnixMs(in.number());
  head.retention.count = in.number();
  head.retention.age_ms = in.number();
  head.retention.bytes = in.number();
  const uint64_t acked = in.number();
  head.retention.acked = acked == 1;
  head.blocks = in.number();
  head.groups = in.number();
  if (!in.finished()) return corrupt("a log head of the wrong length");
  if (head.first.value() == 0 || head.first > head.next || head.next > kMaxOffset) {
    return corrupt("a log head with impossible offsets");
  }
  if (head.clock.value() > INT64_MAX) return corrupt("a log head beyond the end of time");
  const Retention& keep = head.retention;
  if (acked > 1 || keep.count > INT64_MAX || keep.age_ms > INT64_MAX || keep.bytes > INT64_MAX) {
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
  const bool is_packed = in.ok() && !in.finished();
  const uint64_t unpacked = is_packed ? in.number() : 0;
  if (!in.finished() || count > UINT32_MAX || unpacked > UINT32_MAX) {
    return corrupt("a block header of the wrong length");
  }
  if (is_packed && unpacked == 0) return corrupt("a packed block of nothing");
  header.count = static_cast<uint32_t>(count);
  header.unpacked = static_cast<uint32_t>(unpacked);
  return header;
}

}  // namespace millrace
