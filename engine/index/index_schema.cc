#include "engine/index/index_schema.h"

#include <algorithm>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/quoted.h"

namespace millrace {

namespace {

template <class List, class Wanted, class Of>
auto* find_in(List& list, const Wanted& wanted, Of of) {
  const auto found = std::ranges::find(list, wanted, of);
  return found == list.end() ? nullptr : &*found;
}

constexpr const char* kNoMoreIds = "the index has had 4294967293 fields and orders, and can get no more";

bool is_fit_name(ByteView name) { return !name.empty() && name.size() <= kMaxNameBytes; }

}  // namespace

const IndexField* IndexSchema::find_field(ByteView name) const { return find_in(fields_, name, &IndexField::name); }
const IndexField* IndexSchema::find_field(OrderId id) const { return find_in(fields_, id, &IndexField::id); }
const CompositeOrder* IndexSchema::find_order(ByteView name) const {
  return find_in(orders_, name, &CompositeOrder::name);
}
const CompositeOrder* IndexSchema::find_order(OrderId id) const { return find_in(orders_, id, &CompositeOrder::id); }

Result<OrderId> IndexSchema::add_field(IndexField field) {
  if (!is_fit_name(field.name)) return fail(ErrorCode::Range, "a field's name has 1 to 512 bytes");
  if (field.separator.size() > kMaxNameBytes) return fail(ErrorCode::Range, "a separator has 1 to 512 bytes");
  if (has_name(field.name)) return fail(ErrorCode::Exists, "the index has " + quoted(field.name) + " already");
  if (fields_.size() == kMostFields) return fail(ErrorCode::Full, "an index has at most 64 fields");
  if (field.ignores_case && field.type != FieldType::Text) {
    return fail(ErrorCode::Syntax, "NOCASE is for TEXT, and " + quoted(field.name) + " is not");
  }
  if (!has_id()) return fail(ErrorCode::Full, kNoMoreIds);
  field.id = OrderId(next_id_++);
  fields_.push_back(std::move(field));
  return fields_.back().id;
}

Result<OrderId> IndexSchema::add_order(CompositeOrder order) {
  if (!is_fit_name(order.name)) return fail(ErrorCode::Range, "an order's name has 1 to 512 bytes");
  if (has_name(order.name)) return fail(ErrorCode::Exists, "the index has " + quoted(order.name) + " already");
  if (orders_.size() == kMostOrders) return fail(ErrorCode::Full, "an index has at most 16 orders of several fields");
  if (order.fields.size() < 2 || order.fields.size() > kMostOrderFields) {
    return fail(ErrorCode::Range, "an order has 2 to 8 fields");
  }
  order.ids.clear();
  for (const std::string& name : order.fields) {
    const IndexField* field = find_field(name);
    if (field == nullptr) return fail(ErrorCode::Syntax, "the index has no field " + quoted(name));
    if (std::ranges::find(order.ids, field->id) != order.ids.end()) {
      return fail(ErrorCode::Syntax, "the order has the field " + quoted(name) + " twice");
    }
    order.ids.push_back(field->id);
  }
  if (!has_id()) return fail(ErrorCode::Full, kNoMoreIds);
  order.id = OrderId(next_id_++);
  orders_.push_back(std::move(order));
  return orders_.back().id;
}

Result<OrderId> IndexSchema::drop_field(ByteView name) {
  const auto found = std::ranges::find(fields_, name, &IndexField::name);
  if (found == fields_.end()) return fail(ErrorCode::Range, "the index has no field " + quoted(name));
  const OrderId id = found->id;
  for (const CompositeOrder& order : orders_) {
    if (std::ranges::find(order.ids, id) != order.ids.end()) {
      return fail(ErrorCode::Exists, "the order " + quoted(order.name) + " has the field " + quoted(name));
    }
  }
  if (fields_.size() == 1) return fail(ErrorCode::Range, "an index has at least one field");
  fields_.erase(found);
  return id;
}

Result<OrderId> IndexSchema::drop_order(ByteView name) {
  const auto found = std::ranges::find(orders_, name, &CompositeOrder::name);
  if (found == orders_.end()) return fail(ErrorCode::Range, "the index has no order " + quoted(name));
  const OrderId id = found->id;
  orders_.erase(found);
  return id;
}

}  // namespace millrace
