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

std::vector<FilterIndex::Key> FilterIndex::all_keys(const Entry& entry) const {
  if (entry.program.is_compiled()) return all_keys(entry.program.filter(fields_));
  std::vector<Key> keys;
  // Read before, when it was added.
  const auto saved = SavedFilter::read(entry.program.saved());
  for (const auto& [path, value] : saved->equalities()) {
    const FieldId field = fields_.find(path);
    keys.push_back({field, hash(field, value)});
  }
  return keys;
}

void FilterIndex::count_equalities(const Program& program) {
  equalities_.resize(fields_.limit());
  program.each_equality(
      [this](FieldId field, uint64_t values) { equalities_[field.value()] += static_cast<uint32_t>(values); });
}

FilterSlot FilterIndex::add(const Filter& filter) {
  const FilterSlot slot = filters_.add();
  Entry& entry = filters_[slot];
  entry.program = Program(filter, fields_);
  entry.is_used = true;
  count_equalities(entry.program);

  // An equality that leads to few filters now will probably lead to few later.
  const auto cost = [&](const Equality& equality) {
    return by_equality_.count(hash(fields_.find(equality.field), equality.value), kMostCounted);
  };
  const auto access = best_access(filter, cost);
  if (!access) {
    std::vector<Bound> bounds;
    for (const Interval& interval : necessary_intervals(filter)) {
      bounds.push_back({fields_.find(interval.field), interval.low, interval.high});
    }
    add_to_range_index(slot, std::move(bounds));
    entry.program.prepare_regexes();
    return slot;
  }
  std::vector<uint32_t> hashes;
  for (const Equality& equality : *access) hashes.push_back(hash(fields_.find(equality.field), equality.value));
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  const Prefilter prefilter = prefilter_of(filter, *access);
  for (uint32_t each : hashes) by_equality_.insert(each, {slot, prefilter});
  if (std::ranges::any_of(hashes, [this](uint32_t each) { return has_many(each); })) entry.program.prepare_regexes();
  return slot;
}

FilterSlot FilterIndex::add_saved(const SavedFilter& saved, ByteView bytes) {
  const FilterSlot slot = filters_.add();
  Entry& entry = filters_[slot];
  entry.program = Program::of_saved(bytes);
  entry.is_used = true;
  ++to_compile_later_;
  compiled_before_ = std::min(compiled_before_, slot.value());
  if (saved.equalities().empty()) {
    std::vector<Bound> bounds;
    for (const auto& [field, low, high] : saved.intervals()) bounds.push_back({fields_.use(field), low, high});
    equalities_.resize(fields_.limit());
    add_to_range_index(slot, std::move(bounds));
    return slot;
  }
  std::vector<uint32_t> hashes;
  for (const auto& [path, value] : saved.equalities()) {
    const FieldId field = fields_.use(path);
    if (equalities_.size() < fields_.limit()) equalities_.resize(fields_.limit());
    ++equalities_[field.value()];
    const uint32_t hashed = hash(field, value);
    if (saved.equalities().size() == 1) {
      by_equality_.insert(hashed, {slot, Prefilter()});
      return slot;
    }
    hashes.push_back(hashed);
  }
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  for (uint32_t each : hashes) by_equality_.insert(each, {slot, Prefilter()});
  return slot;
}

namespace {

bool has_equality(const Filter& filter, const SavedFilter::EqualityView& wanted) {
  if (filter.kind == Filter::Kind::Condition) {
    return (filter.op == Operator::Eq || filter.op == Operator::In) && filter.field == wanted.field &&
           std::ranges::any_of(filter.operands, [&](const Scalar& each) { return ScalarView(each) == wanted.value; });
  }
  return std::ranges::any_of(filter.parts, [&](const Filter& part) { return has_equality(part, wanted); });
}

// Whether the filter requires the conditions that it is saved under.
bool is_access(const SavedFilter& saved, const Filter& filter) {
  const std::vector<Interval> intervals = necessary_intervals(filter);
  return std::ranges::all_of(saved.equalities(), [&](const auto& each) { return has_equality(filter, each); }) &&
         std::ranges::all_of(saved.intervals(), [&](const auto& each) {
           return std::ranges::find(intervals, each.field, &Interval::field) != intervals.end();
         });
}

}  // namespace

