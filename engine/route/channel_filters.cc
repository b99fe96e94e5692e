#include "engine/route/channel_filters.h"

#include <algorithm>
#include <cstring>

namespace millrace {

namespace {

constexpr char kIdDigits[] = "0123456789abcdef";
constexpr size_t kIdSize = 32;

uint32_t head_of(ByteView digest) {
  uint32_t head;
  std::memcpy(&head, digest.data(), sizeof(head));
  return head;
}

int digit_value(char digit) {
  const char* found = digit == '\0' ? nullptr : std::strchr(kIdDigits, digit);
  return found == nullptr ? -1 : static_cast<int>(found - kIdDigits);
}

std::string digest_of(ByteView id) {
  std::string digest;
  for (size_t i = 0; i < id.size(); i += 2) {
    digest += static_cast<char>(digit_value(id[i]) << 4 | digit_value(id[i + 1]));
  }
  return digest;
}

}  // namespace

std::string filter_id(ByteView normal_json) {
  std::string id;
  for (char byte : filter_digest(normal_json)) {
    id += kIdDigits[static_cast<unsigned char>(byte) >> 4];
    id += kIdDigits[byte & 15];
  }
  return id;
}

bool looks_like_filter_id(ByteView name) {
  return name.size() == kIdSize && std::ranges::all_of(name, [](char c) { return digit_value(c) >= 0; });
}

FilterSlot ChannelFilters::find(ByteView normal_json) const {
  const auto* found =
      by_digest_.find(head_of(filter_digest(normal_json)), [&](FilterSlot slot) { return json(slot) == normal_json; });
  return found != nullptr ? *found : FilterSlot::none();
}

FilterSlot ChannelFilters::find_by_id(ByteView id) const {
  if (!looks_like_filter_id(id)) return FilterSlot::none();
  const std::string digest = digest_of(id);
  const auto* found =
      by_digest_.find(head_of(digest), [&](FilterSlot slot) { return filter_digest(json(slot)) == digest; });
  return found != nullptr ? *found : FilterSlot::none();
}

FilterSlot ChannelFilters::add(const Filter& filter, ByteView normal_json) {
  const FilterSlot slot = index_.add(filter);
  if (slot.value() >= first_targets_.size()) first_targets_.resize(slot.value() + 1);
  by_digest_.insert(head_of(filter_digest(normal_json)), slot);
  return slot;
}

void ChannelFilters::remove(FilterSlot slot) {
  by_digest_.erase(head_of(filter_digest(json(slot))), slot);
  by_digest_.shrink(by_digest_.size(), [](FilterSlot) { return true; });
  index_.remove(slot);
}

uint64_t ChannelFilters::memory() const {
  uint64_t bytes = sizeof(*this) + index_.memory() + by_digest_.memory();
  bytes += first_targets_.capacity() * sizeof(TargetSlot);
  // A node of a tree is about four words beside its content.
  for (const auto& [name, target] : named_) bytes += sizeof(name) + sizeof(target) + 32 + name.capacity();
  return bytes;
}

const char* ChannelFilters::check() const {
  if (by_digest_.size() != index_.size()) return "not every filter can be found by its id";
  if (const char* broken = by_digest_.check()) return broken;
  return index_.check();
}

}  // namespace millrace
