#include "engine/blocks/unpacked_blocks.h"

namespace millrace {

std::shared_ptr<const Buffer> UnpackedBlocks::open(PackedId id, ByteView packed, uint32_t size) {
  if (const auto found = by_id_.find(id); found != by_id_.end()) {
    ++hits_;
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().bytes;
  }
  ++misses_;
  Buffer bytes;
  bytes.reserve(size);
  // These bytes were packed here, or unpacked once when they were received. If they do not unpack now, memory is
  // corrupt, and continuing would return and save wrong data.
  if (!zstd_.unpack(packed, bytes.extend(size), size)) __builtin_trap();
  entries_.push_front({id, std::make_shared<const Buffer>(std::move(bytes))});
  by_id_.emplace(id, entries_.begin());
  bytes_ += size;
  trim();
  return entries_.front().bytes;
}

void UnpackedBlocks::forget(PackedId id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  bytes_ -= found->second->bytes->size();
  entries_.erase(found->second);
  by_id_.erase(found);
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

}  // namespace millrace
