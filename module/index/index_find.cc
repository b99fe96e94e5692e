#include <array>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "module/abi/document.h"
#include "module/index/index_documents.h"
#include "module/index/index_shows.h"

namespace millrace::module {

namespace {

void write_value(abi::Reply reply, const std::vector<std::string>& values) {
  if (values.empty()) return reply.null();
  if (values.size() == 1) return reply.bytes(values.front());
  reply.array(values.size());
  for (const std::string& value : values) reply.bytes(value);
}

using ShownFields = std::vector<std::optional<std::string>>;

// The fields of the documents that were found. Those that have gone meanwhile are taken out, and those that would make
// the answer too long are left to the next page.
std::vector<ShownFields> read_fields(abi::Context context, ListedDocuments& found, const FindRequest& request,
                                     bool is_json) {
  std::vector<ShownFields> shown;
  std::vector<ListedDocument> there;
  size_t bytes = 0;
  size_t looked = 0;
  for (; looked < found.documents.size() && bytes < kMostShownBytes; ++looked) {
    ListedDocument& document = found.documents[looked];
    const abi::OwnedString name(document.key);
    auto fields = shown_fields(abi::DocumentKey(context, name), is_json, request.get, bytes);
    if (!fields) continue;
    shown.push_back(std::move(*fields));
    there.push_back(document);
  }
  found.cut(looked);
  found.documents = std::move(there);
  return shown;
}

// key, or [key, value], [key, [field, …]], [key, value, [field, …]].
void write_document(abi::Reply reply, const ListedDocument& found, bool with_values, const ShownFields* fields) {
  const size_t parts = 1 + (with_values ? 1 : 0) + (fields != nullptr ? 1 : 0);
  if (parts > 1) reply.array(parts);
  reply.bytes(found.key);
  if (with_values) write_value(reply, found.values);
  if (fields == nullptr) return;
  reply.array(fields->size());
  for (const auto& field : *fields) field ? reply.bytes(*field) : reply.null();
}

}  // namespace

void idx_find(abi::Context context, abi::Arguments arguments) {
  const abi::Reply reply = context.reply();
  const auto request = parse_idx_find(arguments.views(2));
  if (!request) return reply.error(request.error());
  const auto key = IndexKey::for_reading(context, arguments.string(1));
  if (!key) return reply.error(key.error());
  auto found = index_operations().find(key->get(), *request, abi::now());
  if (!found) return reply.error(found.error());
  // From here on nothing of the index is used: to open a document may change it.
  const bool is_json = key->get()->schema().is_json();
  std::vector<ShownFields> fields;
  if (!request->get.empty() && !found->documents.empty()) fields = read_fields(context, *found, *request, is_json);
  reply.array(2);
  found->cursor ? reply.bytes(found->cursor->text()) : reply.null();
  reply.array(found->documents.size());
  for (size_t i = 0; i < found->documents.size(); ++i) {
    write_document(reply, found->documents[i], request->with_values, fields.empty() ? nullptr : &fields[i]);
  }
}

namespace {

void write_keys(abi::Reply reply, const Result<std::vector<std::string>>& keys) {
  if (!keys) return reply.error(keys.error());
  reply.array(keys->size());
  for (const std::string& key : *keys) reply.bytes(key);
}

}  // namespace

void IdxCount::show(abi::Reply reply, const Shown<Index>& shown, const CountRequest& request) {
  const auto count = index_operations().count(shown.object, request, abi::now());
  count ? reply.integer(static_cast<int64_t>(*count)) : reply.error(count.error());
}

void IdxSample::show(abi::Reply reply, const Shown<Index>& shown, const SampleRequest& request) {
  std::array<unsigned char, sizeof(uint64_t)> random;
  abi::fill_with_randomness(random);
  write_keys(reply, index_operations().sample(shown.object, request, std::bit_cast<uint64_t>(random), abi::now()));
}

void IdxRecent::show(abi::Reply reply, const Shown<Index>& shown, uint64_t count) {
  write_keys(reply, index_operations().recent(shown.object, count, abi::now()));
}

void IdxComplete::show(abi::Reply reply, const Shown<Index>& shown, const CompleteRequest& request) {
  const auto values = index_operations().complete(shown.object, request, abi::now());
  if (!values) return reply.error(values.error());
  reply.array(values->size());
  for (const CompletedValue& value : *values) {
    if (request.with_counts) reply.array(2);
    reply.bytes(value.value);
    if (request.with_counts) reply.integer(static_cast<int64_t>(value.count));
  }
}

}  // namespace millrace::module
