// The records that failed: the first ones are shown to the user, all of them go to a file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "client/error.h"

namespace millrace::cli {

class ErrorReport {
 public:
  // `command` begins every line on stderr: "millrace load".
  explicit ErrorReport(std::string command) : command_(std::move(command)) {}

  // From now on, everything is also written to this file; `goes_on`: appended to it. Output: it cannot be opened.
  client::Result<void> open(const std::string& path, bool goes_on);

  // "users.csv:17: ERR value is not an integer". Output: the file cannot be written.
  client::Result<void> note(const std::string& file, uint64_t line, std::string_view why);

  // Passes the data to the operating system, so that it survives the end of the program. Output: the file cannot be
  // written.
  client::Result<void> flush();

 private:
  client::Result<void> cannot_write();

  std::string command_;
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  uint64_t shown_ = 0;
};

}  // namespace millrace::cli
