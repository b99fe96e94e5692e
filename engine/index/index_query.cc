// The conditions of a query, and the plans to find its results; index_search.cc and index_count.cc carry them out.
#include "engine/index/index_query.h"

#include <algorithm>
#include <utility>

#include "engine/base/quoted.h"
#include "engine/index/document_record.h"
#include "engine/index/index_conditions.h"

namespace millrace {

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
  return !is_expired(record) && meets_conditions(id, record);
}

bool IndexQuery::meets_conditions(DocumentId id, ByteView record) const {
  if (where_.empty()) return true;
  uint32_t met = 0;
  const auto all = static_cast<uint32_t>((uint64_t{1} << where_.size()) - 1);
  DocumentRecordReader reader(index_.schema(), record);
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

size_t IndexQuery::conditions_on(OrderId field) const {
  return static_cast<size_t>(
      std::ranges::count_if(where_, [&](const Resolved& condition) { return condition.field->id == field; }));
}

KeyRanges IndexQuery::ranges_of(OrderId field) const {
  KeyRanges left = everything();
  for (const Resolved& condition : where_) {
    if (condition.field->id != field) continue;
    left = intersection(left, condition.ranges);
    // A document with several values may meet each condition with another value.
    if (index_.order(field).may_have_many) break;
  }
  return left;
}

KeyRanges IndexQuery::composite_ranges(const CompositeOrder& order, bool& covers_all) const {
  std::string prefix;
  covers_all = true;
  for (size_t i = 0; i < order.ids.size(); ++i) {
    const KeyRanges ranges = ranges_of(order.ids[i]);
    // In this case ranges_of() uses only the first of several conditions.
    if (index_.order(order.ids[i]).may_have_many && conditions_on(order.ids[i]) > 1) covers_all = false;
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

std::vector<IndexQuery::Plan> IndexQuery::field_plans() const {
  std::vector<Plan> plans;
  for (const Resolved& condition : where_) {
    // A plan uses all conditions of its field.
    const bool is_there =
        std::ranges::any_of(plans, [&](const Plan& plan) { return plan.order == condition.field->id; });
    if (!is_there) plans.push_back(field_plan(*condition.field));
  }
  return plans;
}

IndexQuery::Plan IndexQuery::best_plan() const {
  Plan best{std::nullopt, {}, index_.documents().size(), where_.empty()};
  bool is_first = true;
  const auto consider = [&](Plan plan) {
    if (is_first || plan.entries < best.entries) best = std::move(plan);
    is_first = false;
  };
  for (Plan& plan : field_plans()) consider(std::move(plan));
  for (const CompositeOrder& order : index_.schema().orders()) {
    // A document without one of the fields is not in the order, so each field needs a condition. A document with too
    // many keys is not in it either, nor is one that existed before an order that is still being built.
    if (index_.order(order.id).left_out == 0 && index_.order(order.id).is_complete &&
        std::ranges::all_of(order.ids, [&](OrderId field) { return has_condition(field); })) {
      consider(composite_plan(order));
    }
  }
  return best;
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