void FilterIndex::release_saved(const SavedFilter& saved) {
  for (const auto& each : saved.equalities()) fields_.release(fields_.find(each.field));
  for (const auto& each : saved.intervals()) fields_.release(fields_.find(each.field));
}

void FilterIndex::compile(FilterSlot slot) {
  Entry& entry = filters_[slot];
  --to_compile_later_;
  const std::string bytes(entry.program.saved());
  const SavedFilter saved = *SavedFilter::read(bytes);
  const auto read = parse_and_write_filter(saved.json(), kNormalFormLimits);
  if (!read || read->json != saved.json() || !is_access(saved, read->filter)) {
    entry.is_unreadable = true;
    return;
  }
  const Filter& filter = read->filter;
  for (const Key& key : all_keys(entry)) --equalities_[key.field.value()];
  entry.program = Program(filter, fields_);
  count_equalities(entry.program);
  const std::vector<Equality> access = found_by(slot, filter);
  const Prefilter prefilter = prefilter_of(filter, access);
  for (const Equality& each : access) {
    const auto is_it = [&](const EqualityEntry& found) { return found.filter == slot; };
    by_equality_.find(hash(fields_.find(each.field), each.value), is_it)->prefilter = prefilter;
  }
  release_saved(saved);
}

bool FilterIndex::compile_some(size_t most) {
  for (; most > 0 && to_compile_later_ > 0; ++compiled_before_) {
    const FilterSlot slot(compiled_before_);
    if (!std::as_const(filters_)[slot].is_to_compile()) continue;
    compile(slot);
    if (is_one_of_many(slot)) filters_[slot].program.prepare_regexes();
    --most;
  }
  return to_compile_later_ > 0;
}

bool FilterIndex::is_one_of_many(FilterSlot slot) const {
  const Entry& entry = filters_[slot];
  if (entry.is_unreadable) return false;
  const std::vector<Equality> access = found_by(slot, entry.program.filter(fields_));
  return access.empty() || std::ranges::any_of(access, [&](const Equality& each) {
           return has_many(hash(fields_.find(each.field), each.value));
         });
}

std::vector<Equality> FilterIndex::found_by(FilterSlot slot, const Filter& filter) const {
  std::vector<Equality> found;
  add_found_by(slot, filter, found);
  return found;
}

void FilterIndex::add_found_by(FilterSlot slot, const Filter& filter, std::vector<Equality>& found) const {
  if (filter.kind == Filter::Kind::Condition && (filter.op == Operator::Eq || filter.op == Operator::In)) {
    const FieldId field = fields_.find(filter.field);
    const auto is_it = [&](const EqualityEntry& entry) { return entry.filter == slot; };
    for (const Scalar& operand : filter.operands) {
      if (by_equality_.find(hash(field, operand), is_it) == nullptr) continue;
      const Equality equality{filter.field, operand};
      // A filter may repeat an equality thousands of times.
      if (std::ranges::find(found, equality) == found.end()) found.push_back(equality);
    }
  }
  for (const Filter& part : filter.parts) add_found_by(slot, part, found);
}

std::string FilterIndex::json(FilterSlot slot) const {
  const Program& program = filters_[slot].program;
  return program.is_compiled() ? filter_json(program.filter(fields_))
                               : std::string(SavedFilter::read(program.saved())->json());
}

std::string FilterIndex::saved(FilterSlot slot) const {
  const Program& program = filters_[slot].program;
  if (!program.is_compiled()) return std::string(program.saved());
  const Filter filter = program.filter(fields_);
  const std::vector<Equality> equalities = found_by(slot, filter);
  return saved_filter(filter_json(filter), equalities,
                      equalities.empty() ? necessary_intervals(filter) : std::vector<Interval>());
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
  // A filter may have thousands of conditions: nothing is narrower than one value.
  const auto is_narrowest = [&] { return best.width() == 0; };
  for (const Filter* part : conjuncts(filter)) {
    if (is_narrowest()) return best;
    if (part->kind != Filter::Kind::Condition || part->op != Operator::Eq) continue;
    if (std::ranges::find(access, part->field, &Equality::field) != access.end()) continue;
    const ScalarView operand = part->operands.front();
    const auto value = [&](FieldId field) { return short_value(operand, hash(field, operand)); };
    consider(part->field, value, value);
  }
  if (is_narrowest()) return best;
  for (const Interval& interval : necessary_intervals(filter)) {
    if (std::ranges::find(access, interval.field, &Equality::field) != access.end()) continue;
    consider(
        interval.field, [&](FieldId) { return short_number(interval.low); },
        [&](FieldId) { return short_number(interval.high); });
  }
  return best;
}

