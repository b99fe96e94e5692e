#include "client/load/table_commands.h"

#include <algorithm>
#include <utility>

#include "client/escape.h"
#include "client/load/json_scanner.h"
#include "client/load/same_word.h"

namespace millrace::client {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

// A number in JSON's syntax, true or false in upper or lower case, or else a string.
void append_typed_json(std::string& to, std::string_view text) {
  for (const std::string_view word : {"true", "false"}) {
    if (is_same_word(text, word)) {
      to += word;
      return;
    }
  }
  if (is_json_number(text)) {
    to += text;
  } else {
    append_json_string(to, text);
  }
}

// A name that occurs more than once, so that its column is ambiguous.
std::optional<std::string> repeated(const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  const auto found = std::ranges::adjacent_find(sorted);
  if (found == sorted.end()) return std::nullopt;
  return *found;
}

}  // namespace

Result<std::unique_ptr<CommandParser>> TableCommands::make(const TableStyle& style, Template as) {
  for (const TemplateField& field : as.fields()) {
    if (field.kind == TemplateField::Kind::Pointer) {
      return fail(ErrorCode::BadInput, "{" + field.name + "} is a JSON pointer, but the input is a table");
    }
    if (field.kind == TemplateField::Kind::Column && field.column == 0) {
      return fail(ErrorCode::BadInput, "{0} is no column: they are counted from 1");
    }
    const bool needs_header = field.kind == TemplateField::Kind::Name || field.kind == TemplateField::Kind::Json;
    if (needs_header && !style.has_header) {
      return fail(ErrorCode::BadInput, "{" + field.name + "} needs a header, but --no-header says there is none");
    }
  }
  return std::unique_ptr<CommandParser>(new TableCommands(style, std::move(as)));
}

TableCommands::TableCommands(const TableStyle& style, Template as)
    : style_(style), splitter_(style.csv), commands_(std::move(as)) {
  begin_file();
}

void TableCommands::begin_file() {
  is_at_beginning_ = true;
  awaits_header_ = style_.has_header;
  header_.clear();
  if (!style_.has_header) bind();
}

Split TableCommands::take(std::string_view window, bool is_all) {
  if (is_at_beginning_) {
    // Three bytes decide whether this is the byte order mark, unless there are fewer.
    if (window.size() < kByteOrderMark.size() && !is_all) return Split::needs_more();
    is_at_beginning_ = false;
    if (window.starts_with(kByteOrderMark)) return Split::nothing(kByteOrderMark.size());
  }
  Split split = splitter_.split(window, is_all);
  if (awaits_header_ && split.kind != Split::Kind::NeedsMore && split.kind != Split::Kind::Nothing) {
    return take_header(split);
  }
  if (split.kind != Split::Kind::Record) return split;
  if (auto problem = gather()) return Split::bad(split.size, std::move(*problem));
  return commands_.make() ? split : Split::nothing(split.size);
}

// Without a valid header no column of the file has a name.
Split TableCommands::take_header(const Split& split) {
  if (split.kind != Split::Kind::Record) return Split::lost("in the header: " + split.problem);
  awaits_header_ = false;
  header_.assign(splitter_.fields().begin(), splitter_.fields().end());
  if (auto problem = bind()) return Split::lost(std::move(*problem));
  return Split::nothing(split.size);
}

// Finds the columns of the template's fields. The result is what is wrong, if anything is.
std::optional<std::string> TableCommands::bind() {
  columns_.clear();
  for (const TemplateField& field : commands_.fields()) {
    // If a column's name is really "age?", that column is meant.
    const auto whole = std::ranges::find(header_, field.whole);
    const std::string& name = whole == header_.end() ? field.name : field.whole;
    const auto named = std::ranges::find(header_, name);
    commands_.use_plainly(columns_.size(), whole != header_.end());
    if (field.kind == TemplateField::Kind::Column) {
      columns_.push_back(field.column - 1);
    } else if (named != header_.end()) {
      if (std::find(named + 1, header_.end(), name) != header_.end()) {
        return "the header has more than one column '" + name + "': say by its number which is meant, as in {3}";
      }
      columns_.push_back(static_cast<size_t>(named - header_.begin()));
    } else if (field.kind == TemplateField::Kind::Line) {
      columns_.push_back(kLine);
    } else if (field.kind == TemplateField::Kind::Json) {
      if (const auto twice = repeated(header_)) {
        return "the header has more than one column '" + *twice + "', so {json} cannot have them all";
      }
      columns_.push_back(kJson);
    } else if (field.may_be_missing()) {
      columns_.push_back(kNowhere);
    } else {
      return "the header has no column '" + field.name + "', only " + listed(header_);
    }
  }
  return std::nullopt;
}

// Collects the values of the template's fields. The result is what is wrong, if anything is.
std::optional<std::string> TableCommands::gather() {
  const auto fields = splitter_.fields();
  if (style_.has_header && fields.size() != header_.size()) {
    return std::to_string(fields.size()) + " fields where the header has " + std::to_string(header_.size());
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    const size_t column = columns_[i];
    bool is_good = false;
    if (column == kLine) {
      is_good = set_value(i, splitter_.text());
    } else if (column == kJson) {
      write_json();
      is_good = set_value(i, json_);
    } else if (column < fields.size()) {
      is_good = set_value(i, fields[column]);
    } else if (commands_.may_be_missing(i)) {
      is_good = commands_.set_missing(i);
    } else {
      return "no column " + std::to_string(column + 1) + ", only " + std::to_string(fields.size());
    }
    if (!is_good) return commands_.problem();
  }
  return std::nullopt;
}

// An empty field counts as missing, if it may be missing.
bool TableCommands::set_value(size_t field, std::string_view text) {
  if (text.empty() && commands_.may_be_missing(field)) return commands_.set_missing(field);
  return commands_.set(field, text);
}

void TableCommands::write_json() {
  const auto fields = splitter_.fields();
  json_ = "{";
  for (size_t i = 0; i < fields.size(); ++i) {
    if (style_.is_typed && fields[i].empty()) continue;
    if (json_.size() > 1) json_ += ',';
    append_json_string(json_, header_[i]);
    json_ += ':';
    if (style_.is_typed) {
      append_typed_json(json_, fields[i]);
    } else {
      append_json_string(json_, fields[i]);
    }
  }
  json_ += '}';
}

}  // namespace millrace::client
