// The progress of a load, in a file, so that a second run can continue from there:
//
//   millrace checkpoint 1
//   load csv header "SET {id} {line}" users.csv
//   file 0
//   offset 123456
//   line 2001
//   sent 2000
//   succeeded 1999
//   failed 1
//   bad 0
//   database 0
//   server 127.0.0.1:6379
//   beginning 3735928559
//   before 195948557
//   end
//
// The last two numbers are the trace of the input. Checkpoints of older versions have no trace and no server.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "client/error.h"
#include "client/load/loader.h"

namespace millrace::client {

struct Checkpoint {
  std::string load;        // the input and the options, in one line: another load must not continue here
  InputPosition position;  // all records before it are settled
  unsigned database = 0;   // the database that the input had selected at this position
  LoadCounts counts;
  std::string server = {};  // the target of the load; empty: not known

  std::string text() const;
};

// BadInput: not a complete checkpoint.
Result<Checkpoint> parse_checkpoint(std::string_view text);

class CheckpointFile {
 public:
  explicit CheckpointFile(std::string path) : path_(std::move(path)) {}

  // The contents of the file; nullopt if it does not exist. BadInput: not a checkpoint.
  Result<std::optional<Checkpoint>> read() const;

  // Replaces the file atomically: a reader finds the old or the new content, even if the program or the machine dies.
  // Output: it cannot be written.
  Result<void> write(const Checkpoint& checkpoint);

 private:
  std::string path_;
  std::chrono::steady_clock::time_point last_sync_{};
};

}  // namespace millrace::client
