#include <algorithm>
#include <utility>

#include "client/export/record_writer.h"

namespace millrace::client {
namespace {

class CsvWriter : public RecordWriter {
 public:
  explicit CsvWriter(std::vector<std::string> fields) : fields_(std::move(fields)) {}

  Result<void> append(std::string& to, const LogRecord& record) override {
    if (auto fits = begin(to, Kind::Log, {"key", "offset", "time", "tag", "entry"}); !fits) return fits;
    const std::string offset = std::to_string(record.offset), time = std::to_string(record.time);
    append_row(to, {record.key, offset, time, record.tag, record.entry});
    return {};
  }

  Result<void> append(std::string& to, const ChannelRecord& record) override {
    if (auto fits = begin(to, Kind::Channel, {"key", "position", "id", "content"}); !fits) return fits;
    append_row(to, {record.key, record.position, record.id, record.content});
    return {};
  }

  Result<void> append(std::string& to, const HashRecord& record) override {
    if (fields_.empty()) {
      if (auto fits = begin(to, Kind::Hash, {"key", "field", "value"}); !fits) return fits;
      for (const auto& [name, value] : record.fields) append_row(to, {record.key, name, value});
      return {};
    }
    std::vector<std::string_view> row = {"key"};
    row.insert(row.end(), fields_.begin(), fields_.end());
    if (auto fits = begin(to, Kind::Hash, row); !fits) return fits;
    row[0] = record.key;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const auto found = std::ranges::find(record.fields, std::string_view(fields_[i]), &HashField::first);
      row[i + 1] = found == record.fields.end() ? std::string_view() : found->second;
    }
    append_row(to, row);
    return {};
  }

 private:
  enum class Kind { None, Log, Channel, Hash };

  // The header before the first row. A table has one.
  Result<void> begin(std::string& to, Kind kind, const std::vector<std::string_view>& header) {
    if (kind_ == kind) return {};
    if (kind_ != Kind::None) {
      return fail(ErrorCode::BadInput, "csv is one table, of logs, channels or hashes: --type says which");
    }
    kind_ = kind;
    append_row(to, header);
    return {};
  }

  static void append_row(std::string& to, const std::vector<std::string_view>& row) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) to += ',';
      append_value(to, row[i]);
    }
    to += '\n';
  }

  static void append_value(std::string& to, std::string_view value) {
    if (value.find_first_of(",\"\r\n") == value.npos) {
      to += value;
      return;
    }
    to += '"';
    for (const char c : value) {
      if (c == '"') to += '"';
      to += c;
    }
    to += '"';
  }

  const std::vector<std::string> fields_;
  Kind kind_ = Kind::None;
};

}  // namespace

std::unique_ptr<RecordWriter> make_csv_writer(std::vector<std::string> fields) {
  return std::make_unique<CsvWriter>(std::move(fields));
}

}  // namespace millrace::client
