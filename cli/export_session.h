// An export from its first key to its last, or until it is stopped.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/stop_signal.h"
#include "client/export/key_reader.h"
#include "client/export/key_walk.h"
#include "client/export/record_writer.h"

namespace millrace::cli {

struct ExportOptions {
  client::ConnectionOptions server;
  std::vector<std::string> keys;  // names and patterns
  std::string type;               // only log, channel or hash; empty: all three
  uint64_t from = 1;              // the first offset to read of logs
  bool follows = false;
};

class ExportSession {
 public:
  // REQUIRES: the file and the signal outlive it.
  ExportSession(ExportOptions options, std::unique_ptr<client::RecordWriter> writer, std::FILE* to, StopSignal& stop);

  // BadInput: the server refuses a command. Output: the file cannot be written.
  client::Result<void> run();

  // One sentence: what was exported, and what was not.
  std::string summary() const;
  // Keys that were named and could not be exported.
  uint64_t failures() const { return failures_; }

 private:
  client::Result<void> visit_found();
  bool is_wanted(const client::FoundKey& key) const;
  client::Result<void> visit(const client::FoundKey& key);
  client::Result<void> follow();
  template <class Record>
  client::Result<void> write(const Record& record);
  client::Result<void> flush();

  ExportOptions options_;
  std::unique_ptr<client::RecordWriter> writer_;
  std::FILE* to_;
  StopSignal& stop_;
  client::KeyReader reader_;
  std::vector<client::FoundKey> found_;  // and not visited yet
  std::string unwritten_;
  uint64_t records_ = 0;
  std::map<std::string, uint64_t> exported_;  // keys by type
  std::map<std::string, uint64_t> left_out_;  // keys of other types
  uint64_t failures_ = 0;
  // The logs and channels that were read, and how far. Each is exported once, although a walk may find it twice.
  std::map<std::string, client::KeyReader::LogPlace> logs_;
  std::map<std::string, std::string> channels_;
};

}  // namespace millrace::cli
