#include "client/load/export_commands.h"

#include <simdjson.h>

#include <utility>

#include "client/base64.h"
#include "client/load/line_splitter.h"

namespace millrace::client {

struct ExportCommands::Json {
  simdjson::dom::parser parser;
  simdjson::dom::object record;
};

ExportCommands::ExportCommands() : json_(std::make_unique<Json>()) {}
ExportCommands::~ExportCommands() = default;

Split ExportCommands::take(std::string_view window, bool is_all) {
  std::string_view line;
  Split found = split_line(window, is_all, line);
  if (found.kind != Split::Kind::Record) return found;
  if (line.find_first_not_of(" \t\r") == line.npos) return Split::nothing(found.size);
  if (auto problem = read(line)) return Split::bad(found.size, std::move(*problem));
  at_ = 0;
  return found;
}

// Makes the commands of a record. The result is what is wrong, or nothing.
std::optional<std::string> ExportCommands::read(std::string_view line) {
  decoded_.clear();
  if (const auto wrong = json_->parser.parse(line.data(), line.size()).get(json_->record)) {
    return std::string("not a JSON object: ") + simdjson::error_message(wrong);
  }
  const auto type = member("type"), key = member("key");
  if (!type || !key) return "not a record of millrace export: it has no type or no key";
  if (*type == "hash") return make_hash(*key);
  if (*type == "log") {
    const auto tag = member("tag"), entry = member("entry");
    if (!tag || !entry) return "a message without tag or entry";
    made_ = commands_.of(LogRecord{*key, 0, 0, *tag, *entry});
    return std::nullopt;
  }
  if (*type == "channel") {
    const auto id = member("id"), content = member("content");
    if (!id || !content) return "a publication without id or content";
    made_ = commands_.of(ChannelRecord{*key, {}, *id, *content});
    return std::nullopt;
  }
  return "unknown type " + std::string(*type) + ", expected log, channel or hash";
}

std::optional<std::string> ExportCommands::make_hash(std::string_view key) {
  fields_.clear();
  simdjson::dom::object fields;
  const bool is_text = json_->record["fields"].get(fields) == simdjson::SUCCESS;
  if (!is_text && json_->record["fields_base64"].get(fields) != simdjson::SUCCESS) return "a hash without fields";
  for (const auto& [name, value] : fields) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return "a field of a hash is not a string";
    if (is_text) {
      fields_.emplace_back(name, text);
      continue;
    }
    auto name_bytes = base64_decoded(name), bytes = base64_decoded(text);
    if (!name_bytes || !bytes) return "fields_base64 is not base64";
    const std::string_view kept = keep(*std::move(name_bytes));
    fields_.emplace_back(kept, keep(*std::move(bytes)));
  }
  if (fields_.empty()) return "a hash without fields";
  HashRecord record{.key = key, .fields = fields_};
  int64_t expires = 0;
  if (json_->record["expires"].get(expires) == simdjson::SUCCESS) record.expires = expires;
  made_ = commands_.of(record);
  return std::nullopt;
}

std::optional<std::string_view> ExportCommands::member(std::string_view name) {
  std::string_view text;
  if (json_->record[name].get(text) == simdjson::SUCCESS) return text;
  if (json_->record[std::string(name) + "_base64"].get(text) != simdjson::SUCCESS) return std::nullopt;
  auto bytes = base64_decoded(text);
  if (!bytes) return std::nullopt;
  return keep(*std::move(bytes));
}

// Each has its own allocation, so that views stay valid when more are added.
std::string_view ExportCommands::keep(std::string bytes) {
  decoded_.push_back(std::make_unique<std::string>(std::move(bytes)));
  return *decoded_.back();
}

}  // namespace millrace::client
