#include "client/load/json_commands.h"

#include <utility>

#include "client/load/line_splitter.h"

namespace millrace::client {

Result<std::unique_ptr<CommandParser>> JsonCommands::make(Template as) {
  std::vector<JsonPath> paths;
  std::vector<size_t> sources;
  for (const TemplateField& field : as.fields()) {
    switch (field.kind) {
      case TemplateField::Kind::Column:
        return fail(ErrorCode::BadInput,
                    "{" + field.name + "} is a column, but JSON has none; a pointer begins with /");
      case TemplateField::Kind::Line:
      case TemplateField::Kind::Json:
        sources.push_back(kWhole);
        break;
      case TemplateField::Kind::Name:
        sources.push_back(paths.size());
        paths.push_back({field.name});
        break;
      case TemplateField::Kind::Pointer: {
        auto path = parse_json_pointer(field.name);
        if (!path) return fail(ErrorCode::BadInput, "{" + field.name + "}: " + path.error().text);
        sources.push_back(paths.size());
        paths.push_back(std::move(*path));
        break;
      }
    }
  }
  return std::unique_ptr<CommandParser>(new JsonCommands(std::move(as), std::move(paths), std::move(sources)));
}

JsonCommands::JsonCommands(Template as, std::vector<JsonPath> paths, std::vector<size_t> sources)
    : template_(std::move(as)),
      scanner_(std::move(paths)),
      sources_(std::move(sources)),
      values_(sources_.size()),
      unescaped_(sources_.size()) {}

Split JsonCommands::take(std::string_view window, bool is_all) {
  std::string_view line;
  Split split = split_line(window, is_all, line);
  if (split.kind != Split::Kind::Record) return split;
  // JSON has no byte order mark, but some editors write one.
  if (std::exchange(is_at_beginning_, false) && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  if (line.find_first_not_of(" \t\r") == line.npos) return Split::nothing(split.size);
  if (auto scanned = scanner_.scan(line); !scanned) return Split::bad(split.size, "not JSON: " + scanned.error().text);
  if (std::string problem = gather(line); !problem.empty()) return Split::bad(split.size, std::move(problem));
  words_ = &template_.fill(values_);
  return split;
}

// Collects the values of the template's fields: of a string its meaning, of everything else
// its source. The result is what is wrong, or nothing.
std::string JsonCommands::gather(std::string_view line) {
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i] == kWhole) {
      values_[i] = line;
      continue;
    }
    const auto value = scanner_.found(sources_[i]);
    if (!value) return "no " + template_.fields()[i].name + " in it";
    if (!value->starts_with('"')) {
      values_[i] = *value;
      continue;
    }
    const std::string_view inside = value->substr(1, value->size() - 2);
    if (inside.find('\\') == inside.npos) {
      values_[i] = inside;
      continue;
    }
    unescaped_[i].clear();
    if (auto done = append_unescaped(unescaped_[i], inside); !done) {
      return template_.fields()[i].name + ": " + done.error().text;
    }
    values_[i] = unescaped_[i];
  }
  return {};
}

}  // namespace millrace::client
