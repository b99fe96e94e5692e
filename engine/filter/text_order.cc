#include "engine/filter/text_order.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <numeric>

namespace millrace {

namespace {

size_t common_beginning(std::span<const ByteView> texts) {
  size_t size = texts.front().size();
  for (const ByteView text : texts) {
    const ByteView known = texts.front().substr(0, std::min(size, text.size()));
    size = static_cast<size_t>(std::ranges::mismatch(known, text).in1 - known.begin());
  }
  return size;
}

// The first eight bytes as a number that sorts as they do.
uint64_t head_of(ByteView text) {
  uint64_t head = 0;
  std::memcpy(&head, text.data(), std::min(text.size(), sizeof(head)));
  if constexpr (std::endian::native == std::endian::little) head = __builtin_bswap64(head);
  return head;
}

}  // namespace

std::vector<uint32_t> text_order(std::span<const ByteView> texts) {
  std::vector<uint32_t> order(texts.size());
  if (std::ranges::is_sorted(texts)) {
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }
  struct Place {
    uint64_t head;
    uint32_t number;
  };
  std::vector<Place> places;
  places.reserve(texts.size());
  const size_t shared = common_beginning(texts);
  for (const ByteView text : texts) {
    places.push_back({head_of(text.substr(shared)), static_cast<uint32_t>(places.size())});
  }
  std::ranges::sort(places, [&](const Place& a, const Place& b) {
    return a.head != b.head ? a.head < b.head : texts[a.number].substr(shared) < texts[b.number].substr(shared);
  });
  std::ranges::transform(places, order.begin(), &Place::number);
  return order;
}

}  // namespace millrace
