#include "engine/blocks/tag_filter.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace millrace {

namespace {

constexpr uint64_t kBitsPerTag = 8;

// Two bits of one word: one cache line per lookup, and about 1 in 20 false positives.
uint64_t bits_of(uint64_t hash) { return uint64_t{1} << (hash & 63) | uint64_t{1} << (hash >> 6 & 63); }

}  // namespace

TagFilter::Probe::Probe(ByteView tag) : hash(std::hash<ByteView>{}(tag)) {}

TagFilter TagFilter::build(const char* block, std::span<const TagPosition> positions) {
  TagFilter filter;
  filter.word_count_ = std::bit_ceil(static_cast<uint32_t>(positions.size() * kBitsPerTag / 64 + 1));
  filter.words_ = std::make_unique<uint64_t[]>(filter.word_count_);
  for (TagPosition position : positions) filter.set(Probe(tag_at(block, position)).hash);
  return filter;
}

void TagFilter::set(uint64_t hash) { words_[hash >> 32 & (word_count_ - 1)] |= bits_of(hash); }

bool TagFilter::may_hold(Probe probe) const {
  if (word_count_ == 0) return true;
  const uint64_t bits = bits_of(probe.hash);
  return (words_[probe.hash >> 32 & (word_count_ - 1)] & bits) == bits;
}

TagFilter TagFilter::clone() const {
  TagFilter copy;
  copy.word_count_ = word_count_;
  if (word_count_ != 0) {
    copy.words_ = std::make_unique<uint64_t[]>(word_count_);
    std::copy_n(words_.get(), word_count_, copy.words_.get());
  }
  return copy;
}

}  // namespace millrace