void FilterIndex::add_to_range_index(FilterSlot slot, std::vector<Bound> bounds) {
  const auto room =
      std::find_if(range_indexes_.rbegin(), range_indexes_.rend(), [](const auto& index) { return !index->is_full(); });
  RangeIndex& index =
      room != range_indexes_.rend() ? **room : *range_indexes_.emplace_back(std::make_unique<RangeIndex>());
  index.add(slot, std::move(bounds));
}

void FilterIndex::remove(FilterSlot slot) {
  Entry& entry = filters_[slot];
  if (entry.is_to_compile()) --to_compile_later_;
  bool found = false;
  for (const Key& key : all_keys(entry)) {
    --equalities_[key.field.value()];
    found |= by_equality_.erase(key.hash, {slot, {}});
  }
  if (!found) {
    const auto index = std::ranges::find_if(range_indexes_, [&](const auto& each) { return each->remove(slot); });
    if (index != range_indexes_.end() && (*index)->empty()) range_indexes_.erase(index);
  }
  by_equality_.shrink(by_equality_.size(), [](const EqualityEntry&) { return true; });
  if (entry.program.is_compiled()) {
    entry.program.release(fields_);
  } else {
    release_saved(*SavedFilter::read(entry.program.saved()));
  }
  filters_.remove(slot);
  if (filters_.size() == 0) {
    equalities_ = std::vector<uint32_t>();
    short_values_ = std::vector<ShortValues>();
  }
}

