#include "engine/blocks/blocks_codec.h"

#include "engine/base/decoder.h"

namespace millrace {

namespace {

// Do not change: persisted. The first version has neither gaps nor the fields after `groups`.
constexpr uint64_t kHeadVersion = 2;
constexpr uint64_t kFirstVersion = 1;

constexpr uint64_t kAcked = 1;
constexpr uint64_t kLatest = 2;

}  // namespace

SavedHead saved_head(const MessageBlocks& messages) {
  SavedHead head;
  head.first = head.evicted_end = messages.first();
  head.next = messages.next();
  head.clock = messages.clock();
  head.blocks = messages.block_count();
  return head;
}

std::string encode_head(const SavedHead& head) {
  std::string bytes;
  const uint64_t flags = (head.acked ? kAcked : 0) | (head.latest ? kLatest : 0);
  for (uint64_t number :
       {kHeadVersion, head.first.value(), head.next.value(), head.clock.value(), head.count, head.age_ms, head.bytes,
        flags, head.blocks, head.groups, head.evicted_end.value(), head.compacted}) {
    append_varint(bytes, number);
  }
  return bytes;
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

Result<SavedHead> decode_head(ByteView bytes) {
  Decoder in(bytes);
  const uint64_t version = in.number();
  if (version != kHeadVersion && version != kFirstVersion) {
    return corrupt("a log of a version this module does not know");
  }
  SavedHead head;
  head.first = Offset(in.number());
  head.next = Offset(in.number());
  head.clock = UnixMs(in.number());
  head.count = in.number();
  head.age_ms = in.number();
  head.bytes = in.number();
  const uint64_t flags = in.number();
  head.acked = (flags & kAcked) != 0;
  head.latest = (flags & kLatest) != 0;
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
  const uint64_t known = version == kFirstVersion ? kAcked : kAcked | kLatest;
  if (flags > known || head.compacted > INT64_MAX || head.count > INT64_MAX || head.age_ms > INT64_MAX ||
      head.bytes > INT64_MAX) {
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
  if (has_size && !has_gaps && unpacked == 0) return corrupt("a packed block without content");
  if (has_gaps && header.missing == 0) return corrupt("a block with gaps but no missing offsets");
  header.count = static_cast<uint32_t>(count);
  header.unpacked = static_cast<uint32_t>(unpacked);
  return header;
}

}  // namespace millrace
