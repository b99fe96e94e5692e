// Tables as text: CSV as in RFC 4180, and TSV, where a tab separates the fields and there are no quotes.
//
//   id,name                    a field is what stands between two commas,
//   1,"Smith, ""Bob"""         or between quotes: commas, line ends and "" (a quote) are
//   2,"two                     part of it then
//   lines"
//
// Lines end with LF or CRLF, the last one may end with the input. Empty lines are skipped.
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

  // Finds the first record of the window. `is_all`: nothing follows the window. Bad: text beside a quoted field, which
  // skips the lines up to there; or a quote that is never closed, which skips one line, because the intended end of the
  // quote is unknown.
  Split split(std::string_view window, bool is_all);

  // The same for a window of the largest size that is NeedsMore: then it is Bad.
  static Split too_long(std::string_view window);

  // The fields of the last Record without their quotes, and its text without the line end. Borrowed from the window and
  // from this object, until the next call of split.
  std::span<const std::string_view> fields() const { return fields_; }
  std::string_view text() const { return text_; }

 private:
  Split split_plain(std::string_view line, size_t size);
  Split split_quoted(std::string_view window, bool is_all);
  size_t take_quoted_field(std::string_view window, size_t begin);

  Style style_;
  std::vector<std::string_view> fields_;
  std::string_view text_;
  std::string unquoted_;  // fields with a doubled quote, decoded
};

}  // namespace millrace::client
