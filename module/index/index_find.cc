#include <array>
#include <bit>

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

bool is_still_there(const abi::DocumentKey& document, bool is_json) {
  return is_json ? document.is_string() : document.is_hash();
}

// key, or [key, value], [key, [field, …]], [key, value, [field, …]]. False if there is no such document any more.
bool write_document(abi::Context context, const ListedDocument& found, const FindRequest& request, bool is_json) {
  const abi::Reply reply = context.reply();
  if (request.get.empty()) {
    if (request.with_values) reply.array(2);
    reply.bytes(found.key);
    if (request.with_values) write_value(reply, found.values);
    return true;
  }
  const abi::OwnedString name(found.key);
  const abi::DocumentKey document(context, name);
  if (!is_still_there(document, is_json)) return false;
  reply.array(request.with_values ? 3 : 2);
  reply.bytes(found.key);
  if (request.with_values) write_value(reply, found.values);
  reply.array(request.get.size());
  for (const ByteView field : request.get) reply_field(reply, document, is_json, field);
  return true;
}

}  // namespace

void idx_find(abi::Context context, abi::Arguments arguments) {
  const abi::Reply reply = context.reply();
  const auto request = parse_idx_find(arguments.views(2));
  if (!request) return reply.error(request.error());
  const auto key = IndexKey::for_reading(context, arguments.string(1));
  if (!key) return reply.error(key.error());
  const auto found = index_operations().find(key->get(), *request, abi::now());
  if (!found) return reply.error(found.error());
  // From here on nothing of the index is used: to open a document may change it.
  const bool is_json = key->get()->schema().is_json();
  reply.array(2);
  found->cursor ? reply.bytes(*found->cursor) : reply.null();
  reply.array_later();
  uint64_t written = 0;
  for (const ListedDocument& document : found->documents) {
    if (write_document(context, document, *request, is_json)) ++written;
  }
  reply.array_was(written);
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
