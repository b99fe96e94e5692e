#include "engine/blocks/block.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/record_reader.h"
#include "engine/blocks/block_packer.h"
#include "engine/blocks/tag_index.h"

namespace millrace {

namespace {

constexpr uint64_t kSmallestBuffer = 64;
constexpr uint32_t kFewestLandmarks = 8;
constexpr uint32_t kPieceBytes = 1024;

}  // namespace

Result<Block> Block::from_bytes(BlockHeader header, Buffer bytes, TagIndex& tags, BlockPacker* packer) {
  if (header.unpacked == 0) return from_records(header, std::move(bytes), tags);
  if (packer == nullptr) return corrupt("a packed block where packed blocks are not allowed");
  return from_packed(header, std::move(bytes), tags, *packer);
}

Result<Block> Block::from_packed(BlockHeader header, Buffer packed, TagIndex& tags, BlockPacker& packer) {
  if (header.unpacked > kMostUnpacked) return corrupt("a packed block that is too large");
  if (header.unpacked <= packed.size()) return corrupt("a packed block that is not smaller than unpacked");
  Buffer records;
  records.reserve(header.unpacked);
  if (!packer.zstd().unpack(packed.view(), records.extend(header.unpacked), header.unpacked)) {
    return corrupt("a packed block that does not unpack");
  }
  auto block = from_records(header, std::move(records), tags);
  if (!block) return block;
  block->seal(tags);
  block->bytes_ = std::move(packed);
  block->landmarks_ = Buffer();
  block->unpacked_ = header.unpacked;
  block->packer_ = &packer;
  block->packed_id_ = packer.new_id();
  return block;
}

Result<Block> Block::from_records(BlockHeader header, Buffer bytes, TagIndex& tags) {
  if (header.count == 0) return corrupt("a block without messages");
  if (header.first_time.value() > INT64_MAX) return corrupt("a block beyond the end of time");
  if (header.first.value() == 0 || header.first > kMaxOffset || header.count > kMaxOffset - header.first ||
      header.missing > kMaxOffset - header.first - header.count) {
    return corrupt("a block beyond the last offset");
  }

  Block block(header.first);
  block.bytes_ = std::move(bytes);
  block.first_time_ = block.last_time_ = header.first_time;
  block.missing_ = header.missing;
  uint64_t missing = 0;
  const char* const base = block.bytes_.data();
  RecordReader records;
  records.open(block.bytes_.view(), header.missing != 0);
  for (uint32_t i = 0; i < header.count; ++i) {
    const uint32_t start = records.position();
    Record record;
    uint64_t gap;
    if (const char* wrong = records.next(record, gap)) return corrupt(wrong);
    if (i == 0 ? gap != 0 : gap > header.missing - missing) {
      return corrupt("a block whose gaps do not match its header");
    }
    missing += gap;
    if (i == 0 ? record.time_delta != 0 : record.time_delta > INT64_MAX - block.last_time_.value()) {
      return corrupt("a message beyond the end of time");
    }
    block.last_time_ = block.last_time_ + record.time_delta;
    block.count_ = i;
    block.mark(start, block.last_time_);
    block.payload_ += record.tag.size() + record.entry.size();
  }
  if (!records.at_end()) return corrupt("bytes after the last message of a block");
  if (missing != header.missing) return corrupt("a block whose gaps do not match its header");
  block.count_ = header.count;

  for (TagPosition position : records.tag_positions()) {
    if (tags.find(base, tag_at(base, position)) != 0) return corrupt("a block that stores a tag twice");
    tags.add(base, position);
  }
  return block;
}

Block Block::clone() const {
  Block copy(first_);
  copy.bytes_ = bytes_.clone();
  copy.first_time_ = first_time_;
  copy.last_time_ = last_time_;
  copy.payload_ = payload_;
  copy.missing_ = missing_;
  copy.count_ = count_;
  copy.unpacked_ = unpacked_;
  copy.packer_ = packer_;
  copy.packed_id_ = packed_id_;
  copy.landmarks_ = landmarks_.clone();
  copy.filter_ = filter_.clone();
  return copy;
}

bool Block::append(TagIndex& tags, ByteView tag, ByteView entry, UnixMs time, BlockLimits limits) {
  const TagPosition known = tags.find(bytes_.data(), tag);
  const uint64_t delta = empty() ? 0 : time - last_time_;
  const uint64_t size = record_size(known, tag, delta, entry);
  const uint64_t needed = bytes_.size() + size;
  if (!empty() && (needed > limits.bytes || count_ >= limits.messages)) return false;
  if (needed > bytes_.capacity()) make_room(needed, limits);

  const uint32_t start = bytes_.size();
  if (count_ % kStride == 0) mark(start, time);
  write_record(bytes_.extend(static_cast<uint32_t>(size)), known, tag, delta, entry);
  if (known == 0) tags.add(bytes_.data(), start + 1);  // after the reference, which is one byte with 0
  if (empty()) first_time_ = time;
  last_time_ = time;
  payload_ += tag.size() + entry.size();
  ++count_;
  return true;
}

size_t Block::append_alike(TagPosition tag, std::span<const ByteView> pairs, BlockLimits limits) {
  const uint32_t most = std::min(limits.bytes, bytes_.capacity());
  const size_t head = varint_size(tag) + 1;  // and a delta of 0
  const ByteView same = pairs[0];
  size_t next = 2;
  for (; next < pairs.size() && count_ < limits.messages; next += 2) {
    // In a frame, messages with one tag have one view of it.
    const ByteView other = pairs[next], entry = pairs[next + 1];
    if (other.size() != same.size() || (other.data() != same.data() && other != same)) break;
    const uint64_t size = head + varint_size(entry.size()) + entry.size();
    if (bytes_.size() + size > most) break;
    if (count_ % kStride == 0) mark(bytes_.size(), last_time_);
    char* to = put_varint(bytes_.extend(static_cast<uint32_t>(size)), tag);
    *to++ = 0;
    to = put_varint(to, entry.size());
    entry.copy(to, entry.size());
    payload_ += same.size() + entry.size();
    ++count_;
  }
  return next / 2 - 1;
}

size_t Block::append_records(TagPosition tag, std::span<const ByteView> pairs, BlockLimits limits) {
  const size_t head = varint_size(tag) + 1;  // and a delta of 0
  const uint64_t room = std::min(limits.bytes, bytes_.capacity()) - std::min(limits.bytes, bytes_.size());
  const ByteView same = pairs[0];
  const char* const begin = pairs[1].data() + pairs[1].size();
  const size_t most = std::min(pairs.size(), size_t{2} * (limits.messages - std::min(limits.messages, count_)) + 2);
  const char* end = begin;
  size_t behind = 2;
  for (; behind < most; behind += 2) {
    const ByteView entry = pairs[behind + 1];
    const char* const next = end + head + varint_size(entry.size());
    // A tag has one view in its block, so these bytes are all in one block.
    if (pairs[behind].data() != same.data() || entry.data() != next) break;
    if (static_cast<uint64_t>(next - begin) + entry.size() > room) break;
    end = next + entry.size();
  }
  const auto size = static_cast<uint32_t>(end - begin);
  if (size == 0) return 0;
  uint32_t start = bytes_.size();
  char* const base = bytes_.extend(size) - start;
  // In pieces, for which memcpy is fastest.
  for (uint32_t done = 0; done < size; done += kPieceBytes) {
    std::memcpy(base + start + done, begin + done, std::min(kPieceBytes, size - done));
  }
  uint64_t entries = 0;
  for (size_t i = 2; i < behind; i += 2) {
    const size_t length = pairs[i + 1].size();
    if (count_ % kStride == 0) mark(start, last_time_);
    char* at = put_varint(base + start, tag);
    *at++ = 0;
    start = static_cast<uint32_t>(put_varint(at, length) - base + static_cast<ptrdiff_t>(length));
    entries += length;
    ++count_;
  }
  const size_t alike = behind / 2 - 1;
  payload_ += alike * same.size() + entries;
  return alike;
}

// Doubles, so that small logs stay small, up to the size of a full block, which is a
// size class of the allocator.
void Block::make_room(uint64_t needed, BlockLimits limits) {
  const uint64_t doubled = std::max(kSmallestBuffer, std::bit_ceil(needed));
  bytes_.reserve(static_cast<uint32_t>(needed > limits.bytes ? needed : std::min<uint64_t>(doubled, limits.bytes)));
}

void Block::seal(const TagIndex& tags) {
  filter_ = TagFilter::build(bytes_.data(), tags.positions());
  // Freeing unused memory costs a copy. That is worth it only for more than the memory of about one message, which is
  // left if a large message did not fit.
  if (bytes_.capacity() - bytes_.size() > bytes_.capacity() / 8) bytes_.reserve(bytes_.size());
  if (landmarks_.capacity() > landmarks_.size()) landmarks_.reserve(landmarks_.size());
}

void Block::pack(BlockPacker& packer, int level) {
  leave_unpacked();
  if (bytes_.size() > kMostUnpacked) return;
  auto packed = packer.zstd().pack(bytes_.view(), level);
  if (!packed) return;
  bytes_ = std::move(*packed);
  packer_ = &packer;
  packed_id_ = packer.new_id();
  landmarks_ = Buffer();
}

void Block::forget_unpacked() const {
  if (is_packed()) packer_->unpacked().forget(packed_id_);
}

void Block::unpack_in_place() { bytes_ = packer_->unpacked().open(packed_id_, bytes_.view(), unpacked_)->clone(); }

void Block::mark(uint32_t byte, UnixMs time) {
  if (count_ == 0 || count_ % kStride != 0 || has_gaps()) return;
  // A missing landmark would shift the others, so none is added after one was left out. (That happens in a block that
  // spans seven weeks.) The messages after it are found by walking from the last landmark.
  if (landmark_count() + 1 != count_ / kStride || time - first_time_ > UINT32_MAX) return;
  if (landmarks_.size() == landmarks_.capacity()) {
    landmarks_.reserve(std::max(2 * landmarks_.capacity(), kFewestLandmarks * uint32_t{sizeof(Landmark)}));
  }
  const Landmark landmark{byte, static_cast<uint32_t>(time - first_time_)};
  std::memcpy(landmarks_.extend(sizeof(Landmark)), &landmark, sizeof(Landmark));
}

Block::Landmark Block::landmark(size_t index) const {
  Landmark landmark;
  std::memcpy(&landmark, landmarks_.data() + index * sizeof(Landmark), sizeof(Landmark));
  return landmark;
}

BlockPosition Block::near(Offset offset) const {
  if (has_gaps() || offset <= first_) return begin();
  const size_t passed = std::min<size_t>((offset - first_) / kStride, landmark_count());
  if (passed == 0) return begin();
  const Landmark before = landmark(passed - 1);
  return {first_ + passed * kStride, first_time_ + before.ms, before.byte, static_cast<uint32_t>(passed * kStride)};
}

Records::Records(const Block& block) : bytes_(block.bytes()), has_gaps_(block.has_gaps()) {
  if (!block.is_packed()) return;
  unpacked_ = block.packer_->unpacked().open(block.packed_id_, block.bytes(), block.unpacked_);
  bytes_ = unpacked_->view();
}

void Records::advance(BlockPosition& position) const {
  uint64_t delta;
  const char* at = begin() + position.byte;
  gap_at(at);
  const char* next = skip_record(at, delta);
  position.byte = static_cast<uint32_t>(next - begin());
  ++position.offset;
  ++position.index;
  if (next != end()) {
    position.offset = position.offset + gap_at(next);
    skip_record(next, delta);
    position.time = position.time + delta;
  }
}

void Records::read(const BlockPosition& position, Record& record) const {
  const char* at = begin() + position.byte;
  gap_at(at);
  read_record(begin(), at, record);
}

const char* Block::check() const {
  if (empty()) return bytes_.size() == 0 && payload_ == 0 ? nullptr : "an empty block with bytes";
  TagIndex tags;
  auto again = from_bytes(header(), bytes_.clone(), tags, packer_);
  if (!again) return "a block whose bytes do not decode";
  if (again->last_time_ != last_time_) return "a block's last date is not that of its last message";
  if (payload_ > again->payload_) return "a block counts more payload than it has";
  if (unpacked_ != 0 && !is_packed() && unpacked_ != bytes_.size()) return "a block that is neither packed nor whole";
  return nullptr;
}

}  // namespace millrace
