#include "cli/command_tree.h"

#include <algorithm>
#include <sstream>

namespace millrace::cli {
namespace {

constexpr size_t kColumn = 26;
constexpr size_t kWidth = 88;

// CLI11 writes "FORMAT:{csv,tsv}": the name of the option's value, and the allowed values.
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const size_t open = type.find('{');
  if (open == type.npos || !type.ends_with('}')) return choices;
  std::istringstream list(type.substr(open + 1, type.size() - open - 2));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

OptionInfo describe(const CLI::Option& option) {
  OptionInfo info;
  info.is_positional = option.get_positional();
  if (info.is_positional) {
    info.names = {option.get_name(true, false)};
  } else {
    for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  }
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0) {
    info.value = info.is_positional ? info.names[0] : type.substr(0, type.find(':'));
  }
  info.description = option.get_description();
  info.usual = option.get_default_str();
  info.choices = choices_in(type);
  info.is_required = option.get_required();
  info.takes_many = info.is_positional && option.get_items_expected_max() > 1;
  return info;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// A row of two columns; text that does not fit continues on the next line.
std::string row(const std::string& left, const std::string& right) {
  std::string text = "  " + left;
  if (text.size() + 1 >= kColumn) {
    text += '\n' + std::string(kColumn, ' ');
  } else {
    text.resize(kColumn, ' ');
  }
  size_t column = kColumn;
  std::istringstream words(right);
  for (std::string word; words >> word;) {
    if (column > kColumn && column + word.size() >= kWidth) {
      text += '\n' + std::string(kColumn, ' ');
      column = kColumn;
    }
    text += (column > kColumn ? " " : "") + word;
    column += word.size() + 1;
  }
  return text + '\n';
}

std::string right_column(const OptionInfo& option) {
  return option.description + (option.usual.empty() ? "" : " (" + option.usual + ")");
}

}  // namespace

CommandInfo describe(const CLI::App& app) {
  CommandInfo info;
  info.name = app.get_name();
  info.description = app.get_description();
  info.text = app.get_footer();
  for (const CLI::Option* option : app.get_options()) info.options.push_back(describe(*option));
  // Without a filter, CLI11 would return the subcommands that were typed.
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    info.commands.push_back(describe(*command));
  }
  return info;
}

std::string usage_line(const CommandInfo& command, const std::string& parents) {
  std::string line = parents + command.name + (command.commands.empty() ? " [OPTIONS]" : " COMMAND [OPTIONS]");
  for (const OptionInfo& option : command.options) {
    if (!option.is_positional) continue;
    const std::string name = option.names[0] + (option.takes_many ? "..." : "");
    line += option.is_required ? " " + name : " [" + name + "]";
  }
  return line;
}

std::string help_page(const CommandInfo& command, const std::string& parents) {
  std::string page = command.description + "\n\nUsage: " + usage_line(command, parents) + "\n";
  if (!command.commands.empty()) page += "\nCommands:\n";
  for (const CommandInfo& one : command.commands) page += row(one.name, one.description);
  page += "\nOptions:\n";
  for (const OptionInfo& option : command.options) {
    const std::string value = option.value.empty() || option.is_positional ? "" : " " + option.value;
    page += row(joined(option.names, ", ") + value, right_column(option));
  }
  return page + (command.text.empty() ? "" : "\n" + command.text + "\n");
}

}  // namespace millrace::cli
