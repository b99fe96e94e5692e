#include "engine/base/byte_chunk.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/base/varint.h"

namespace millrace {

namespace {

size_t common_prefix(ByteView a, ByteView b) {
  const size_t most = std::min(a.size(), b.size());
  return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(most), b.begin()).first -
                             a.begin());
}

// Sizes that fill the size classes of common allocators: four between two powers of two.
uint32_t room_for(size_t bytes) {
  const size_t step = std::max<size_t>(16, std::bit_floor(bytes) / 4);
  return static_cast<uint32_t>((bytes + step - 1) / step * step);
}

}  // namespace

ByteChunk ByteChunk::clone() const {
  ByteChunk copy;
  copy.head_ = head_;
  copy.used_ = used_;
  copy.capacity_ = capacity_;
  copy.count_ = count_;
  copy.prefix_ = prefix_;
  copy.stride_ = stride_;
  if (bytes_ == nullptr) return copy;
  copy.bytes_ = std::make_unique_for_overwrite<char[]>(capacity_);
  std::memcpy(copy.bytes_.get(), bytes_.get(), used_);
  return copy;
}

// Part of it may be in the common prefix.
uint32_t ByteChunk::ending(Spot spot) const {
  const ByteView tail = rest(spot);
  if (tail.size() >= kEndingBytes) return number_at(tail.data() + tail.size() - kEndingBytes);
  char bytes[kEndingBytes];
  const size_t from_shared = kEndingBytes - tail.size();
  std::memcpy(bytes, bytes_.get() + prefix_ - from_shared, from_shared);
  std::memcpy(bytes + from_shared, tail.data(), tail.size());
  return number_at(bytes);
}

uint64_t ByteChunk::head_of(ByteView entry) {
  uint64_t head = 0;
  std::memcpy(&head, entry.data(), std::min(entry.size(), sizeof(head)));
  if constexpr (std::endian::native == std::endian::little) head = __builtin_bswap64(head);
  return head;
}

bool ByteChunk::begins_after(ByteView entry, uint64_t head) const {
  if (head_ != head) return head_ > head;
  const int compared = compare_with_shared(entry);
  if (compared != 0) return compared < 0;
  return rest(first()) > entry.substr(prefix_);
}

ByteView ByteChunk::rest(Spot spot) const {
  const char* at = bytes_.get() + spot.offset;
  if (is_fixed()) return {at, stride_};
  uint64_t size = 0;
  at = get_varint_unchecked(at, size);
  return {at, size};
}

uint32_t ByteChunk::offset_after(uint32_t offset) const {
  if (is_fixed()) return offset + stride_;
  uint64_t size = 0;
  const char* at = get_varint_unchecked(bytes_.get() + offset, size);
  return static_cast<uint32_t>(at + size - bytes_.get());
}

int ByteChunk::compare_with_shared(ByteView bound) const {
  const size_t size = std::min<size_t>(bound.size(), prefix_);
  const int compared = size == 0 ? 0 : std::memcmp(bound.data(), bytes_.get(), size);
  if (compared != 0) return compared;
  return bound.size() < prefix_ ? -1 : 0;
}

ByteChunk::Spot ByteChunk::lower_bound(ByteView bound) const {
  const int compared = compare_with_shared(bound);
  if (compared < 0) return first();
  if (compared > 0) return {count_, used_};
  bound.remove_prefix(prefix_);
  if (!is_fixed()) {
    Spot spot = first();
    while (spot.index < count_ && rest(spot) < bound) spot = after(spot);
    return spot;
  }
  uint32_t low = 0;
  uint32_t high = count_;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (rest({middle, static_cast<uint32_t>(prefix_) + middle * stride_}) < bound) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {low, prefix_ + low * stride_};
}

ByteChunk::Spot ByteChunk::after(Spot spot) const { return {spot.index + 1, offset_after(spot.offset)}; }

ByteChunk::Spot ByteChunk::spot_of(size_t index) const {
  if (is_fixed()) return {static_cast<uint32_t>(index), static_cast<uint32_t>(prefix_ + index * stride_)};
  Spot spot = first();
  while (spot.index < index) spot = after(spot);
  return spot;
}

void ByteChunk::read(Spot spot, std::string& entry) const {
  entry = shared();
  entry += rest(spot);
}

bool ByteChunk::is_equal(Spot spot, ByteView entry) const {
  return spot.index < count_ && entry.starts_with(shared()) && rest(spot) == entry.substr(prefix_);
}

bool ByteChunk::insert(ByteView entry) {
  const Spot spot = lower_bound(entry);
  if (is_equal(spot, entry)) return false;
  const bool fits = count_ > 0 && compare_with_shared(entry) == 0 && (!is_fixed() || entry.size() - prefix_ == stride_);
  const size_t size = fits ? entry.size() - prefix_ : 0;
  const size_t bytes = size + (is_fixed() ? 0 : varint_size(size));
  if (!fits || used_ + bytes > capacity_) {
    insert_and_encode(spot.index, entry);
    return true;
  }
  char* at = bytes_.get() + spot.offset;
  std::memmove(at + bytes, at, used_ - spot.offset);
  if (!is_fixed()) at = put_varint(at, size);
  std::memcpy(at, entry.data() + prefix_, size);
  used_ += static_cast<uint32_t>(bytes);
  ++count_;
  if (spot.index == 0) update_head();
  return true;
}

