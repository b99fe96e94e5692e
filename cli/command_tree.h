// The commands of the tool and their options as plain values. The help, the manual page and the completions are all
// written from these, so that they cannot differ.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace millrace::cli {

struct OptionInfo {
  std::vector<std::string> names;  // "-h", "--help"; a positional has one name: "FILE"
  std::string value;               // its value: "FILE", "N"; empty for a switch
  std::string description;
  std::string usual;                 // its default, if it has one
  std::vector<std::string> choices;  // all possible values, if they are few
  bool is_positional = false;
  bool is_required = false;
  bool takes_many = false;

  bool takes_a_file() const { return value == "FILE"; }
};

struct CommandInfo {
  std::string name;
  std::string description;  // a short phrase
  std::string text;         // its description, some paragraphs
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> commands;
};

CommandInfo describe(const CLI::App& app);

// "millrace load [OPTIONS] FILE..."; `parents` is what comes before the name.
std::string usage_line(const CommandInfo& command, const std::string& parents);

// A page of help.
std::string help_page(const CommandInfo& command, const std::string& parents);

}  // namespace millrace::cli
