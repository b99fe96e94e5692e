// The options that say what is read and what becomes of it: the same for `load` and
// `protocol`.
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

  // Adds FILE, --as, --format, --no-header, --delimiter and --typed. REQUIRES: this lives as long as the command.
  void add_to(CLI::App& command);

  // The commands that are meant. BadInput says what is wrong with the options.
  client::Result<client::CommandSource> open() const;

  // All of it in one line, by which a second run is recognised. REQUIRES: open() went well.
  std::string identity() const;

 private:
  client::Result<client::InputFormat> chosen_format() const;
};

// The part of the help that is about it.
extern const char* const kInputHelp;

}  // namespace millrace::cli