bool ByteChunk::erase(ByteView entry) {
  const Spot spot = lower_bound(entry);
  if (!is_equal(spot, entry)) return false;
  const uint32_t next = offset_after(spot.offset);
  std::memmove(bytes_.get() + spot.offset, bytes_.get() + next, used_ - next);
  used_ -= next - spot.offset;
  --count_;
  if (spot.index == 0 && count_ > 0) update_head();
  return true;
}

void ByteChunk::update_head() {
  char bytes[sizeof(head_)] = {};
  const size_t of_shared = std::min<size_t>(prefix_, sizeof(bytes));
  std::memcpy(bytes, bytes_.get(), of_shared);
  const ByteView tail = rest(first());
  std::memcpy(bytes + of_shared, tail.data(), std::min(tail.size(), sizeof(bytes) - of_shared));
  head_ = head_of({bytes, sizeof(bytes)});
}

void ByteChunk::collect(std::vector<std::string>& entries) const {
  for (Spot spot = first(); spot.index < count_; spot = after(spot)) read(spot, entries.emplace_back());
}

void ByteChunk::insert_and_encode(size_t index, ByteView entry) {
  if (count_ > 0 && is_fixed() && entry.size() == size_t{prefix_} + stride_) return insert_and_widen(index, entry);
  std::vector<std::string> entries;
  entries.reserve(size_t{count_} + 1);
  collect(entries);
  entries.emplace(entries.begin() + static_cast<ptrdiff_t>(index), entry);
  encode(entries);
}

// For entries of the same length, such as numbers: works without a list of strings.
void ByteChunk::insert_and_widen(size_t index, ByteView entry) {
  std::string first_entry(index == 0 ? entry : ByteView());
  std::string last_entry(index == count_ ? entry : ByteView());
  if (index != 0) read(first(), first_entry);
  if (index != count_) read(spot_of(count_ - 1U), last_entry);
  const size_t kept = common_prefix(first_entry, last_entry);
  const size_t stride = entry.size() - kept;
  const size_t from_shared = prefix_ - std::min<size_t>(prefix_, kept);
  const size_t from_rest = stride - from_shared;
  const size_t needed = kept + (size_t{count_} + 1) * stride;
  const uint32_t capacity = room_for(needed);
  auto made = std::make_unique_for_overwrite<char[]>(capacity);
  std::memcpy(made.get(), entry.data(), kept);
  char* to = made.get() + kept;
  for (size_t i = 0; i <= count_; ++i) {
    if (i == index) {
      std::memcpy(to, entry.data() + kept, stride);
      to += stride;
    }
    if (i == count_) break;
    std::memcpy(to, bytes_.get() + prefix_ - from_shared, from_shared);
    std::memcpy(to + from_shared, bytes_.get() + prefix_ + (i + 1) * stride_ - from_rest, from_rest);
    to += stride;
  }
  bytes_ = std::move(made);
  capacity_ = capacity;
  used_ = static_cast<uint32_t>(needed);
  prefix_ = static_cast<uint16_t>(kept);
  stride_ = static_cast<uint16_t>(stride);
  ++count_;
  update_head();
}

void ByteChunk::encode(std::span<const std::string> entries) {
  *this = {};
  if (entries.empty()) return;
  // The entries are sorted, so a prefix that the first and the last share is common to all. A single entry has no
  // common prefix.
  const size_t shared_size = entries.size() == 1 ? 0 : common_prefix(entries.front(), entries.back());
  const size_t size = entries.front().size();
  const bool fixed = std::ranges::all_of(entries, [&](const std::string& entry) { return entry.size() == size; });
  prefix_ = static_cast<uint16_t>(shared_size);
  stride_ = fixed ? static_cast<uint16_t>(size - shared_size) : kVariable;
  size_t needed = shared_size;
  for (const std::string& entry : entries) {
    const size_t tail = entry.size() - shared_size;
    needed += tail + (fixed ? 0 : varint_size(tail));
  }
  capacity_ = room_for(needed);
  bytes_ = std::make_unique_for_overwrite<char[]>(capacity_);
  char* to = bytes_.get();
  std::memcpy(to, entries.front().data(), shared_size);
  to += shared_size;
  for (const std::string& entry : entries) {
    const ByteView tail = ByteView(entry).substr(shared_size);
    if (!fixed) to = put_varint(to, tail.size());
    std::memcpy(to, tail.data(), tail.size());
    to += tail.size();
  }
  used_ = static_cast<uint32_t>(needed);
  count_ = static_cast<uint16_t>(entries.size());
  update_head();
}

ByteChunk ByteChunk::split() {
  std::vector<std::string> entries;
  collect(entries);
  const size_t half = entries.size() / 2;
  const std::span<const std::string> all = entries;
  ByteChunk upper{all.subspan(half)};
  encode(all.first(half));
  return upper;
}

void ByteChunk::absorb(const ByteChunk& next) {
  std::vector<std::string> entries;
  collect(entries);
  next.collect(entries);
  encode(entries);
}

const char* ByteChunk::check() const {
  if (count_ == 0) return "an empty chunk";
  std::vector<std::string> entries;
  collect(entries);
  if (std::ranges::adjacent_find(entries, std::ranges::greater_equal()) != entries.end()) return "entries out of order";
  if (head_ != head_of(entries.front())) return "a chunk with a wrong head";
  return spot_of(count_ - 1u).offset < used_ && offset_after(spot_of(count_ - 1u).offset) == used_
             ? nullptr
             : "a chunk of the wrong size";
}

}  // namespace millrace
