#include "engine/index/index.h"

#include <algorithm>

#include "engine/index/composite_keys.h"
#include "engine/index/document_record.h"
#include "engine/index/index_keys.h"

namespace millrace {

Index::Index(IndexSchema schema, const HashKey& key) : documents_(key) { restore_schema(std::move(schema)); }

Index::Index(IndexSchema schema, IndexedDocuments documents)
    : schema_(std::move(schema)), documents_(std::move(documents)) {}

Index Index::clone() const {
  Index copy(schema_, documents_.clone());
  for (const Order& order : orders_) {
    copy.orders_.push_back(
        {order.id, order.entries.clone(), order.may_have_many, order.is_complete, order.left_out, order.lines.clone()});
  }
  copy.expiries_ = expiries_.clone();
  copy.recent_ = recent_;
  copy.skipped_ = skipped_.clone();
  copy.schema_version_ = schema_version_;
  copy.work_ = work_;
  return copy;
}

const Index::Order& Index::order(OrderId id) const { return *std::ranges::find(orders_, id, &Order::id); }

bool Index::set(ByteView name, const DocumentValues& values, Noting noting) {
  record_.clear();
  append_record(record_, schema_, values);
  DocumentId id = documents_.find(name);
  const bool is_new = id.is_none();
  if (is_new) {
    old_.clear();
    id = documents_.add(name, record_);
  } else {
    const ByteView known = documents_.record(id);
    // While the index is built, an order may not have the values of the record.
    if (known == record_ && work_ == IndexWork::None && skipped_.empty() && values.skipped.empty()) {
      if (noting == Noting::Always) recent_.note(id);
      return false;
    }
    read_record(schema_, known, old_);
    if (known != record_) documents_.set_record(id, record_);
  }
  const bool is_other = is_new || old_.values != values.values;
  change(id, old_, values);
  set_skipped(id, skipped_in(values));
  if (noting == Noting::Always || (noting == Noting::IfOther && is_other)) recent_.note(id);
  return is_other;
}

bool Index::remove(ByteView name) {
  const DocumentId id = documents_.find(name);
  if (id.is_none()) return false;
  read_record(schema_, documents_.record(id), old_);
  const DocumentValues nothing;
  change(id, old_, nothing);
  set_skipped(id, {});
  recent_.forget(id);
  documents_.remove(id);
  return true;
}

DocumentState Index::compare(ByteView name, const DocumentValues* values, UnixMs now) const {
  const DocumentId id = documents_.find(name);
  if (values == nullptr) {
    if (id.is_none()) return DocumentState::NoDocument;
    // A replica keeps expired documents until its master deletes them; meanwhile they are not visible.
    const auto date = expiry_of(documents_.record(id));
    return date && *date < now ? DocumentState::NoDocument : DocumentState::Stale;
  }
  if (id.is_none()) return DocumentState::Missing;
  return agrees(name, *values) ? DocumentState::Agrees : DocumentState::Wrong;
}

bool Index::agrees(ByteView name, const DocumentValues& values) const {
  const DocumentId id = documents_.find(name);
  if (id.is_none()) return false;
  // Not byte by byte: a record keeps values of fields that were dropped until it is written again.
  DocumentValues known;
  read_record(schema_, documents_.record(id), known);
  if (known.values != values.values || known.expires_at != values.expires_at) return false;
  std::string entry;
  for (const DocumentValue& value : values.values) {
    make_entry(entry, value.key, id);
    if (!order(value.field).entries.contains(entry) && !is_in_line(value.field, value.key, id)) return false;
  }
  for (const CompositeOrder& composite : schema_.orders()) {
    for (const std::string& key : composite_keys(composite, values)) {
      make_entry(entry, key, id);
      if (!order(composite.id).entries.contains(entry)) return false;
    }
  }
  std::vector<SkippedValue> skipped = skipped_.of(id);
  std::erase_if(skipped, [&](const SkippedValue& value) { return !is_known(value); });
  return skipped == skipped_in(values);
}

void Index::note_written(ByteView name) {
  if (const DocumentId id = documents_.find(name); id.is_some()) recent_.note(id);
}

void Index::change(DocumentId id, const DocumentValues& old, const DocumentValues& now) {
  change_expiry(id, old, now);
  // Removes first, then adds: the document must not wait for a value that it has itself.
  for (auto gone = old.values.begin(), kept = now.values.begin(); gone != old.values.end(); ++gone) {
    while (kept != now.values.end() && *kept < *gone) ++kept;
    if (kept == now.values.end() || *kept != *gone) erase_value(*gone, id);
  }
  for (auto added = now.values.begin(), had = old.values.begin(); added != now.values.end(); ++added) {
    while (had != old.values.end() && *had < *added) ++had;
    if (had == old.values.end() || *had != *added) insert_value(*added, id);
    if (added != now.values.begin() && std::prev(added)->field == added->field) {
      own_order(added->field).may_have_many = true;
    }
  }
  if (!schema_.orders().empty()) change_composites(id, old, now);
}

void Index::change_expiry(DocumentId id, const DocumentValues& old, const DocumentValues& now) {
  if (old.expires_at == now.expires_at) return;
  const auto entry_at = [&](UnixMs date) {
    std::string key;
    append_integer_key(key, static_cast<int64_t>(date.value()));
    make_entry(entry_, key, id);
    return ByteView(entry_);
  };
  if (old.expires_at) expiries_.erase(entry_at(*old.expires_at));
  if (now.expires_at) expiries_.insert(entry_at(*now.expires_at));
}

void Index::change_composites(DocumentId id, const DocumentValues& old, const DocumentValues& now) {
  for (const CompositeOrder& composite : schema_.orders()) {
    const std::vector<std::string> gone = composite_keys(composite, old);
    const std::vector<std::string> added = composite_keys(composite, now);
    if (gone == added && work_ == IndexWork::None) continue;
    Order& order = own_order(composite.id);
    for (const std::string& key : gone) {
      if (std::ranges::binary_search(added, key)) continue;
      make_entry(entry_, key, id);
      order.entries.erase(entry_);
    }
    for (const std::string& key : added) {
      make_entry(entry_, key, id);
      order.entries.insert(entry_);
    }
    if (added.size() > 1) order.may_have_many = true;
  }
}

bool Index::is_known(const SkippedValue& value) const {
  return value.field == kExpiryOrder || schema_.find_field(value.field) != nullptr ||
         schema_.find_order(value.field) != nullptr;
}

std::vector<SkippedValue> Index::skipped_in(const DocumentValues& values) const {
  std::vector<SkippedValue> skipped = values.skipped;
  for (const CompositeOrder& composite : schema_.orders()) {
    if (has_too_many_keys(composite, values)) skipped.push_back({composite.id, SkipReason::TooMany});
  }
  std::ranges::sort(skipped);
  return skipped;
}

void Index::set_skipped(DocumentId id, std::span<const SkippedValue> now) {
  if (skipped_.empty() && now.empty()) return;
  for (const SkippedValue& value : skipped_.of(id)) {
    if (schema_.find_order(value.field) != nullptr) --own_order(value.field).left_out;
  }
  for (const SkippedValue& value : now) {
    if (schema_.find_order(value.field) != nullptr) ++own_order(value.field).left_out;
  }
  skipped_.set(id, now);
}

uint64_t Index::conflicts() const {
  uint64_t waiting = 0;
  for (const Order& order : orders_) waiting += order.lines.size();
  return waiting;
}

DocumentId Index::holder_of(OrderId field, ByteView key) const {
  ByteOrder::Walk walk(order(field).entries);
  walk.seek(key);
  if (!walk.is_at_entry() || key_of_entry(walk.entry()) != key) return DocumentId::none();
  return id_of_entry(walk.entry());
}

bool Index::is_in_line(OrderId field, ByteView key, DocumentId id) const { return order(field).lines.has(key, id); }

void Index::insert_value(const DocumentValue& value, DocumentId id) {
  Order& order = own_order(value.field);
  if (schema_.find_field(value.field)->is_unique) {
    const DocumentId holder = holder_of(value.field, value.key);
    if (holder.is_some() && holder != id) return order.lines.append(value.key, id);
  }
  make_entry(entry_, value.key, id);
  order.entries.insert(entry_);
}

void Index::erase_value(const DocumentValue& value, DocumentId id) {
  Order& order = own_order(value.field);
  if (order.lines.remove(value.key, id)) return;
  make_entry(entry_, value.key, id);
  if (!order.entries.erase(entry_)) return;
  // The first in the line takes the place.
  const DocumentId next = order.lines.first(value.key);
  if (next.is_none()) return;
  order.lines.remove(value.key, next);
  make_entry(entry_, value.key, next);
  order.entries.insert(entry_);
}

void Index::make_holder(OrderId field, ByteView key, DocumentId id) {
  Order& order = own_order(field);
  const DocumentId holder = holder_of(field, key);
  if (holder == id || !order.lines.remove(key, id)) return;
  make_entry(entry_, key, holder);
  order.entries.erase(entry_);
  make_entry(entry_, key, id);
  order.entries.insert(entry_);
  order.lines.prepend(key, holder);
}

void Index::restore_schema(IndexSchema schema) {
  schema_ = std::move(schema);
  orders_.clear();
  for (const IndexField& field : schema_.fields()) orders_.push_back({.id = field.id});
  for (const CompositeOrder& order : schema_.orders()) orders_.push_back({.id = order.id});
  ++schema_version_;
}

void Index::restore_skipped(DocumentId id, const SkippedValue& value) {
  std::vector<SkippedValue> values = skipped_.of(id);
  const auto place = std::ranges::lower_bound(values, value);
  if (place != values.end() && *place == value) return;
  values.insert(place, value);
  skipped_.set(id, values);
}

Result<void> Index::add_field(IndexField field) {
  const auto id = schema_.add_field(std::move(field));
  if (!id) return std::unexpected(id.error());
  orders_.push_back({.id = *id});
  ++schema_version_;
  return {};
}

Result<void> Index::add_order(CompositeOrder order) {
  const auto id = schema_.add_order(std::move(order));
  if (!id) return std::unexpected(id.error());
  orders_.push_back({.id = *id, .is_complete = documents_.size() == 0});
  ++schema_version_;
  return {};
}

void Index::set_work(IndexWork work) {
  work_ = work;
  if (work != IndexWork::None) return;
  for (Order& order : orders_) order.is_complete = true;
}

namespace {

Index::Order take_order(std::vector<Index::Order>& orders, OrderId id) {
  const auto found = std::ranges::find(orders, id, &Index::Order::id);
  Index::Order taken = std::move(*found);
  orders.erase(found);
  return taken;
}

}  // namespace

Result<Index::Order> Index::drop_field(ByteView name) {
  const auto id = schema_.drop_field(name);
  if (!id) return std::unexpected(id.error());
  ++schema_version_;
  return take_order(orders_, *id);
}

Result<Index::Order> Index::drop_order(ByteView name) {
  const auto id = schema_.drop_order(name);
  if (!id) return std::unexpected(id.error());
  ++schema_version_;
  return take_order(orders_, *id);
}

size_t Index::memory() const {
  size_t bytes = sizeof(*this) + documents_.memory() + expiries_.memory() + recent_.memory() + skipped_.memory();
  for (const Order& order : orders_) bytes += sizeof(Order) + order.entries.memory() + order.lines.memory();
  return bytes;
}

size_t Index::parts() const {
  constexpr size_t kEntriesOfPart = 64;  // of a chunk, about
  size_t parts = documents_.size() + (expiries_.size() + skipped_.documents()) / kEntriesOfPart;
  for (const Order& order : orders_) parts += (order.entries.size() + 2 * order.lines.size()) / kEntriesOfPart;
  return parts;
}

bool free_some(Index::Order& order) { return order.entries.free_some() || order.lines.free_some(); }

bool Index::free_some() {
  while (!orders_.empty()) {
    if (millrace::free_some(orders_.back())) return true;
    orders_.pop_back();
  }
  return expiries_.free_some() || skipped_.free_some() || documents_.free_some();
}

}  // namespace millrace
