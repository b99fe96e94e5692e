// What failed, record by record: the first ones for the user to see, all of them in a file.
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

  // From now on everything goes to this file too; `goes_on`: behind what is there. Output: it
  // cannot be opened.
  client::Result<void> open(const std::string& path, bool goes_on);

  // "users.csv:17: ERR value is not an integer". Output: the file takes no more.
  client::Result<void> note(const std::string& file, uint64_t line, std::string_view why);

  // Hands the file to the operating system: what was noted outlives the program. Output: it
  // takes no more.
  client::Result<void> flush();

 private:
  client::Result<void> cannot_write();

  std::string command_;
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  uint64_t shown_ = 0;
};

}  // namespace millrace::cli
