#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
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

// The fields of the documents found; nullopt for a document that was deleted meanwhile. Documents that would make the
// answer too long are left for the next page.
std::vector<std::optional<ShownFields>> read_fields(abi::Context context, ListedDocuments& found,
                                                    const FindRequest& request, bool is_json) {
  FieldReader reader(request.get, is_json);
  std::vector<std::optional<ShownFields>> shown;
  for (const ListedDocument& document : found.documents) {
    if (reader.bytes() >= kMostShownBytes) break;
    const abi::OwnedString name(document.key);
    shown.push_back(reader.read(abi::DocumentKey(context, name)));
  }
  found.cut(shown.size());
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
  // From here on the index is not used: opening a document may change it.
  const bool is_json = key->get()->schema().is_json();
  std::vector<std::optional<ShownFields>> fields;
  if (!request->get.empty() && !found->documents.empty()) fields = read_fields(context, *found, *request, is_json);
  const auto gone = static_cast<size_t>(std::ranges::count_if(fields, [](const auto& each) { return !each; }));
  reply.array(2);
  found->cursor ? reply.bytes(found->cursor->text()) : reply.null();
  reply.array(found->documents.size() - gone);
  for (size_t i = 0; i < found->documents.size(); ++i) {
    if (fields.empty()) {
      write_document(reply, found->documents[i], request->with_values, nullptr);
    } else if (fields[i]) {
      write_document(reply, found->documents[i], request->with_values, &*fields[i]);
    }
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
