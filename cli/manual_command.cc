#include "cli/manual_command.h"

#include <iostream>
#include <sstream>

#include "cli/exit_status.h"
#include "version.h"

namespace millrace::cli {
namespace {

// Text with all special characters of troff escaped.
std::string plain(const std::string& text) {
  std::string out;
  bool is_at_line_start = true;
  for (const char c : text) {
    if (is_at_line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
    is_at_line_start = c == '\n';
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }

// Printed as it is, because the examples and tables in it are aligned.
std::string as_it_is(const std::string& text) { return ".PP\n.nf\n" + plain(text) + "\n.fi\n"; }

std::string option_entry(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
  if (!option.is_positional && !option.value.empty()) names += " \\fI" + plain(option.value) + "\\fR";
  std::string entry = ".TP\n" + names + "\n" + plain(option.description);
  if (!option.usual.empty()) entry += " (" + plain(option.usual) + ")";
  return entry + "\n";
}

}  // namespace

std::string manual_page(const CommandInfo& tool, const std::string& version) {
  std::string page = ".TH " + tool.name + " 1 \"\" \"" + tool.name + " " + version + "\" \"User commands\"\n";
  page += ".SH NAME\n" + plain(tool.name + " - " + tool.description) + "\n.SH SYNOPSIS\n";
  for (const CommandInfo& command : tool.commands) {
    page += ".B " + plain(usage_line(command, tool.name + " ")) + "\n.br\n";
  }
  page += ".SH DESCRIPTION\n" + as_it_is(tool.text) + ".SH OPTIONS\n";
  for (const OptionInfo& option : tool.options) page += option_entry(option);
  page += ".SH COMMANDS\n";
  for (const CommandInfo& command : tool.commands) {
    page += ".SS " + plain(usage_line(command, tool.name + " ")) + "\n" + plain(command.description) + ".\n";
    for (const OptionInfo& option : command.options) page += option_entry(option);
    if (!command.text.empty()) page += as_it_is(command.text);
  }
  return page + ".SH SEE ALSO\n.BR redis\\-cli (1),\n.BR redis\\-server (1)\n";
}

void add_manual_command(CLI::App& tool, int& status) {
  CLI::App* command = tool.add_subcommand("manual", "Write the manual page");
  command->footer("To read it here:\n  millrace manual | man -l -");
  command->callback([&tool, &status] {
    std::cout << manual_page(describe(tool), MILLRACE_VERSION) << std::flush;
    status = std::cout ? kDone : kCannotWrite;
  });
}

}  // namespace millrace::cli
