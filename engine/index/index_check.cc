#include <algorithm>
#include <map>
#include <string>

#include "engine/index/composite_keys.h"
#include "engine/index/document_record.h"
#include "engine/index/index.h"
#include "engine/index/index_keys.h"

namespace millrace {

// Every value of a record is in its order or in a line, and no order has more.
const char* Index::check() const {
  if (const char* broken = documents_.check()) return broken;
  if (const char* broken = expiries_.check()) return broken;
  std::map<OrderId, uint64_t> counted;
  uint64_t waiting = 0;
  uint64_t dated = 0;
  DocumentValues values;
  std::string entry;
  for (uint32_t number = 0; number < documents_.limit(); ++number) {
    const DocumentId id(number);
    if (!documents_.is_there(id)) continue;
    read_record(schema_, documents_.record(id), values);
    if (!std::ranges::is_sorted(values.values)) return "values of a record out of order";
    for (const DocumentValue& value : values.values) {
      make_entry(entry, value.key, id);
      const bool is_held = order(value.field).entries.contains(entry);
      const bool waits = is_in_line(value.field, value.key, id);
      if (is_held == waits) return "a value is neither in its order nor in a line, or in both";
      is_held ? ++counted[value.field] : ++waiting;
    }
    for (const CompositeOrder& composite : schema_.orders()) {
      for (const std::string& key : composite_keys(composite, values)) {
        make_entry(entry, key, id);
        if (!order(composite.id).entries.contains(entry)) return "a document is missing in a composite order";
        ++counted[composite.id];
      }
    }
    if (!values.expires_at) continue;
    ++dated;
    std::string key;
    append_integer_key(key, static_cast<int64_t>(values.expires_at->value()));
    make_entry(entry, key, id);
    if (!expiries_.contains(entry)) return "a document is missing among those that expire";
  }
  if (dated != expiries_.size()) return "dates without a document";
  if (waiting != conflicts()) return "a line has more than the documents that wait";
  for (const Order& each : orders_) {
    if (const char* broken = each.entries.check()) return broken;
    if (const char* broken = each.lines.check()) return broken;
    if (each.entries.size() != counted[each.id]) return "an order has entries without a document";
  }
  if (const char* broken = skipped_.check()) return broken;
  bool are_documents = true;
  std::map<OrderId, uint64_t> left_out;
  skipped_.each([&](DocumentId id, const SkippedValue& value) {
    are_documents = id.value() < documents_.limit() && documents_.is_there(id);
    ++left_out[value.field];
    return are_documents;
  });
  if (!are_documents) return "something was skipped in no document";
  for (const CompositeOrder& composite : schema_.orders()) {
    if (order(composite.id).left_out != left_out[composite.id]) return "an order leaves out other documents";
  }
  return nullptr;
}

}  // namespace millrace
