#include "engine/index/composite_keys.h"

#include <algorithm>
#include <utility>

namespace millrace {

bool has_too_many_keys(const CompositeOrder& order, const DocumentValues& values) {
  size_t keys = 1;
  for (const OrderId field : order.ids) {
    const auto [begin, end] = std::ranges::equal_range(values.values, field, {}, &DocumentValue::field);
    // A field has at most kMaxValuesOfField values, and an order few fields: it does not overflow.
    keys = std::min(keys * static_cast<size_t>(end - begin), kMaxValuesOfField + 1);
    if (begin == end) return false;
  }
  return keys > kMaxValuesOfField;
}

std::vector<std::string> composite_keys(const CompositeOrder& order, const DocumentValues& values) {
  std::vector<std::string> keys(1);
  for (const OrderId field : order.ids) {
    const auto [begin, end] = std::ranges::equal_range(values.values, field, {}, &DocumentValue::field);
    const auto count = static_cast<size_t>(end - begin);
    if (count == 0 || count * keys.size() > kMaxValuesOfField) return {};
    std::vector<std::string> longer;
    longer.reserve(keys.size() * count);
    for (const std::string& key : keys) {
      for (auto value = begin; value != end; ++value) longer.push_back(key + value->key);
    }
    keys = std::move(longer);
  }
  return keys;  // sorted, because the values are, and no key begins with another
}

}  // namespace millrace
