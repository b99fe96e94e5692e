#include "client/load/json_commands.h"

#include <utility>

#include "client/load/line_splitter.h"

namespace millrace::client {

Result<std::unique_ptr<CommandParser>> JsonCommands::make(Template as, bool is_array) {
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
  return std::unique_ptr<CommandParser>(
      new JsonCommands(std::move(as), std::move(paths), std::move(sources), is_array));
}

JsonCommands::JsonCommands(Template as, std::vector<JsonPath> paths, std::vector<size_t> sources, bool is_array)
    : commands_(std::move(as)),
      is_array_(is_array),
      scanner_(std::move(paths)),
      sources_(std::move(sources)),
      unescaped_(sources_.size()) {}

Split JsonCommands::take(std::string_view window, bool is_all) {
  std::string_view record;
  Split found = split(window, is_all, record);
  if (found.kind != Split::Kind::Record) return found;
  if (auto scanned = scanner_.scan(record); !scanned) {
    return Split::bad(found.size, "not JSON: " + scanned.error().text);
  }
  if (auto problem = gather(record)) return Split::bad(found.size, std::move(*problem));
  return commands_.make() ? found : Split::nothing(found.size);
}

Split JsonCommands::split(std::string_view window, bool is_all, std::string_view& value) {
  if (is_array_) return array_.split(window, is_all, value);
  Split found = split_line(window, is_all, value);
  if (found.kind != Split::Kind::Record) return found;
  // JSON has no byte order mark, but some editors write one.
  if (std::exchange(is_at_beginning_, false) && value.starts_with("\xef\xbb\xbf")) value.remove_prefix(3);
  if (value.find_first_not_of(" \t\r") == value.npos) return Split::nothing(found.size);
  return found;
}

// Collects the values of the template's fields. The result is what is wrong, or nothing.
std::optional<std::string> JsonCommands::gather(std::string_view record) {
  for (size_t i = 0; i < sources_.size(); ++i) {
    bool is_good = false;
    const bool may_be_missing = commands_.may_be_missing(i);
    if (sources_[i] == kWhole) {
      is_good = commands_.set(i, record);
    } else if (const auto value = scanner_.found(sources_[i]); value && !(may_be_missing && *value == "null")) {
      is_good = set_value(i, *value);
    } else if (may_be_missing) {
      is_good = commands_.set_missing(i);
    } else {
      return "no " + commands_.fields()[i].name + " in it";
    }
    if (!is_good) return problem_.empty() ? commands_.problem() : std::exchange(problem_, {});
  }
  return std::nullopt;
}

// A string is decoded; any other value is used as it is in the source.
bool JsonCommands::set_value(size_t field, std::string_view source) {
  if (!source.starts_with('"')) return commands_.set(field, source);
  const std::string_view inside = source.substr(1, source.size() - 2);
  if (inside.find('\\') == inside.npos) return commands_.set(field, inside);
  unescaped_[field].clear();
  if (auto done = append_unescaped(unescaped_[field], inside); !done) {
    problem_ = commands_.fields()[field].name + ": " + done.error().text;
    return false;
  }
  return commands_.set(field, unescaped_[field]);
}

}  // namespace millrace::client
