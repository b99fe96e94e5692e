#include "engine/blocks/tag_index.h"

#include <functional>
#include <utility>

namespace millrace {

uint32_t TagIndex::hash_of(ByteView tag) { return static_cast<uint32_t>(std::hash<ByteView>{}(tag)); }

TagPosition TagIndex::find(const char* block, ByteView tag) {
  if (recent_ != 0 && tag_at(block, recent_) == tag) return recent_;
  if (slots_.empty()) return 0;
  const uint32_t hash = hash_of(tag);
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].position != 0; i = (i + 1) & mask) {
    if (slots_[i].hash == hash && tag_at(block, slots_[i].position) == tag) return recent_ = slots_[i].position;
  }
  return 0;
}

void TagIndex::add(const char* block, TagPosition position) {
  if (++count_ == 2) {
    grow();
    place({hash_of(tag_at(block, recent_)), recent_});
  } else if (size_t{count_} * 4 > slots_.size() * 3 && count_ > 2) {
    grow();
  }
  if (count_ > 1) place({hash_of(tag_at(block, position)), position});
  recent_ = position;
}

std::vector<TagPosition> TagIndex::positions() const {
  if (count_ == 1) return {recent_};
  std::vector<TagPosition> all;
  all.reserve(count_);
  for (const Slot& slot : slots_) {
    if (slot.position != 0) all.push_back(slot.position);
  }
  return all;
}

void TagIndex::clear() {
  recent_ = 0;
  count_ = 0;
  slots_ = std::vector<Slot>();  // "= {}" would keep the capacity
}

void TagIndex::place(Slot slot) {
  const size_t mask = slots_.size() - 1;
  size_t i = slot.hash & mask;
  while (slots_[i].position != 0) i = (i + 1) & mask;
  slots_[i] = slot;
}

void TagIndex::grow() {
  std::vector<Slot> old = std::exchange(slots_, {});
  slots_.resize(old.empty() ? 8 : old.size() * 2);
  for (const Slot& slot : old) {
    if (slot.position != 0) place(slot);
  }
}

}  // namespace millrace
