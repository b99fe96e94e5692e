#include "engine/log/tag_set.h"

#include <algorithm>
#include <bit>

namespace millrace {

namespace {

// Comparing with so few tags is faster than hashing one.
constexpr size_t kFew = 4;

}  // namespace

TagSet::TagSet(const HashKey& key, std::span<const ByteView> tags)
    : key_(key), tags_(tags), probes_(tags.begin(), tags.end()) {
  if (tags.size() <= kFew) return;
  slots_.resize(std::bit_ceil(tags.size() * 2));
  const size_t mask = slots_.size() - 1;
  for (const ByteView& tag : tags) {
    const uint64_t hash = keyed_hash(key_, tag);
    size_t i = hash & mask;
    // A tag that is named twice is stored once: a second copy would make probing longer for others.
    while (slots_[i].tag != nullptr && (slots_[i].hash != hash || *slots_[i].tag != tag)) i = (i + 1) & mask;
    slots_[i] = {hash, &tag};
  }
}

bool TagSet::contains(ByteView tag) const {
  if (slots_.empty()) return std::ranges::find(tags_, tag) != tags_.end();
  const uint64_t hash = keyed_hash(key_, tag);
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].tag != nullptr; i = (i + 1) & mask) {
    if (slots_[i].hash == hash && *slots_[i].tag == tag) return true;
  }
  return false;
}

}  // namespace millrace
