// Tables as text: CSV as RFC 4180 describes it, and TSV, where a tab parts the fields and
// nothing is quoted.
//
//   id,name                    a field is what stands between two commas,
//   1,"Smith, ""Bob"""         or between quotes: commas, line ends and "" (a quote) are
//   2,"two                     part of it then
//   lines"
//
// Lines end with LF or CRLF, the last one may end with the input. An empty line is nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/load/split.h"

namespace millrace::client {

class CsvSplitter {
 public:
  struct Style {
    char delimiter;
    bool has_quotes;
  };
  static constexpr Style kCsv{',', true};
  static constexpr Style kTsv{'\t', false};

  explicit CsvSplitter(Style style) : style_(style) {}

  // Finds the first record of the window. `is_all`: nothing comes behind it. Bad: text beside
  // a quoted field, which costs the lines up to there; or a quote that is never closed, which
  // costs one line, since nobody can tell what was meant to be inside.
  Split split(std::string_view window, bool is_all);

  // The same for a window that is as large as it may be, and NeedsMore: then it is Bad.
  static Split too_long(std::string_view window);

  // Of the last Record: its fields without their quotes, and its text without the line end.
  // Borrowed from the window and from this, until the next call of split.
  std::span<const std::string_view> fields() const { return fields_; }
  std::string_view text() const { return text_; }

 private:
  Split split_plain(std::string_view line, size_t size);
  Split split_quoted(std::string_view window, bool is_all);
  size_t take_quoted_field(std::string_view window, size_t begin);

  Style style_;
  std::vector<std::string_view> fields_;
  std::string_view text_;
  std::string unquoted_;  // fields in which a quote stood for itself
};

}  // namespace millrace::client
