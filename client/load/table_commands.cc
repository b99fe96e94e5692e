#include "client/load/table_commands.h"

#include <algorithm>
#include <utility>

#include "client/escape.h"

namespace millrace::client {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

// A name that stands there more than once; nobody knows which of its columns is meant.
std::optional<std::string> repeated(const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  const auto found = std::ranges::adjacent_find(sorted);
  if (found == sorted.end()) return std::nullopt;
  return *found;
}

}  // namespace

Result<std::unique_ptr<CommandParser>> TableCommands::make(CsvSplitter::Style style, Template as, bool has_header) {
  for (const TemplateField& field : as.fields()) {
    if (field.kind == TemplateField::Kind::Pointer) {
      return fail(ErrorCode::BadInput, "{" + field.name + "} is a JSON pointer, but the input is a table");
    }
    if (field.kind == TemplateField::Kind::Column && field.column == 0) {
      return fail(ErrorCode::BadInput, "{0} is no column: they are counted from 1");
    }
    const bool needs_header = field.kind == TemplateField::Kind::Name || field.kind == TemplateField::Kind::Json;
    if (needs_header && !has_header) {
      return fail(ErrorCode::BadInput, "{" + field.name + "} needs a header, but --no-header says there is none");
    }
  }
  return std::unique_ptr<CommandParser>(new TableCommands(style, std::move(as), has_header));
}

TableCommands::TableCommands(CsvSplitter::Style style, Template as, bool has_header)
    : splitter_(style), template_(std::move(as)), has_header_(has_header), values_(template_.fields().size()) {
  begin_file();
}

void TableCommands::begin_file() {
  is_at_beginning_ = true;
  awaits_header_ = has_header_;
  header_.clear();
  if (!has_header_) bind();
}

Split TableCommands::take(std::string_view window, bool is_all) {
  if (is_at_beginning_) {
    // Three bytes tell whether it is the mark, unless there are fewer.
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
  words_ = &template_.fill(values_);
  return split;
}

// Without a good header nothing in the file has a name.
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
  for (const TemplateField& field : template_.fields()) {
    const auto named = std::ranges::find(header_, field.name);
    if (field.kind == TemplateField::Kind::Column) {
      columns_.push_back(field.column - 1);
    } else if (named != header_.end()) {
      if (std::find(named + 1, header_.end(), field.name) != header_.end()) {
        return "the header has more than one column '" + field.name + "': say by its number which is meant, as in {3}";
      }
      columns_.push_back(static_cast<size_t>(named - header_.begin()));
    } else if (field.kind == TemplateField::Kind::Line) {
      columns_.push_back(kLine);
    } else if (field.kind == TemplateField::Kind::Json) {
      if (const auto name = repeated(header_)) {
        return "the header has more than one column '" + *name + "', so {json} cannot have them all";
      }
      columns_.push_back(kJson);
    } else {
      return "the header has no column '" + field.name + "', only " + listed(header_);
    }
  }
  return std::nullopt;
}

// Collects the values of the template's fields. The result is what is wrong, if anything is.
std::optional<std::string> TableCommands::gather() {
  const auto fields = splitter_.fields();
  if (has_header_ && fields.size() != header_.size()) {
    return std::to_string(fields.size()) + " fields where the header has " + std::to_string(header_.size());
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    const size_t column = columns_[i];
    if (column == kLine) {
      values_[i] = splitter_.text();
    } else if (column == kJson) {
      write_json();
      values_[i] = json_;
    } else if (column < fields.size()) {
      values_[i] = fields[column];
    } else {
      return "no column " + std::to_string(column + 1) + ", only " + std::to_string(fields.size());
    }
  }
  return std::nullopt;
}

void TableCommands::write_json() {
  const auto fields = splitter_.fields();
  json_ = "{";
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) json_ += ',';
    append_json_string(json_, header_[i]);
    json_ += ':';
    append_json_string(json_, fields[i]);
  }
  json_ += '}';
}

}  // namespace millrace::client
