// The options for the input and its conversion, shared by `load` and `protocol`.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/load/command_source.h"

namespace millrace::cli {

struct InputOptions {
  std::vector<std::string> files;
  std::vector<std::string> as;
  std::string format;
  std::string delimiter;
  bool has_no_header = false;
  bool is_typed = false;

  // Adds FILE, --as, --format, --no-header, --delimiter and --typed. REQUIRES: this object exists as long as the
  // command.
  void add_to(CLI::App& command);

  // Opens the input. BadInput says what is wrong with the options.
  client::Result<client::CommandSource> open() const;

  // All options in one line, which identifies a second run of the same load. REQUIRES: open() succeeded.
  std::string identity() const;

 private:
  client::Result<client::InputFormat> chosen_format() const;
};

// The part of the help about these options.
extern const char* const kInputHelp;

}  // namespace millrace::cli
