#include "client/copy/key_size.h"

#include <algorithm>

namespace millrace::client {
namespace {

struct TypeSize {
  std::string_view type;
  std::string_view command;  // empty: keys of this type have no count
  std::vector<std::string_view> fields;
};

const std::vector<TypeSize>& type_sizes() {
  static const std::vector<TypeSize> sizes = {
      {"hash", "HLEN", {}},
      {"millr-log", "TINFO", {"messages", "bytes", "scheduled", "groups"}},
      {"millr-chn", "CHAN.INFO", {"clock", "subscribers"}},
      {"millr-shd", "SHARD.INFO", {"joined", "recipients", "pending"}},
      {"millr-rte", "ROUTE.INFO", {"devices", "subscriptions", "filters"}},
      {"millr-sug", "SUG.INFO", {"terms"}},
      {"millr-fct", "FACT.INFO", {"facts"}},
      {"millr-lck", "", {}},
      {"millr-idx", "", {}},
  };
  return sizes;
}

const TypeSize* size_named(const std::string& type) {
  const auto found = std::ranges::find(type_sizes(), std::string_view(type), &TypeSize::type);
  return found == type_sizes().end() ? nullptr : &*found;
}

}  // namespace

bool is_copied_type(const std::string& type) { return size_named(type) != nullptr; }

const Reply* field_in(const Reply& map, std::string_view name) {
  for (size_t i = 0; i + 1 < map.items.size(); i += 2) {
    if (map.items[i].text == name) return &map.items[i + 1];
  }
  return nullptr;
}

std::string_view size_command(const std::string& type) {
  const TypeSize* size = size_named(type);
  return size == nullptr ? std::string_view() : size->command;
}

std::vector<int64_t> size_in(const Reply& answer, const std::string& type) {
  const TypeSize* size = size_named(type);
  if (size == nullptr || size->command.empty()) return {};
  if (size->fields.empty()) return {answer.integer};
  std::vector<int64_t> counts;
  for (const std::string_view name : size->fields) {
    const Reply* value = field_in(answer, name);
    counts.push_back(value == nullptr ? -1 : value->integer);
  }
  return counts;
}

Result<std::vector<int64_t>> size_of_key(KeyConnection& server, const std::string& key, const std::string& type) {
  const std::string_view command = size_command(type);
  if (command.empty()) return std::vector<int64_t>();
  const auto reply = server.call({command, key});
  if (!reply) return std::unexpected(reply.error());
  if (reply->is_error()) return fail(ErrorCode::BadInput, reply->text);
  return size_in(*reply, type);
}

}  // namespace millrace::client
