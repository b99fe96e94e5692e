#include "engine/blocks/unpacked_blocks.h"

#include "engine/blocks/packing.h"

namespace millrace {

PackedId new_packed_id() {
  static PackedId last = 0;
  return ++last;
}

std::shared_ptr<const Buffer> UnpackedBlocks::open(PackedId id, ByteView packed, uint32_t size) {
  if (const auto found = by_id_.find(id); found != by_id_.end()) {
    ++hits_;
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().bytes;
  }
  ++misses_;
  Buffer bytes;
  bytes.reserve(size);
  // It was unpacked before it was let in, so these are not the bytes that it had: whatever
  // wrote over them, going on would hand out and save what nobody wrote.
  if (!unpack(packed, bytes.extend(size), size)) __builtin_trap();
  entries_.push_front({id, std::make_shared<const Buffer>(std::move(bytes))});
  by_id_.emplace(id, entries_.begin());
  bytes_ += size;
  trim();
  return entries_.front().bytes;
}

void UnpackedBlocks::set_limit(uint64_t bytes) {
  limit_ = bytes;
  trim();
}

void UnpackedBlocks::trim() {
  while (bytes_ > limit_ && entries_.size() > 1) {
    bytes_ -= entries_.back().bytes->size();
    by_id_.erase(entries_.back().id);
    entries_.pop_back();
  }
}

UnpackedBlocks& unpacked_blocks() {
  static UnpackedBlocks all;
  return all;
}

}  // namespace millrace
