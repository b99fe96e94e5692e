#include "engine/index/index_operations.h"

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/base/quoted.h"
#include "engine/index/document_record.h"
#include "engine/index/index_parts.h"
#include "engine/operation/apply_part.h"

namespace millrace {

std::unexpected<Error> no_index() { return fail(ErrorCode::NoIndex, "there is no such index; IDX.CREATE makes one"); }

namespace {

bool is_visible(const Index& index, DocumentId id, UnixMs now) {
  const auto date = expiry_of(index.documents().record(id));
  return !date || *date >= now;
}

Result<IndexSchema> schema_of(const CreateIndexRequest& request) {
  IndexSchema schema(request.prefix, request.is_json);
  for (const IndexField& field : request.fields) {
    if (const auto added = schema.add_field(field); !added) return std::unexpected(added.error());
  }
  for (const CompositeOrder& order : request.orders) {
    if (const auto added = schema.add_order(order); !added) return std::unexpected(added.error());
  }
  return schema;
}

// Calls visit(field, holder) for each value of the request that another document has, until it returns false.
template <class Visit>
void each_holder(const Index& index, const PutDocumentRequest& request, Visit visit) {
  const IndexSchema& schema = index.schema();
  const DocumentId own = index.documents().find(request.key.substr(schema.prefix().size()));
  DocumentValues values;
  for (size_t i = 0; i + 1 < request.pairs.size(); i += 2) {
    const IndexField* field = schema.find_field(request.pairs[i]);
    if (field == nullptr || !field->is_unique) continue;
    values.clear();
    values.add(*field, request.pairs[i + 1]);
    values.finish();
    for (const DocumentValue& value : values.values) {
      const DocumentId holder = index.holder_of(field->id, value.key);
      if (holder.is_some() && holder != own && !visit(*field, holder)) return;
    }
  }
}

// The name as it is, so that a program can read it, unless it would break the line.
std::string for_error(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](char c) { return static_cast<uint8_t>(c) >= 0x20 && c != 0x7f; });
  return is_plain ? name : quoted(name);
}

// The name of a field or an order; nullopt if it is neither.
std::optional<std::string> name_of(const IndexSchema& schema, OrderId id) {
  if (const IndexField* field = schema.find_field(id)) return field->name;
  if (const CompositeOrder* order = schema.find_order(id)) return order->name;
  return std::nullopt;
}

bool has_unique_field(const Index& index, const PutDocumentRequest& request) {
  for (size_t i = 0; i < request.pairs.size(); i += 2) {
    const IndexField* field = index.schema().find_field(request.pairs[i]);
    if (field != nullptr && field->is_unique) return true;
  }
  return false;
}

}  // namespace

std::string document_key(const Index& index, DocumentId id) {
  std::string key = index.schema().prefix();
  key += index.documents().name(id);
  return key;
}

void ListedDocuments::cut(size_t count) {
  if (count == documents.size()) return;
  documents.resize(count);
  cursor = any_place;
  cursor->entry = documents.back().place;
}

Outcome<Done> IndexOperations::create(Place<Index>& place, const CreateIndexRequest& request, const Call&) {
  if (place.get() != nullptr) return fail(ErrorCode::Exists, "the index is there already; IDX.ALTER changes it");
  if (request.prefix.size() > kMaxNameBytes) return fail(ErrorCode::Range, "a prefix has at most 512 bytes");
  auto schema = schema_of(request);
  if (!schema) return std::unexpected(schema.error());
  place.put(Index(std::move(*schema), key_)).set_work(IndexWork::Build);
  return {Done(), Consequences::of_request("idx.create")};
}

Outcome<Index::Order> IndexOperations::alter(Place<Index>& place, const AlterIndexRequest& request, const Call&) {
  using Kind = AlterIndexRequest::Kind;
  if (place.get() == nullptr) return no_index();
  Index& index = *place.get();
  Result<void> added;
  switch (request.kind) {
    case Kind::AddField:
      added = index.add_field(request.field);
      break;
    case Kind::AddOrder:
      added = index.add_order(request.order);
      break;
    case Kind::DropField:
    case Kind::DropOrder: {
      auto taken = request.kind == Kind::DropField ? index.drop_field(request.name) : index.drop_order(request.name);
      if (!taken) return std::unexpected(taken.error());
      const bool leaves_traces = request.kind == Kind::DropField || taken->left_out > 0;
      if (leaves_traces && index.work() == IndexWork::None) index.set_work(IndexWork::Tidy);
      return {std::move(*taken), Consequences::of_request("idx.alter")};
    }
  }
  if (!added) return std::unexpected(added.error());
  if (index.is_ready()) index.set_work(IndexWork::Build);
  return {Index::Order{}, Consequences::of_request("idx.alter")};
}

