#include "module/runtime/container_help.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "module/runtime/family.h"

namespace millrace::module {

namespace {

std::string joined(std::span<const ArgumentDoc> arguments, std::string_view separator);

// One argument in the notation of docs/commands: [COUNT count], <offset | FIRST | NEXT>. tools/command_docs.py renders
// COMMAND DOCS in the same way.
std::string syntax_of(const ArgumentDoc& argument) {
  const bool optional = (argument.flags & kOptional) != 0;
  std::string text;
  if (argument.kind == PureToken) {
    text = argument.token;
  } else {
    if (argument.kind == OneOf) {
      text = joined(argument.parts, " | ");
      if (!optional) text = "<" + text + ">";
    } else if (argument.kind == Block) {
      text = joined(argument.parts, " ");
    } else {
      text = argument.name;
    }
    if ((argument.flags & kMultiple) != 0) text += " [" + text + " ...]";
    if (argument.token != nullptr) text = std::string(argument.token) + " " + text;
  }
  return optional ? "[" + text + "]" : text;
}

std::string joined(std::span<const ArgumentDoc> arguments, std::string_view separator) {
  std::string text;
  for (const ArgumentDoc& argument : arguments) {
    if (!text.empty()) text += separator;
    text += syntax_of(argument);
  }
  return text;
}

// The word in upper case, as the command table has it: a client may write it in any case.
std::string upper(ByteView word) {
  std::string text(word);
  for (char& letter : text) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return text;
}

void add_subcommands(const std::string& container, std::vector<std::string>& lines) {
  const std::string prefix = container + " ";
  for (const Family& family : families()) {
    for (const abi::Command& command : family.part.commands) {
      const std::string_view name = command.name;
      if (!name.starts_with(prefix) || command.callback == abi::of<container_help>) continue;
      std::string line(name.substr(prefix.size()));
      if (!command.arguments.empty()) line += " " + joined(command.arguments, " ");
      lines.push_back(std::move(line));
      lines.push_back(std::string("    ") + command.summary);
    }
  }
}

}  // namespace

void container_help(abi::Context context, abi::Arguments arguments) {
  const std::string container = upper(arguments[0]);
  std::vector<std::string> lines = {container + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"};
  add_subcommands(container, lines);
  lines.push_back("HELP");
  lines.push_back("    Print this help.");

  abi::Reply reply = context.reply();
  reply.array(lines.size());
  for (const std::string& line : lines) reply.simple(line.c_str());
}

}  // namespace millrace::module
