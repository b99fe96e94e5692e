#include "engine/index/index_query.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/base/case_folding.h"
#include "engine/base/quoted.h"
#include "engine/index/document_record.h"

namespace millrace {

namespace {

// True if they hold one value of the field and no other. What a PREFIX leaves looks alike, but is no whole key.
bool is_point(const IndexField& field, const KeyRanges& ranges) {
  if (ranges.size() != 1 || ranges.front().from.empty() || ranges.front().to != after(ranges.front().from))
    return false;
  const std::string& from = ranges.front().from;
  return field.type == FieldType::Text ? from.back() == '\0' : from.size() == kNumberKeyBytes;
}

Result<std::string> key_of_operand(const IndexField& field, ByteView operand) {
  std::string key;
  if (const auto reason = append_key(key, field, operand)) {
    return fail(ErrorCode::Range,
                "the value " + quoted(operand) + " of " + quoted(field.name) + " is " + text_of(*reason));
  }
  return key;
}

Result<KeyRanges> prefix_ranges(const IndexField& field, ByteView prefix) {
  if (field.type != FieldType::Text) {
    return fail(ErrorCode::Range, "PREFIX is for TEXT, and " + quoted(field.name) + " is not");
  }
  KeyRange range;
  append_text_prefix(range.from, field.ignores_case ? ByteView(fold_case(prefix)) : prefix);
  range.to = after(range.from);
  return KeyRanges{range};
}

// What a condition allows.
Result<KeyRanges> ranges_of_condition(const IndexField& field, const FieldCondition& condition) {
  using enum FieldCondition::Operator;
  if (condition.relation == Prefix) return prefix_ranges(field, condition.operands.front());
  std::vector<std::string> keys;
  for (const ByteView operand : condition.operands) {
    auto key = key_of_operand(field, operand);
    if (!key) return std::unexpected(key.error());
    keys.push_back(std::move(*key));
  }
  KeyRanges ranges;
  switch (condition.relation) {
    case Less:
      ranges = {{"", keys[0]}};
      break;
    case AtMost:
      ranges = {{"", after(keys[0])}};
      break;
    case Greater:
      ranges = {{after(keys[0]), ""}};
      break;
    case AtLeast:
      ranges = {{keys[0], ""}};
      break;
    case Between:
      ranges = {{keys[0], after(keys[1])}};
      break;
    default:
      for (const std::string& key : keys) ranges.push_back({key, after(key)});
      break;
  }
  // An INTEGER or NUMBER may be the greatest there is: nothing comes after it.
  if (condition.relation == Greater && ranges.front().from.empty()) return KeyRanges();
  return normal_form(std::move(ranges));
}

}  // namespace

Result<IndexQuery> IndexQuery::make(const Index& index, std::span<const FieldCondition> where, UnixMs now) {
  IndexQuery query(index, now);
  for (const FieldCondition& condition : where) {
    const IndexField* field = index.schema().find_field(condition.field);
    if (field == nullptr) return fail(ErrorCode::Range, "the index has no field " + quoted(condition.field));
    auto ranges = ranges_of_condition(*field, condition);
    if (!ranges) return std::unexpected(ranges.error());
    query.where_.push_back({field, std::move(*ranges)});
  }
  return query;
}

bool IndexQuery::is_expired(ByteView record) const {
  const auto date = expiry_of(record);
  return date && *date < now_;
}

bool IndexQuery::matches(DocumentId id) const {
  const ByteView record = index_.documents().record(id);
  if (is_expired(record)) return false;
  if (where_.empty()) return true;
  uint32_t met = 0;
  const auto all = static_cast<uint32_t>((uint64_t{1} << where_.size()) - 1);
  RecordReader reader(index_.schema(), record);
  while (met != all && reader.next()) {
    for (size_t i = 0; i < where_.size(); ++i) {
      const Resolved& condition = where_[i];
      if (condition.field->id != reader.field() || !contains(condition.ranges, reader.key())) continue;
      if (condition.field->is_unique && index_.is_in_line(reader.field(), reader.key(), id)) continue;
      met |= uint32_t{1} << i;
    }
  }
  return met == all;
}

bool IndexQuery::has_condition(OrderId field) const {
  return std::ranges::any_of(where_, [&](const Resolved& condition) { return condition.field->id == field; });
}

KeyRanges IndexQuery::ranges_of(OrderId field) const {
  KeyRanges left = everything();
  for (const Resolved& condition : where_) {
    if (condition.field->id != field) continue;
    left = intersection(left, condition.ranges);
    // One value may meet one condition, and another one the next.
    if (index_.order(field).may_have_many) break;
  }
  return left;
}

KeyRanges IndexQuery::composite_ranges(const CompositeOrder& order, bool& covers_all) const {
  std::string prefix;
  covers_all = true;
  for (size_t i = 0; i < order.ids.size(); ++i) {
    const KeyRanges ranges = ranges_of(order.ids[i]);
    if (is_point(*index_.schema().find_field(order.ids[i]), ranges)) {
      prefix += ranges.front().from;
      continue;
    }
    for (size_t later = i + 1; later < order.ids.size(); ++later) covers_all &= !has_condition(order.ids[later]);
    return behind(prefix, ranges);
  }
  return {{prefix, after(prefix)}};
}

uint64_t IndexQuery::entries_in(OrderId order, const KeyRanges& ranges) const {
  const ByteOrder& entries = index_.order(order).entries;
  uint64_t count = 0;
  for (const KeyRange& range : ranges) {
    count += (range.to.empty() ? entries.size() : entries.rank(range.to)) - entries.rank(range.from);
  }
  return count;
}

IndexQuery::Plan IndexQuery::field_plan(const IndexField& field) const {
  Plan plan{field.id, ranges_of(field.id), 0, false};
  plan.entries = entries_in(field.id, plan.ranges);
  const bool only_this = std::ranges::all_of(where_, [&](const Resolved& each) { return each.field->id == field.id; });
  const bool once = !index_.order(field.id).may_have_many || (where_.size() <= 1 && is_point(field, plan.ranges));
  plan.is_exact = only_this && once;
  return plan;
}

IndexQuery::Plan IndexQuery::composite_plan(const CompositeOrder& order) const {
  bool covers_all = false;
  Plan plan{order.id, composite_ranges(order, covers_all), 0, false};
  plan.entries = entries_in(order.id, plan.ranges);
  const bool only_these = std::ranges::all_of(
      where_, [&](const Resolved& each) { return std::ranges::find(order.ids, each.field->id) != order.ids.end(); });
  // Documents that wait for a UNIQUE value are in composite orders, and do not have the value.
  plan.is_exact = covers_all && only_these && !index_.order(order.id).may_have_many && index_.conflicts() == 0;
  return plan;
}

IndexQuery::Plan IndexQuery::plan_by(OrderId order) const {
  if (const IndexField* field = index_.schema().find_field(order)) return field_plan(*field);
  return composite_plan(*index_.schema().find_order(order));
}

IndexQuery::Plan IndexQuery::best_plan() const {
  Plan best{std::nullopt, {}, index_.documents().size(), where_.empty()};
  bool is_first = true;
  const auto consider = [&](Plan plan) {
    if (is_first || plan.entries < best.entries) best = std::move(plan);
    is_first = false;
  };
  for (const Resolved& condition : where_) consider(field_plan(*condition.field));
  for (const CompositeOrder& order : index_.schema().orders()) {
    // A document without one of the fields is not in the order: each must be asked for.
    if (std::ranges::all_of(order.ids, [&](OrderId field) { return has_condition(field); })) {
      consider(composite_plan(order));
    }
  }
  return best;
}

std::optional<std::string> IndexQuery::key_in(const Plan& plan, DocumentId id, bool last) const {
  std::vector<std::string> keys;
  const ByteView record = index_.documents().record(id);
  if (const CompositeOrder* order = index_.schema().find_order(*plan.order)) {
    DocumentValues values;
    read_record(index_.schema(), record, values);
    keys = composite_keys(*order, values);
  } else {
    RecordReader reader(index_.schema(), record);
    while (reader.next()) {
      if (reader.field() != *plan.order || index_.is_in_line(reader.field(), reader.key(), id)) continue;
      keys.emplace_back(reader.key());
    }
  }
  std::erase_if(keys, [&](const std::string& key) { return !contains(plan.ranges, key); });
  if (keys.empty()) return std::nullopt;
  return last ? std::move(keys.back()) : std::move(keys.front());
}

template <class Visit>
std::optional<std::string> IndexQuery::walk_documents(bool reversed, const std::string* after, uint64_t most,
                                                      Visit visit) const {
  const IndexedDocuments& documents = index_.documents();
  const int64_t end = documents.limit();
  int64_t at = reversed ? end : -1;
  if (after) at = std::min<int64_t>(end, id_of_entry(*after).value());
  std::string entry;
  for (uint64_t looked = 0;;) {
    at += reversed ? -1 : 1;
    if (at < 0 || at >= end) return std::nullopt;
    const DocumentId id(static_cast<uint32_t>(at));
    const bool goes_on = !documents.is_there(id) || !matches(id) || visit(id, ByteView());
    if (!goes_on || ++looked == most) {
      make_entry(entry, {}, id);
      return entry;
    }
  }
}

DocumentSet IndexQuery::candidates(const Plan& plan, uint64_t most) const {
  // To look at a document is to read memory that is in no cache; the entries of an order stand side by side.
  constexpr uint64_t kFew = 200;
  constexpr uint64_t kCheaper = 2;
  const uint64_t looked = std::min(plan.entries, most);
  std::optional<Plan> other;
  if (!plan.order || plan.is_exact || looked < kFew) return {};
  for (const Resolved& condition : where_) {
    if (condition.field->id == *plan.order) continue;
    Plan each = field_plan(*condition.field);
    if (each.entries <= kCheaper * looked && (!other || each.entries < other->entries)) other = std::move(each);
  }
  if (!other) return {};
  DocumentSet found(index_.documents().limit());
  ByteOrder::Walk walk(index_.order(*other->order).entries);
  for (const KeyRange& range : other->ranges) {
    for (walk.seek(range.from); walk.is_at_entry() && range.contains(walk.entry()); walk.next()) {
      found.add(id_of_entry(walk.entry()));
    }
  }
  return found;
}

template <class Visit>
std::optional<std::string> IndexQuery::walk(const Plan& plan, bool reversed, const std::string* after, uint64_t most,
                                            Visit visit) const {
  if (!plan.order) return walk_documents(reversed, after, most, visit);
  const Index::Order& order = index_.order(*plan.order);
  const DocumentSet candidates = this->candidates(plan, most);
  ByteOrder::Walk walk(order.entries);
  uint64_t looked = 0;
  for (size_t n = 0; n < plan.ranges.size(); ++n) {
    const KeyRange& range = plan.ranges[reversed ? plan.ranges.size() - 1 - n : n];
    if (reversed) {
      const bool goes_on = after && range.contains(*after);
      if (after && !goes_on && *after < range.from) continue;
      goes_on ? walk.seek_before(*after) : range.to.empty() ? walk.seek_last() : walk.seek_before(range.to);
    } else {
      if (after && !range.to.empty() && *after >= range.to) continue;
      walk.seek(after && *after > range.from ? ByteView(*after) : ByteView(range.from));
      if (after && walk.is_at_entry() && walk.entry() == *after) walk.next();
    }
    for (; walk.is_at_entry() && range.contains(walk.entry()); reversed ? walk.previous() : walk.next()) {
      const DocumentId id = id_of_entry(walk.entry());
      const bool may_match = candidates.has(id);
      const bool is_its_first =
          !may_match || !order.may_have_many || key_in(plan, id, reversed) == key_of_entry(walk.entry());
      const bool goes_on = !may_match || !is_its_first || !matches(id) || visit(id, walk.entry());
      if (!goes_on || ++looked == most) return std::string(walk.entry());
    }
  }
  return std::nullopt;
}

FoundDocuments IndexQuery::walk_and_find(const Plan& plan, const FindRequest& request, const std::string* after) const {
  FoundDocuments found;
  found.order = plan.order;
  const auto stopped = walk(plan, request.is_reversed, after, kMostLookedAt, [&](DocumentId id, ByteView entry) {
    found.documents.push_back({id, std::string(entry.empty() ? entry : key_of_entry(entry))});
    return found.documents.size() < request.limit;
  });
  if (stopped) found.cursor = {plan.order, request.is_reversed, *stopped};
  return found;
}

FoundDocuments IndexQuery::find_and_sort(const Plan& plan, const Plan& best, const FindRequest& request,
                                         const std::string* after) const {
  std::vector<std::string> entries;
  walk(best, false, nullptr, UINT64_MAX, [&](DocumentId id, ByteView) {
    const auto key = key_in(plan, id, request.is_reversed);
    if (!key) return true;
    make_entry(entries.emplace_back(), *key, id);
    if (after && (request.is_reversed ? entries.back() >= *after : entries.back() <= *after)) entries.pop_back();
    return true;
  });
  std::ranges::sort(entries);
  if (request.is_reversed) std::ranges::reverse(entries);
  FoundDocuments found;
  found.order = plan.order;
  for (const std::string& entry : entries) {
    if (found.documents.size() == request.limit) {
      std::string last;
      make_entry(last, found.documents.back().key, found.documents.back().id);
      found.cursor = {plan.order, request.is_reversed, last};
      break;
    }
    found.documents.push_back({id_of_entry(entry), std::string(key_of_entry(entry))});
  }
  return found;
}

Result<FoundDocuments> IndexQuery::find(const FindRequest& request) const {
  std::optional<OrderId> order;
  const IndexSchema& schema = index_.schema();
  if (request.order) {
    if (const IndexField* field = schema.find_field(*request.order)) {
      order = field->id;
    } else if (const CompositeOrder* composite = schema.find_order(*request.order)) {
      order = composite->id;
    } else {
      return fail(ErrorCode::Range, "the index has no order " + quoted(*request.order));
    }
  }
  std::string entry;
  const std::string* from = nullptr;
  Plan best = best_plan();
  if (request.after) {
    auto cursor = IndexCursor::parse(*request.after);
    if (!cursor) return std::unexpected(cursor.error());
    const bool exists = !cursor->order || schema.find_field(*cursor->order) || schema.find_order(*cursor->order);
    if (!exists || cursor->is_reversed != request.is_reversed || (request.order && cursor->order != order)) {
      return fail(ErrorCode::Range, "the cursor is of another search");
    }
    // It goes on in the order in which it began.
    order = cursor->order;
    if (!order) best = {std::nullopt, {}, index_.documents().size(), false};
    entry = std::move(cursor->entry);
    from = &entry;
  }
  if (!order || order == best.order) return walk_and_find(best, request, from);
  const Plan plan = plan_by(*order);
  if (best.order && best.entries <= kMostSorted && best.entries < plan.entries) {
    return find_and_sort(plan, best, request, from);
  }
  return walk_and_find(plan, request, from);
}

uint64_t IndexQuery::overdue() const {
  std::string key;
  append_integer_key(key, static_cast<int64_t>(now_.value()));
  return index_.expiries().rank(key);
}

Result<uint64_t> IndexQuery::count() const {
  const Plan plan = best_plan();
  const uint64_t expired = overdue();
  if (plan.is_exact && expired == 0) return plan.entries;
  if (!plan.order && where_.empty()) return plan.entries - expired;
  if (plan.entries > kMostCounted) {
    return fail(ErrorCode::Full,
                "more than 1000000 documents would have to be looked at; an ORDER of these fields helps");
  }
  uint64_t counted = 0;
  walk(plan, false, nullptr, UINT64_MAX, [&](DocumentId, ByteView) {
    ++counted;
    return true;
  });
  return counted;
}

namespace {

// SplitMix64: numbers that follow from a seed.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  // Below `end`, each equally likely. REQUIRES: end > 0
  uint64_t below(uint64_t end) {
    const uint64_t unfair = (UINT64_MAX % end + 1) % end;
    uint64_t number = next();
    while (number > UINT64_MAX - unfair) number = next();
    return number % end;
  }

