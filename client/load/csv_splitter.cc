#include "client/load/csv_splitter.h"

#include <cstring>

#include "client/load/line_splitter.h"

namespace millrace::client {
namespace {

constexpr size_t kNever = std::string_view::npos;
constexpr const char* kUnclosed = "a quote that is never closed";

size_t first_line(std::string_view window) {
  const size_t end = window.find('\n');
  return end == window.npos ? window.size() : end + 1;
}

}  // namespace

Split CsvSplitter::split(std::string_view window, bool is_all) {
  fields_.clear();
  unquoted_.clear();
  std::string_view line;
  Split split = split_line(window, is_all, line);
  const bool is_quoted = style_.has_quotes && line.find('"') != line.npos;
  // An incomplete line may contain a quoted field that continues.
  if (split.kind != Split::Kind::Record) return split;
  if (line.empty()) return Split::nothing(split.size);
  return is_quoted ? split_quoted(window, is_all) : split_plain(line, split.size);
}

Split CsvSplitter::too_long(std::string_view window) {
  const bool has_line = window.find('\n') != window.npos;
  if (has_line) return Split::bad(first_line(window), kUnclosed);
  return Split::lost("a line that is too long to be one");
}

Split CsvSplitter::split_plain(std::string_view line, size_t size) {
  text_ = line;
  for (;;) {
    const size_t end = line.find(style_.delimiter);
    fields_.push_back(line.substr(0, end));
    if (end == line.npos) return Split::record(size);
    line.remove_prefix(end + 1);
  }
}

Split CsvSplitter::split_quoted(std::string_view window, bool is_all) {
  // Fields point into it while it grows.
  unquoted_.reserve(window.size());
  const char ends[] = {style_.delimiter, '\n', '"'};
  size_t at = 0;
  for (;;) {
    size_t end;
    if (at < window.size() && window[at] == '"') {
      end = take_quoted_field(window, at);
      if (end == kNever) return is_all ? Split::bad(first_line(window), kUnclosed) : Split::needs_more();
    } else {
      end = window.find_first_of(ends, at, sizeof ends);
      if (end == window.npos) {
        if (!is_all) return Split::needs_more();
        end = window.size();
      }
      size_t stop = end;
      // CR is part of a line's end only before LF.
      if (end < window.size() && window[end] == '\n' && stop > at && window[stop - 1] == '\r') --stop;
      fields_.push_back(window.substr(at, stop - at));
    }
    if (end == window.size()) {
      if (!is_all) return Split::needs_more();
      text_ = window;
      return Split::record(end);
    }
    if (window[end] == style_.delimiter) {
      at = end + 1;
      continue;
    }
    const bool ends_with_crlf = window[end] == '\r' && end + 1 < window.size() && window[end + 1] == '\n';
    if (window[end] == '\n' || ends_with_crlf) {
      text_ = window.substr(0, end);
      if (text_.ends_with('\r')) text_.remove_suffix(1);
      return Split::record(end + (ends_with_crlf ? 2 : 1));
    }
    if (window[end] == '\r' && end + 1 == window.size() && !is_all) return Split::needs_more();
    const size_t line_end = window.find('\n', end);
    if (line_end == window.npos && !is_all) return Split::needs_more();
    return Split::bad(line_end == window.npos ? window.size() : line_end + 1,
                      window[end] == '"' ? "a quote within a field that does not begin with one"
                                         : "text behind the closing quote of a field");
  }
}

// Appends the field whose opening quote is at `begin`. The result is the position behind its
// closing quote, or kNever if there is none.
size_t CsvSplitter::take_quoted_field(std::string_view window, size_t begin) {
  size_t from = begin + 1;
  const size_t copied = unquoted_.size();
  for (;;) {
    const size_t quote = window.find('"', from);
    if (quote == window.npos) return kNever;
    const bool is_doubled = quote + 1 < window.size() && window[quote + 1] == '"';
    if (!is_doubled) {
      if (unquoted_.size() == copied) {
        fields_.push_back(window.substr(from, quote - from));
      } else {
        unquoted_.append(window, from, quote - from);
        fields_.push_back(std::string_view(unquoted_).substr(copied));
      }
      return quote + 1;
    }
    unquoted_.append(window, from, quote + 1 - from);
    from = quote + 2;
  }
}

}  // namespace millrace::client
