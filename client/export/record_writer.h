// Writes records as text: one class for each format.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/error.h"
#include "client/export/record.h"

namespace millrace::client {

enum class ExportFormat { Ndjson, Csv, Resp };

class RecordWriter {
 public:
  virtual ~RecordWriter() = default;

  // Each appends to `to`. BadInput: the format cannot represent this record together with the earlier ones.
  virtual Result<void> append(std::string& to, const LogRecord& record) = 0;
  virtual Result<void> append(std::string& to, const ChannelRecord& record) = 0;
  virtual Result<void> append(std::string& to, const HashRecord& record) = 0;
};

// One JSON object per line. Bytes that are not UTF-8 are written as base64, with a member name such as "entry_base64".
// ExportCommands reads it.
std::unique_ptr<RecordWriter> make_ndjson_writer();

// RFC 4180 with a header; values may be any bytes. All records are of one kind. For hashes the columns are `fields`; if
// it is empty, each field of a hash is a row.
std::unique_ptr<RecordWriter> make_csv_writer(std::vector<std::string> fields);

// The commands that write the records again, in the Redis protocol.
std::unique_ptr<RecordWriter> make_resp_writer();

}  // namespace millrace::client
