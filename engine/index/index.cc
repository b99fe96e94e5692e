#include "engine/index/index.h"

#include <algorithm>

#include "engine/index/document_record.h"
#include "engine/index/index_keys.h"

namespace millrace {

void make_entry(std::string& entry, ByteView key, DocumentId id) {
  entry = key;
  for (int shift = 24; shift >= 0; shift -= 8) entry += static_cast<char>(id.value() >> shift);
}

ByteView key_of_entry(ByteView entry) { return entry.substr(0, entry.size() - kEntryIdBytes); }

DocumentId id_of_entry(ByteView entry) {
  uint32_t id = 0;
  for (const char byte : entry.substr(entry.size() - kEntryIdBytes)) id = id << 8 | static_cast<uint8_t>(byte);
  return DocumentId(id);
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

Index::Index(IndexSchema schema, const HashKey& key) : documents_(key) { restore_schema(std::move(schema)); }

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
    // While it is built, an order may not have what the record says.
    if (known == record_ && work_ == IndexWork::None && skipped_.empty() && values.skipped.empty()) {
      if (noting == Noting::Always) recent_.note(id);
      return false;
    }
    read_record(schema_, known, old_);
    if (known != record_) documents_.set_record(id, record_);
  }
  const bool is_other = is_new || old_.values != values.values;
  change(id, old_, values);
  set_skipped(id, values);
  if (noting == Noting::Always || (noting == Noting::IfOther && is_other)) recent_.note(id);
  return is_other;
}

bool Index::remove(ByteView name) {
  const DocumentId id = documents_.find(name);
  if (id.is_none()) return false;
  read_record(schema_, documents_.record(id), old_);
  const DocumentValues nothing;
  change(id, old_, nothing);
  set_skipped(id, nothing);
  recent_.forget(id);
  documents_.remove(id);
  return true;
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
  const auto skipped = skipped_.find(id);
  return skipped == skipped_.end() ? values.skipped.empty() : skipped->second == values.skipped;
}

void Index::note_written(ByteView name) {
  if (const DocumentId id = documents_.find(name); id.is_some()) recent_.note(id);
}

