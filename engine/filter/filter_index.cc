#include "engine/filter/filter_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

namespace millrace {

uint32_t FilterIndex::hash(FieldId field, const ScalarView& value) const {
  char bytes[2 * sizeof(uint64_t)];
  const auto of_bytes = [&](uint64_t number) {
    const uint64_t head = uint64_t{field.value()} << 8 | static_cast<uint64_t>(value.kind);
    std::memcpy(bytes, &head, sizeof(head));
    std::memcpy(bytes + sizeof(head), &number, sizeof(number));
    return static_cast<uint32_t>(keyed_hash(key_, ByteView(bytes, sizeof(bytes))));
  };
  switch (value.kind) {
    case ScalarKind::Null:
    case ScalarKind::Nested:
      return of_bytes(0);
    case ScalarKind::Boolean:
      return of_bytes(value.boolean);
    case ScalarKind::Number:
      return of_bytes(value.number.is_whole() ? static_cast<uint64_t>(value.number.whole())
                                              : std::bit_cast<uint64_t>(value.number.approximate()));
    case ScalarKind::String:
      return of_bytes(keyed_hash(key_, value.text));
  }
  return 0;
}

std::vector<FilterIndex::Key> FilterIndex::all_keys(const Filter& filter) const {
  std::vector<Key> keys;
  if (filter.kind == Filter::Kind::Condition && (filter.op == Operator::Eq || filter.op == Operator::In)) {
    const FieldId field = fields_.find(filter.field);
    for (const Scalar& operand : filter.operands) keys.push_back({field, hash(field, operand)});
  }
  for (const Filter& part : filter.parts) std::ranges::copy(all_keys(part), std::back_inserter(keys));
  return keys;
}

FilterSlot FilterIndex::add(const Filter& filter) {
  const FilterSlot slot = filters_.add();
  Entry& entry = filters_[slot];
  entry.program = Program(filter, fields_);
  entry.is_used = true;
  equalities_.resize(fields_.limit());
  for (const Key& key : all_keys(filter)) ++equalities_[key.field.value()];

  // What leads to few filters now is what will lead to few later.
  const auto cost = [&](const Equality& equality) {
    return by_equality_.count(hash(fields_.find(equality.field), equality.value), kMostCounted);
  };
  const auto access = best_access(filter, cost);
  if (!access) {
    add_to_range_index(slot, filter);
    return slot;
  }
  std::vector<uint32_t> hashes;
  for (const Equality& equality : *access) hashes.push_back(hash(fields_.find(equality.field), equality.value));
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  const Prefilter prefilter = prefilter_of(filter, *access);
  for (uint32_t each : hashes) by_equality_.insert(each, {slot, prefilter});
  return slot;
}

// An equality if there is another one, else the narrowest range.
Prefilter FilterIndex::prefilter_of(const Filter& filter, const std::vector<Equality>& access) const {
  Prefilter best;
  const auto consider = [&](const std::string& path, auto low, auto high) {
    const FieldId field = fields_.find(path);
    if (field.value() > std::numeric_limits<uint16_t>::max()) return;
    const Prefilter prefilter = {static_cast<uint16_t>(field.value()), low(field), high(field)};
    if (prefilter.width() < best.width()) best = prefilter;
  };
  for (const Filter* part : conjuncts(filter)) {
    if (part->kind != Filter::Kind::Condition || part->op != Operator::Eq) continue;
    if (std::ranges::find(access, part->field, &Equality::field) != access.end()) continue;
    const ScalarView operand = part->operands.front();
    const auto value = [&](FieldId field) { return short_value(operand, hash(field, operand)); };
    consider(part->field, value, value);
  }
  for (const Interval& interval : necessary_intervals(filter)) {
    if (std::ranges::find(access, interval.field, &Equality::field) != access.end()) continue;
    consider(
        interval.field, [&](FieldId) { return short_number(interval.low); },
        [&](FieldId) { return short_number(interval.high); });
  }
  return best;
}

void FilterIndex::add_to_range_index(FilterSlot slot, const Filter& filter) {
  std::vector<Bound> bounds;
  for (const Interval& interval : necessary_intervals(filter)) {
    bounds.push_back({fields_.find(interval.field), interval.low, interval.high});
  }
  const auto room = std::ranges::find_if(range_indexes_, [](const auto& index) { return !index->is_full(); });
  RangeIndex& index =
      room != range_indexes_.end() ? **room : *range_indexes_.emplace_back(std::make_unique<RangeIndex>());
  index.add(slot, std::move(bounds));
}

void FilterIndex::remove(FilterSlot slot) {
  Entry& entry = filters_[slot];
  bool found = false;
  for (const Key& key : all_keys(entry.program.filter(fields_))) {
    --equalities_[key.field.value()];
    found |= by_equality_.erase(key.hash, {slot, {}});
  }
  if (!found) {
    const auto index = std::ranges::find_if(range_indexes_, [&](const auto& each) { return each->remove(slot); });
    if (index != range_indexes_.end() && (*index)->empty()) range_indexes_.erase(index);
  }
  by_equality_.shrink(by_equality_.size(), [](const EqualityEntry&) { return true; });
  entry.program.release(fields_);
  filters_.remove(slot);
  if (filters_.size() == 0) {
    equalities_ = std::vector<uint32_t>();
    short_values_ = std::vector<ShortValues>();
  }
}

void FilterIndex::look_at(const FieldValues& document) const {
  short_values_.resize(fields_.limit());
  document.each([&](FieldId field, const ScalarView& value) {
    uint32_t hashed = 0;
    if (equalities_[field.value()] != 0) {
      hashed = hash(field, value);
      hashes_.push_back(hashed);
      by_equality_.prefetch_bucket(hashed);
    }
    short_values_[field.value()].add(short_value(value, hashed));
  });
}

void FilterIndex::forget(const FieldValues& document) const {
  document.each([&](FieldId field, const ScalarView&) { short_values_[field.value()] = {}; });
  hashes_.clear();
}

// What is in the buckets is fetched for many at once: one after the other, each would be waited for.
void FilterIndex::find_by_equality(auto consider) const {
  for (size_t begin = 0; begin < hashes_.size(); begin += kBatch) {
    const auto batch = std::span(hashes_).subspan(begin, std::min(kBatch, hashes_.size() - begin));
    for (uint32_t each : batch) by_equality_.prefetch_entries(each);
    for (uint32_t each : batch) {
      by_equality_.each(each, [&](const EqualityEntry& entry) {
        if (entry.prefilter.may_be_satisfied(short_values_[entry.prefilter.field])) consider(entry.filter);
      });
    }
  }
}

void FilterIndex::match(const FieldValues& document, std::vector<FilterSlot>& matched) const {
  if (++match_number_ == 0) {
    for (FilterSlot slot : filters_.all()) filters_[slot].last_seen = 0;
    match_number_ = 1;
  }
  const auto consider = [&](FilterSlot slot) {
    candidates_.push_back(slot);
    // By the time the last one is found, the first is in the cache.
    __builtin_prefetch(&filters_[slot]);
    if (candidates_.size() == kBatch) run_candidates(document, matched);
  };
  look_at(document);
  find_by_equality(consider);
  forget(document);
  for (const auto& index : range_indexes_) index->each_candidate(document, consider);
  run_candidates(document, matched);
}

void FilterIndex::run_candidates(const FieldValues& document, std::vector<FilterSlot>& matched) const {
  for (FilterSlot slot : candidates_) filters_[slot].program.prefetch();
  for (FilterSlot slot : candidates_) {
    const Entry& entry = filters_[slot];
    if (std::exchange(entry.last_seen, match_number_) == match_number_) continue;
    if (entry.program.matches(document)) matched.push_back(slot);
  }
  candidates_.clear();
}

uint64_t FilterIndex::memory() const {
  uint64_t bytes = fields_.memory() + filters_.memory() + by_equality_.memory();
  for (FilterSlot slot : filters_.all()) bytes += filters_[slot].program.memory();
  for (const auto& index : range_indexes_) bytes += sizeof(*index) + index->memory();
  bytes += short_values_.capacity() * sizeof(ShortValues);
  return bytes + (candidates_.capacity() + hashes_.capacity() + equalities_.capacity()) * sizeof(uint32_t);
}

const char* FilterIndex::check() const {
  if (const char* broken = fields_.check()) return broken;
  if (const char* broken = by_equality_.check()) return broken;
  size_t in_range_indexes = 0;
  for (const auto& index : range_indexes_) {
    if (const char* broken = index->check()) return broken;
    if (index->empty()) return "an empty range index is kept";
    in_range_indexes += index->size();
  }
  size_t used = 0;
  size_t by_equality = 0;
  std::vector<uint32_t> equalities(equalities_.size());
  for (FilterSlot slot : filters_.all()) {
    if (!filters_[slot].is_used) continue;
    ++used;
    const auto keys = all_keys(filters_[slot].program.filter(fields_));
    for (const Key& key : keys) ++equalities[key.field.value()];
    by_equality += std::ranges::any_of(keys, [&](const Key& key) {
      return by_equality_.find(key.hash, [&](const EqualityEntry& entry) { return entry.filter == slot; }) != nullptr;
    });
  }
  if (used != filters_.size()) return "the count of filters is wrong";
  if (equalities != equalities_) return "the equalities of a field are counted wrong";
  return used == by_equality + in_range_indexes ? nullptr : "a filter cannot be found, or is in both indexes";
}

}  // namespace millrace