 private:
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

}  // namespace

std::vector<DocumentId> IndexQuery::sample(uint64_t count, uint64_t seed) const {
  const Plan plan = best_plan();
  Draw draw(seed);
  std::vector<DocumentId> drawn;
  const uint64_t places = plan.order ? plan.entries : index_.documents().limit();
  if (places <= kMostLookedAt) {
    walk(plan, false, nullptr, UINT64_MAX, [&](DocumentId id, ByteView) {
      drawn.push_back(id);
      return true;
    });
    const uint64_t wanted = std::min<uint64_t>(count, drawn.size());
    for (uint64_t i = 0; i < wanted; ++i) std::swap(drawn[i], drawn[i + draw.below(drawn.size() - i)]);
    drawn.resize(wanted);
    return drawn;
  }
  // Too many to look at all of them: any place, until enough of them are matching documents.
  std::unordered_set<DocumentId> taken;
  std::string entry;
  for (uint64_t tried = 0; tried < kMostLookedAt + count && drawn.size() < count; ++tried) {
    uint64_t place = draw.below(places);
    DocumentId id(static_cast<uint32_t>(place));
    if (plan.order) {
      const Index::Order& order = index_.order(*plan.order);
      for (const KeyRange& range : plan.ranges) {
        const uint64_t before = order.entries.rank(range.from);
        const uint64_t size = (range.to.empty() ? order.entries.size() : order.entries.rank(range.to)) - before;
        if (place < size) {
          order.entries.at_rank(before + place, entry);
          break;
        }
        place -= size;
      }
      id = id_of_entry(entry);
      // One entry of each document counts.
      if (order.may_have_many && key_in(plan, id, false) != key_of_entry(entry)) continue;
    } else if (!index_.documents().is_there(id)) {
      continue;
    }
    if (matches(id) && taken.insert(id).second) drawn.push_back(id);
  }
  return drawn;
}

std::vector<std::string> values_of_key(const IndexSchema& schema, OrderId order, ByteView key) {
  std::vector<std::string> values;
  if (const IndexField* field = schema.find_field(order)) {
    values.push_back(take_value(*field, key));
  } else if (const CompositeOrder* composite = schema.find_order(order)) {
    for (const OrderId id : composite->ids) values.push_back(take_value(*schema.find_field(id), key));
  }
  return values;
}

}  // namespace millrace