void Index::change(DocumentId id, const DocumentValues& old, const DocumentValues& now) {
  change_expiry(id, old, now);
  // First out, then in: the document must not wait for a value that it has itself.
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

void Index::set_skipped(DocumentId id, const DocumentValues& now) {
  if (now.skipped.empty()) {
    if (!skipped_.empty()) skipped_.erase(id);
  } else {
    skipped_[id] = now.skipped;
  }
}

DocumentId Index::holder_of(OrderId field, ByteView key) const {
  ByteOrder::Walk walk(order(field).entries);
  walk.seek(key);
  if (!walk.is_at_entry() || key_of_entry(walk.entry()) != key) return DocumentId::none();
  return id_of_entry(walk.entry());
}

bool Index::is_in_line(OrderId field, ByteView key, DocumentId id) const {
  if (lines_.empty()) return false;
  const auto line = lines_.find(LineKey(field, key));
  return line != lines_.end() && std::ranges::find(line->second, id) != line->second.end();
}

void Index::insert_value(const DocumentValue& value, DocumentId id) {
  const IndexField& field = *schema_.find_field(value.field);
  if (field.is_unique) {
    const DocumentId holder = holder_of(value.field, value.key);
    if (holder.is_some() && holder != id) {
      lines_[LineKey(value.field, value.key)].push_back(id);
      ++conflicts_;
      return;
    }
  }
  make_entry(entry_, value.key, id);
  own_order(value.field).entries.insert(entry_);
}

bool Index::leave_line(const DocumentValue& value, DocumentId id) {
  if (lines_.empty()) return false;
  const auto line = lines_.find(LineKey(value.field, value.key));
  if (line == lines_.end()) return false;
  const auto place = std::ranges::find(line->second, id);
  if (place == line->second.end()) return false;
  line->second.erase(place);
  --conflicts_;
  if (line->second.empty()) lines_.erase(line);
  return true;
}

void Index::erase_value(const DocumentValue& value, DocumentId id) {
  if (leave_line(value, id)) return;
  make_entry(entry_, value.key, id);
  if (!own_order(value.field).entries.erase(entry_) || lines_.empty()) return;
  const auto line = lines_.find(LineKey(value.field, value.key));
  if (line == lines_.end()) return;
  // The first in the line takes the place.
  const DocumentId next = line->second.front();
  leave_line(value, next);
  insert_value(value, next);
}

void Index::make_holder(OrderId field, ByteView key, DocumentId id) {
  const DocumentId holder = holder_of(field, key);
  const DocumentValue value{field, std::string(key)};
  if (holder == id || !leave_line(value, id)) return;
  make_entry(entry_, key, holder);
  own_order(field).entries.erase(entry_);
  insert_value(value, id);
  std::vector<DocumentId>& line = lines_[LineKey(field, value.key)];
  line.insert(line.begin(), holder);
  ++conflicts_;
}

void Index::restore_schema(IndexSchema schema) {
  schema_ = std::move(schema);
  orders_.clear();
  for (const IndexField& field : schema_.fields()) orders_.push_back({field.id, {}});
  for (const CompositeOrder& order : schema_.orders()) orders_.push_back({order.id, {}});
  ++schema_version_;
}

void Index::restore_skipped(DocumentId id, const SkippedValue& value) {
  std::vector<SkippedValue>& values = skipped_[id];
  const auto place = std::ranges::lower_bound(values, value);
  if (place == values.end() || *place != value) values.insert(place, value);
}

Result<void> Index::add_field(IndexField field) {
  const auto id = schema_.add_field(std::move(field));
  if (!id) return std::unexpected(id.error());
  orders_.push_back({*id, {}});
  ++schema_version_;
  return {};
}

Result<void> Index::add_order(CompositeOrder order) {
  const auto id = schema_.add_order(std::move(order));
  if (!id) return std::unexpected(id.error());
  orders_.push_back({*id, {}});
  ++schema_version_;
  return {};
}

namespace {

ByteOrder take_order(std::vector<Index::Order>& orders, OrderId id) {
  const auto found = std::ranges::find(orders, id, &Index::Order::id);
  ByteOrder entries = std::move(found->entries);
  orders.erase(found);
  return entries;
}

}  // namespace

Result<ByteOrder> Index::drop_field(ByteView name) {
  const auto id = schema_.drop_field(name);
  if (!id) return std::unexpected(id.error());
  std::erase_if(lines_, [&](const auto& line) {
    if (line.first.first != *id) return false;
    conflicts_ -= line.second.size();
    return true;
  });
  for (auto each = skipped_.begin(); each != skipped_.end();) {
    std::erase_if(each->second, [&](const SkippedValue& value) { return value.field == *id; });
    each = each->second.empty() ? skipped_.erase(each) : std::next(each);
  }
  ++schema_version_;
  return take_order(orders_, *id);
}

Result<ByteOrder> Index::drop_order(ByteView name) {
  const auto id = schema_.drop_order(name);
  if (!id) return std::unexpected(id.error());
  ++schema_version_;
  return take_order(orders_, *id);
}

size_t Index::memory() const {
  size_t bytes = sizeof(*this) + documents_.memory() + expiries_.memory() + recent_.memory();
  for (const Order& order : orders_) bytes += order.entries.memory();
  constexpr size_t kNode = 64;  // of a map, with its value, about
  bytes += skipped_.size() * kNode + lines_.size() * 2 * kNode;
  return bytes;
}

bool Index::free_some() {
  while (!orders_.empty()) {
    if (orders_.back().entries.free_some()) return true;
    orders_.pop_back();
  }
  return expiries_.free_some() || documents_.free_some();
}

}  // namespace millrace
