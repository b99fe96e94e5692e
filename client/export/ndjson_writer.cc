#include <algorithm>

#include "client/base64.h"
#include "client/export/record_writer.h"
#include "engine/base/json_text.h"
#include "engine/base/utf8.h"

namespace millrace::client {
namespace {

void append_name(std::string& to, std::string_view name, bool is_base64) {
  to += ",\"";
  to += name;
  to += is_base64 ? "_base64\":" : "\":";
}

// ,"name":"text" or ,"name_base64":"dGV4dA=="
void append_member(std::string& to, std::string_view name, std::string_view bytes) {
  const bool is_text = is_utf8(bytes);
  append_name(to, name, !is_text);
  if (is_text) {
    millrace::append_json_string(to, bytes);
  } else {
    to += '"' + base64(bytes) + '"';
  }
}

class NdjsonWriter : public RecordWriter {
 public:
  Result<void> append(std::string& to, const LogRecord& record) override {
    to += R"({"type":"log")";
    append_member(to, "key", record.key);
    to += ",\"offset\":" + std::to_string(record.offset) + ",\"time\":" + std::to_string(record.time);
    append_member(to, "tag", record.tag);
    append_member(to, "entry", record.entry);
    to += "}\n";
    return {};
  }

  Result<void> append(std::string& to, const ChannelRecord& record) override {
    to += R"({"type":"channel")";
    append_member(to, "key", record.key);
    append_member(to, "position", record.position);
    append_member(to, "id", record.id);
    append_member(to, "content", record.content);
    to += "}\n";
    return {};
  }

  Result<void> append(std::string& to, const HashRecord& record) override {
    to += R"({"type":"hash")";
    append_member(to, "key", record.key);
    if (record.expires) to += ",\"expires\":" + std::to_string(*record.expires);
    const bool is_text = std::ranges::all_of(
        record.fields, [](const HashField& field) { return is_utf8(field.first) && is_utf8(field.second); });
    append_name(to, "fields", !is_text);
    char before = '{';
    for (const auto& [name, value] : record.fields) {
      to += std::exchange(before, ',');
      if (is_text) {
        millrace::append_json_string(to, name);
        to += ':';
        millrace::append_json_string(to, value);
      } else {
        to += '"' + base64(name) + "\":\"" + base64(value) + '"';
      }
    }
    to += record.fields.empty() ? "{}}\n" : "}}\n";
    return {};
  }
};

}  // namespace

std::unique_ptr<RecordWriter> make_ndjson_writer() { return std::make_unique<NdjsonWriter>(); }

}  // namespace millrace::client
