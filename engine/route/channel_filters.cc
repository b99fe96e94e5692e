#include "engine/route/channel_filters.h"

#include <algorithm>

namespace millrace {

namespace {

constexpr char kIdDigits[] = "0123456789abcdef";
constexpr size_t kIdSize = 32;

int digit_value(char digit) {
  const char* found = digit == '\0' ? nullptr : std::strchr(kIdDigits, digit);
  return found == nullptr ? -1 : static_cast<int>(found - kIdDigits);
}

FilterDigest digest_of_id(ByteView id) {
  FilterDigest digest;
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<char>(digit_value(id[2 * i]) << 4 | digit_value(id[2 * i + 1]));
  }
  return digest;
}

}  // namespace

std::string filter_id(const FilterDigest& digest) {
  std::string id;
  id.reserve(kIdSize);
  for (char byte : digest) {
    id += kIdDigits[static_cast<unsigned char>(byte) >> 4];
    id += kIdDigits[byte & 15];
  }
  return id;
}

bool looks_like_filter_id(ByteView name) {
  return name.size() == kIdSize && std::ranges::all_of(name, [](char c) { return digit_value(c) >= 0; });
}

FilterSlot ChannelFilters::find(const FilterDigest& digest) const {
  const auto* found = by_digest_.find(head_of(digest), [&](FilterSlot slot) { return this->digest(slot) == digest; });
  return found != nullptr ? *found : FilterSlot::none();
}

FilterSlot ChannelFilters::find_by_id(ByteView id) const {
  return looks_like_filter_id(id) ? find(digest_of_id(id)) : FilterSlot::none();
}

std::string ChannelFilters::id(FilterSlot slot) const { return filter_id(digest(slot)); }

void ChannelFilters::note(FilterSlot slot, const FilterDigest& digest) {
  if (slot.value() >= first_targets_.size()) {
    first_targets_.resize(slot.value() + 1);
    digests_.resize(slot.value() + 1);
  }
  digests_[slot.value()] = digest;
  by_digest_.insert(head_of(digest), slot);
}

FilterSlot ChannelFilters::add(const Filter& filter, const FilterDigest& digest) {
  const FilterSlot slot = index_.add(filter);
  note(slot, digest);
  return slot;
}

FilterSlot ChannelFilters::add_saved(const SavedFilter& saved, ByteView bytes, const FilterDigest& digest) {
  const FilterSlot slot = index_.add_saved(saved, bytes);
  note(slot, digest);
  return slot;
}

void ChannelFilters::remove(FilterSlot slot) {
  by_digest_.erase(head_of(digest(slot)), slot);
  by_digest_.shrink(by_digest_.size(), [](FilterSlot) { return true; });
  index_.remove(slot);
}

std::unique_ptr<ChannelFilters> ChannelFilters::clone() const {
  auto copy = std::make_unique<ChannelFilters>(HashKey());
  copy->index_ = index_.clone();
  copy->by_digest_ = by_digest_.clone();
  copy->first_targets_ = first_targets_;
  copy->digests_ = digests_;
  copy->named_ = named_;
  return copy;
}

uint64_t ChannelFilters::memory() const {
  uint64_t bytes = sizeof(*this) + index_.memory() + by_digest_.memory();
  bytes += first_targets_.capacity() * sizeof(TargetSlot) + digests_.capacity() * sizeof(FilterDigest);
  // A node of a tree is about four words beside its content.
  for (const auto& [name, target] : named_) bytes += sizeof(name) + sizeof(target) + 32 + name.capacity();
  return bytes;
}

const char* ChannelFilters::check() const {
  if (by_digest_.size() != index_.size()) return "not every filter can be found by its id";
  if (const char* broken = by_digest_.check()) return broken;
  for (uint32_t i = 0; i < limit(); ++i) {
    if (first_targets_[i].is_some() && find(json(FilterSlot(i))) != FilterSlot(i)) return "a filter has another id";
  }
  return index_.check();
}

}  // namespace millrace
