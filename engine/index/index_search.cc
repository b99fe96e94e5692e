// IndexQuery: pages of documents.
#include <algorithm>
#include <utility>

#include "engine/base/quoted.h"
#include "engine/index/composite_keys.h"
#include "engine/index/document_record.h"
#include "engine/index/index_query.h"

namespace millrace {

std::optional<std::string> IndexQuery::key_in(const Plan& plan, DocumentId id, bool last) const {
  std::optional<std::string> found;
  const ByteView record = index_.documents().record(id);
  // Keys come in ascending order.
  const auto take = [&](ByteView key) {
    if (contains(plan.ranges, key)) found = key;
    return !found || last;
  };
  if (const CompositeOrder* order = index_.schema().find_order(*plan.order)) {
    DocumentValues values;
    read_record(index_.schema(), record, values);
    for (const std::string& key : composite_keys(*order, values)) {
      if (!take(key)) break;
    }
    return found;
  }
  DocumentRecordReader reader(index_.schema(), record);
  while (reader.next() && reader.field() <= *plan.order) {
    if (reader.field() != *plan.order || index_.is_in_line(reader.field(), reader.key(), id)) continue;
    if (!take(reader.key())) break;
  }
  return found;
}

uint64_t IndexQuery::cost_of(DocumentId id) const {
  constexpr size_t kBytesOfStep = 256;
  return 1 + index_.documents().record(id).size() / kBytesOfStep;
}

DocumentSet IndexQuery::candidates(const Plan& plan, uint64_t most) const {
  // Looking at a document is a cache miss; the entries of an order are adjacent in memory.
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
  return other ? documents_of(*other) : DocumentSet();
}

DocumentSet IndexQuery::documents_of(const Plan& plan) const {
  DocumentSet found(index_.documents().limit());
  const ByteOrder& entries = index_.order(*plan.order).entries;
  for (const KeyRange& range : plan.ranges) {
    // Every entry ends with the id of its document.
    static_assert(kEntryIdBytes == sizeof(uint32_t));
    entries.each_ending(range.from, range.to, [&](uint32_t id) { found.add(DocumentId(id)); });
  }
  return found;
}

std::optional<std::string> IndexQuery::walk_documents(const Walk& how, const Visit& visit) const {
  const IndexedDocuments& documents = index_.documents();
  const int64_t end = documents.limit();
  int64_t at = how.is_reversed ? end : -1;
  if (how.after) at = std::min<int64_t>(end, id_of_entry(*how.after).value());
  for (uint64_t looked = 0;;) {
    at += how.is_reversed ? -1 : 1;
    if (at < 0 || at >= end) return std::nullopt;
    const DocumentId id(static_cast<uint32_t>(at));
    const bool is_there = documents.is_there(id);
    const bool goes_on = !is_there || !matches(id) || visit(id, ByteView());
    looked += is_there ? cost_of(id) : 1;
    if (!goes_on || looked >= how.most) {
      std::string entry;
      make_entry(entry, {}, id);
      return entry;
    }
  }
}

std::optional<std::string> IndexQuery::walk(const Plan& plan, const Walk& how, const Visit& visit) const {
  if (!plan.order) return walk_documents(how, visit);
  const Index::Order& order = index_.order(*plan.order);
  const DocumentSet candidates = this->candidates(plan, how.most);
  // A document with several entries is visited at the first of them. A walk through all entries remembers which
  // documents it has seen; a page must find that out from the document.
  const bool remembers = order.may_have_many && how.most == UINT64_MAX;
  DocumentSet seen;
  if (remembers) seen = DocumentSet(index_.documents().limit());
  const auto is_first = [&](DocumentId id, ByteView entry) {
    if (!order.may_have_many) return true;
    if (!remembers) return key_in(plan, id, how.is_reversed) == key_of_entry(entry);
    const bool is_new = !seen.has(id);
    seen.add(id);
    return is_new;
  };
  ByteOrder::Walk walk(order.entries);
  uint64_t looked = 0;
  for (size_t n = 0; n < plan.ranges.size(); ++n) {
    const KeyRange& range = plan.ranges[how.is_reversed ? plan.ranges.size() - 1 - n : n];
    if (!seek(walk, range, how)) continue;
    for (; walk.is_at_entry() && range.contains(walk.entry()); how.is_reversed ? walk.previous() : walk.next()) {
      const DocumentId id = id_of_entry(walk.entry());
      const bool may_match = candidates.has(id);
      const bool goes_on = !may_match || !is_first(id, walk.entry()) || !matches(id) || visit(id, walk.entry());
      looked += may_match && how.most != UINT64_MAX ? cost_of(id) : 1;
      if (!goes_on || looked >= how.most) return std::string(walk.entry());
    }
  }
  return std::nullopt;
}

bool IndexQuery::seek(ByteOrder::Walk& walk, const KeyRange& range, const Walk& how) {
  const std::string* after = how.after;
  if (how.is_reversed) {
    const bool goes_on = after && range.contains(*after);
    if (after && !goes_on && *after < range.from) return false;
    goes_on ? walk.seek_before(*after) : range.to.empty() ? walk.seek_last() : walk.seek_before(range.to);
  } else {
    if (after && !range.to.empty() && *after >= range.to) return false;
    walk.seek(after && *after > range.from ? ByteView(*after) : ByteView(range.from));
    if (after && walk.is_at_entry() && walk.entry() == *after) walk.next();
  }
  return true;
}

FoundDocuments IndexQuery::walk_and_find(const Plan& plan, const FindRequest& request, const std::string* after) const {
  FoundDocuments found;
  found.order = plan.order;
  const Walk bounded{request.is_reversed, after, kMostLookedAt};
  const auto stopped = walk(plan, bounded, [&](DocumentId id, ByteView entry) {
    found.documents.push_back({id, std::string(entry.empty() ? entry : key_of_entry(entry))});
    return found.documents.size() < request.limit;
  });
  if (stopped) found.cursor = {index_.number(), plan.order, request.is_reversed, *stopped};
  return found;
}

FoundDocuments IndexQuery::find_and_sort(const Plan& plan, const Plan& best, const FindRequest& request,
                                         const std::string* after) const {
  std::vector<std::string> entries;
  walk(best, {}, [&](DocumentId id, ByteView) {
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
      found.cursor = {index_.number(), plan.order, request.is_reversed, last};
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
    if (cursor->index != index_.number()) {
      return fail(ErrorCode::Range,
                  "the cursor is of another index, of another server or of before a restart: begin again without it");
    }
    const bool exists = !cursor->order || schema.find_field(*cursor->order) || schema.find_order(*cursor->order);
    if (!exists || cursor->is_reversed != request.is_reversed || (request.order && cursor->order != order)) {
      return fail(ErrorCode::Range, "the cursor is of another search: AFTER goes with the same words");
    }
    // The search continues in the order in which it began.
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

}  // namespace millrace