Outcome<Done> IndexOperations::apply(Place<Index>& place, const Part& request, const Call&) {
  const auto restore = [&](Index& index) {
    return restore_part(index, static_cast<IndexPart>(request.kind), request.bytes);
  };
  return apply_part(
      place, [&] { return Index(IndexSchema(), key_); }, restore, "idx.apply");
}

Result<ListedDocuments> IndexOperations::find(const Index* index, const FindRequest& request, UnixMs now) const {
  if (index == nullptr) return no_index();
  const auto query = IndexQuery::make(*index, request.where, now);
  if (!query) return std::unexpected(query.error());
  const auto found = query->find(request);
  if (!found) return std::unexpected(found.error());
  ListedDocuments listed;
  listed.cursor = found->cursor;
  listed.any_place = {index->number(), found->order, request.is_reversed, {}};
  for (const FoundDocument& document : found->documents) {
    ListedDocument& each = listed.documents.emplace_back();
    each.key = document_key(*index, document.id);
    make_entry(each.place, document.key, document.id);
    if (request.with_values && found->order) each.values = values_of_key(index->schema(), *found->order, document.key);
  }
  return listed;
}

Result<uint64_t> IndexOperations::count(const Index* index, const CountRequest& request, UnixMs now) const {
  if (index == nullptr) return no_index();
  const auto query = IndexQuery::make(*index, request.where, now);
  if (!query) return std::unexpected(query.error());
  return query->count();
}

Result<std::vector<std::string>> IndexOperations::sample(const Index* index, const SampleRequest& request,
                                                         uint64_t seed, UnixMs now) const {
  if (index == nullptr) return no_index();
  const auto query = IndexQuery::make(*index, request.where, now);
  if (!query) return std::unexpected(query.error());
  std::vector<std::string> keys;
  for (const DocumentId id : query->sample(request.count, seed)) keys.push_back(document_key(*index, id));
  return keys;
}

Result<std::vector<std::string>> IndexOperations::recent(const Index* index, uint64_t count, UnixMs now) const {
  if (index == nullptr) return no_index();
  std::vector<std::string> keys;
  for (const DocumentId id : index->recent(RecentDocuments::kMost)) {
    if (keys.size() < count && is_visible(*index, id, now)) keys.push_back(document_key(*index, id));
  }
  return keys;
}

Result<std::vector<CompletedValue>> IndexOperations::complete(const Index* index, const CompleteRequest& request,
                                                              UnixMs now) const {
  if (index == nullptr) return no_index();
  return millrace::complete(*index, request, now);
}

Result<std::vector<ListedConflict>> IndexOperations::conflicts(const Index* index, uint64_t count) const {
  if (index == nullptr) return no_index();
  std::vector<ListedConflict> listed;
  index->each_conflict([&](const Conflict& conflict) {
    const IndexField& field = *index->schema().find_field(conflict.field);
    ByteView key = conflict.key;
    listed.push_back({document_key(*index, conflict.document), field.name, take_value(field, key),
                      document_key(*index, conflict.holder)});
    return listed.size() < count;
  });
  return listed;
}

Result<std::vector<ListedSkip>> IndexOperations::skipped(const Index* index, uint64_t count) const {
  if (index == nullptr) return no_index();
  std::vector<ListedSkip> listed;
  index->each_skipped([&](DocumentId id, const SkippedValue& value) {
    listed.push_back({document_key(*index, id), name_of(index->schema(), value.field), value.reason});
    return listed.size() < count;
  });
  return listed;
}

Result<std::vector<std::string>> IndexOperations::holders(const Index* index, const PutDocumentRequest& request) const {
  std::vector<std::string> keys;
  if (index == nullptr || !request.key.starts_with(index->schema().prefix())) return keys;
  each_holder(*index, request, [&](const IndexField&, DocumentId holder) {
    keys.push_back(document_key(*index, holder));
    return true;
  });
  return keys;
}

Result<void> IndexOperations::may_put(const Index* index, const PutDocumentRequest& request) const {
  if (index == nullptr) return no_index();
  const IndexSchema& schema = index->schema();
  if (schema.is_json()) return fail(ErrorCode::Range, "IDX.PUT writes hashes, and this is an index of JSON documents");
  if (!request.key.starts_with(schema.prefix())) {
    return fail(ErrorCode::Range, "the key " + quoted(request.key) + " does not begin with the index's prefix " +
                                      quoted(schema.prefix()));
  }
  if (!index->is_ready() && has_unique_field(*index, request)) {
    return fail(ErrorCode::Building, "the index is being built: which values it has is known when IDX.INFO says ready");
  }
  Result<void> may;
  each_holder(*index, request, [&](const IndexField& field, DocumentId holder) {
    may = fail(ErrorCode::NotUnique, for_error(document_key(*index, holder)) + " has this " + for_error(field.name));
    return false;
  });
  return may;
}

}  // namespace millrace
