// How far a load has come, in a file, so that a second run can go on from there:
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
// The last two numbers are the trace of the input; checkpoints of older versions have none, and
// no server.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "client/error.h"
#include "client/load/loader.h"

namespace millrace::client {

struct Checkpoint {
  std::string load;        // what is loaded how, in one line: another load must not go on here
  InputPosition position;  // everything before it is settled
  unsigned database = 0;   // what the input had selected by then
  LoadCounts counts;
  std::string server = {};  // where it was loaded to; nothing: it is not known

  std::string text() const;
};

// BadInput: it is not a whole checkpoint.
Result<Checkpoint> parse_checkpoint(std::string_view text);

class CheckpointFile {
 public:
  explicit CheckpointFile(std::string path) : path_(std::move(path)) {}

  // What is in the file; nothing if it does not exist. BadInput: it is something else.
  Result<std::optional<Checkpoint>> read() const;

  // Replaces the file in one step: a reader finds the old content or the new one,
  // whenever the program or the machine died. Output: it cannot be written.
  Result<void> write(const Checkpoint& checkpoint);

 private:
  std::string path_;
  std::chrono::steady_clock::time_point last_sync_{};
};

}  // namespace millrace::client
