#include "cli/completion_command.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/exit_status.h"

namespace millrace::cli {
namespace {

constexpr const char* kText = R"(In bash, for this session and for good:
  source <(millrace completion bash)
  millrace completion bash > ~/.local/share/bash-completion/completions/millrace

In zsh, in a folder of $fpath:
  millrace completion zsh > _millrace

Debian's package installs both.)";

// All names of options and commands, separated by spaces.
std::string names_in(const CommandInfo& command) {
  std::string names;
  for (const CommandInfo& one : command.commands) names += one.name + " ";
  for (const OptionInfo& option : command.options) {
    if (option.is_positional) continue;
    for (const std::string& name : option.names) names += name + " ";
  }
  if (!names.empty()) names.pop_back();
  return names;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The branch of a bash `case` for the value of an option.
std::string bash_value(const CommandInfo& command, const OptionInfo& option) {
  std::string patterns;
  for (const std::string& name : option.names) patterns += (patterns.empty() ? "" : " | ") + command.name + ":" + name;
  std::string action = ":";
  if (!option.choices.empty()) action = "_millrace_words '" + listed(option.choices) + "'";
  if (option.takes_a_file()) action = "_millrace_files";
  return "    " + patterns + ") " + action + "; return ;;\n";
}

bool takes_files(const CommandInfo& command) {
  return std::ranges::any_of(command.options,
                             [](const OptionInfo& one) { return one.is_positional && one.takes_a_file(); });
}

std::string positional_choices(const CommandInfo& command) {
  for (const OptionInfo& option : command.options) {
    if (option.is_positional && !option.choices.empty()) return listed(option.choices);
  }
  return "";
}

// Escapes text for a string in single quotes within _arguments, where colons and brackets are special.
std::string zsh_quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      if (c == ':' || c == '[' || c == ']' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted;
}

std::string zsh_value(const OptionInfo& option) {
  if (!option.choices.empty()) return "(" + listed(option.choices) + ")";
  return option.takes_a_file() ? "_files" : " ";
}

std::string zsh_option(const OptionInfo& option) {
  if (option.is_positional) {
    return "'" + std::string(option.takes_many ? "*" : "1") + ":" + option.names[0] + ":" + zsh_value(option) + "'";
  }
  std::string words;
  for (const std::string& name : option.names) {
    words += (words.empty() ? "'" : " '") + name + "[" + zsh_quoted(option.description) + "]";
    if (!option.value.empty()) words += ":" + option.value + ":" + zsh_value(option);
    words += "'";
  }
  return words;
}

}  // namespace

std::string bash_completion(const CommandInfo& tool) {
  std::string script = "# bash completion for " + tool.name + ", written by: " + tool.name + R"( completion bash
_millrace_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }
_millrace_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
_)" + tool.name + R"(() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _millrace_words ')" +
                       names_in(tool) + R"('
    return
  fi
  case $command:$before in
)";
  for (const CommandInfo& command : tool.commands) {
    for (const OptionInfo& option : command.options) {
      if (!option.is_positional && !option.value.empty()) script += bash_value(command, option);
    }
  }
  script += "  esac\n  case $command:$word in\n";
  for (const CommandInfo& command : tool.commands) {
    script += "    " + command.name + ":-*) _millrace_words '" + names_in(command) + "' ;;\n";
    const std::string choices = positional_choices(command);
    if (takes_files(command)) script += "    " + command.name + ":*) _millrace_files ;;\n";
    if (!choices.empty()) script += "    " + command.name + ":*) _millrace_words '" + choices + "' ;;\n";
  }
  return script + "  esac\n}\ncomplete -F _" + tool.name + " " + tool.name + "\n";
}

std::string zsh_completion(const CommandInfo& tool) {
  std::string script = "#compdef " + tool.name + "\n# Written by: " + tool.name + " completion zsh\n_" + tool.name +
                       "() {\n  local -a commands\n  commands=(\n";
  for (const CommandInfo& command : tool.commands) {
    script += "    '" + command.name + ":" + zsh_quoted(command.description) + "'\n";
  }
  script += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    _arguments";
  for (const OptionInfo& option : tool.options) script += " \\\n      " + zsh_option(option);
  script += "\n    return\n  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandInfo& command : tool.commands) {
    script += "    " + command.name + ")\n      _arguments";
    for (const OptionInfo& option : command.options) script += " \\\n        " + zsh_option(option);
    script += "\n      ;;\n";
  }
  return script + "  esac\n}\n_" + tool.name + " \"$@\"\n";
}

void add_completion_command(CLI::App& tool, int& status) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = tool.add_subcommand("completion", "Write a script for the completion of bash or zsh");
  command->add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  command->footer(kText);
  command->callback([&tool, shell, &status] {
    const CommandInfo info = describe(tool);
    std::cout << (*shell == "bash" ? bash_completion(info) : zsh_completion(info)) << std::flush;
    status = std::cout ? kDone : kCannotWrite;
  });
}

}  // namespace millrace::cli