void FilterIndex::look_at(const FieldValues& document) {
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

void FilterIndex::forget(const FieldValues& document) {
  document.each([&](FieldId field, const ScalarView&) { short_values_[field.value()] = {}; });
  hashes_.clear();
}

// The contents of many buckets are prefetched together: one after the other, each access would be a cache miss.
void FilterIndex::find_by_equality(auto consider) {
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

void FilterIndex::match(const simdjson::dom::object& document, FieldValues& values, uint64_t& regex_work,
                        FilterMatches& found) {
  if (++match_number_ == 0) {
    for (FilterSlot slot : filters_.all()) {
      if (std::as_const(filters_)[slot].is_used) filters_[slot].last_seen = 0;
    }
    match_number_ = 1;
  }
  const auto consider = [&](FilterSlot slot) {
    candidates_.push_back(slot);
    // By the time the last one is found, the first is in the cache.
    __builtin_prefetch(&filters_[slot]);
    if (candidates_.size() == kBatch) run_candidates(values, found);
  };
  values.extract(document, fields_);
  look_at(values);
  find_by_equality(consider);
  forget(values);
  for (const auto& index : range_indexes_) index->each_candidate(values, consider);
  run_candidates(values, found);
  if (!to_compile_.empty()) {
    for (FilterSlot slot : to_compile_) compile(slot);
    // They may use fields that no filter has used before.
    values.extract(document, fields_);
    for (FilterSlot slot : to_compile_) run(slot, values, found);
    to_compile_.clear();
  }
  if (!deferred_.empty()) run_deferred(values, regex_work, found);
}

void FilterIndex::run_candidates(const FieldValues& document, FilterMatches& found) {
  for (FilterSlot slot : candidates_) filters_[slot].program.prefetch();
  for (FilterSlot slot : candidates_) {
    Entry& entry = filters_[slot];
    if (std::exchange(entry.last_seen, match_number_) == match_number_) continue;
    if (entry.program.is_compiled() || entry.is_unreadable) {
      run(slot, document, found);
    } else {
      to_compile_.push_back(slot);
    }
  }
  candidates_.clear();
}

void FilterIndex::run(FilterSlot slot, const FieldValues& document, FilterMatches& found) {
  const Entry& entry = filters_[slot];
  if (entry.is_unreadable) return void(found.failed.push_back({slot, Trouble::Unreadable}));
  Evaluation evaluation{.runs_regexes = false};
  const Verdict verdict = entry.program.matches(document, evaluation);
  if (verdict == Verdict::Yes) return found.matched.push_back(slot);
  if (verdict == Verdict::No) return;
  if (evaluation.regex_work > 0) return deferred_.push_back({evaluation.regex_work, slot});
  found.failed.push_back({slot, evaluation.trouble});
}

void FilterIndex::run_deferred(const FieldValues& document, uint64_t& regex_work, FilterMatches& found) {
  std::ranges::stable_sort(deferred_, {}, &Deferred::work);
  for (const Deferred& each : deferred_) {
    if (each.work > std::min(kMostRegexWorkOfFilter, regex_work)) {
      found.failed.push_back({each.filter, Trouble::RegexWork});
      continue;
    }
    regex_work -= each.work;
    Evaluation evaluation;
    const Verdict verdict = filters_[each.filter].program.matches(document, evaluation);
    if (verdict == Verdict::Yes) found.matched.push_back(each.filter);
    if (verdict == Verdict::Unknown) found.failed.push_back({each.filter, evaluation.trouble});
  }
  deferred_.clear();
}

FilterIndex FilterIndex::clone() const {
  FilterIndex copy(key_);
  copy.fields_ = fields_.clone();
  copy.filters_ = filters_.clone([](const Entry& entry) {
    return Entry{entry.program.clone(), 0, entry.is_used, entry.is_unreadable};
  });
  copy.by_equality_ = by_equality_.clone();
  copy.equalities_ = equalities_;
  copy.to_compile_later_ = to_compile_later_;
  copy.compiled_before_ = compiled_before_;
  for (const auto& index : range_indexes_) copy.range_indexes_.push_back(std::make_unique<RangeIndex>(*index));
  return copy;
}

size_t FilterIndex::count_compiled() const {
  size_t count = 0;
  for (FilterSlot slot : filters_.all()) count += filters_[slot].program.is_compiled();
  return count;
}

size_t FilterIndex::count_regexes() const {
  size_t count = 0;
  for (FilterSlot slot : filters_.all()) count += filters_[slot].program.count_regexes();
  return count;
}

uint64_t FilterIndex::memory() const {
  uint64_t bytes = fields_.memory() + filters_.memory() + by_equality_.memory();
  for (FilterSlot slot : filters_.all()) bytes += filters_[slot].program.memory();
  for (const auto& index : range_indexes_) bytes += sizeof(*index) + index->memory();
  bytes += short_values_.capacity() * sizeof(ShortValues) + deferred_.capacity() * sizeof(Deferred);
  bytes += (candidates_.capacity() + to_compile_.capacity()) * sizeof(FilterSlot);
  return bytes + (hashes_.capacity() + equalities_.capacity()) * sizeof(uint32_t);
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
  size_t to_compile = 0;
  size_t by_equality = 0;
  std::vector<uint32_t> equalities(equalities_.size());
  for (FilterSlot slot : filters_.all()) {
    if (!filters_[slot].is_used) continue;
    ++used;
    to_compile += filters_[slot].is_to_compile();
    if (filters_[slot].is_to_compile() && slot.value() < compiled_before_) return "a filter would never be compiled";
    const auto keys = all_keys(filters_[slot]);
    for (const Key& key : keys) ++equalities[key.field.value()];
    by_equality += std::ranges::any_of(keys, [&](const Key& key) {
      return by_equality_.find(key.hash, [&](const EqualityEntry& entry) { return entry.filter == slot; }) != nullptr;
    });
  }
  if (used != filters_.size()) return "the count of filters is wrong";
  if (to_compile != to_compile_later_) return "the count of filters to compile is wrong";
  if (equalities != equalities_) return "the equalities of a field are counted wrong";
  return used == by_equality + in_range_indexes ? nullptr : "a filter cannot be found, or is in both indexes";
}

}  // namespace millrace
