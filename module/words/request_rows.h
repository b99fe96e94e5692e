// Tables of command lines and the requests they are parsed to, shared by the tests of all parsers. A single space
// separates two words, so a space at an end makes an empty word.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/error.h"

namespace millrace::module {

// The words of a line; they borrow it.
inline std::vector<ByteView> words_of(ByteView line) {
  std::vector<ByteView> words;
  if (line.empty()) return words;
  size_t space;
  while ((space = line.find(' ')) != ByteView::npos) {
    words.push_back(line.substr(0, space));
    line.remove_prefix(space + 1);
  }
  words.push_back(line);
  return words;
}

// A line that is refused, and the text of the error.
struct ErrorRow {
  const char* name;
  ByteView line;
  ErrorCode code;
  const char* text;
};

inline constexpr ErrorCode kSyntax = ErrorCode::Syntax;
inline constexpr ErrorCode kRange = ErrorCode::Range;

template <class Parser, size_t size>
void expect_errors(Parser parse, const ErrorRow (&rows)[size]) {
  for (const ErrorRow& row : rows) {
    SCOPED_TRACE(row.name);
    const std::vector<ByteView> words = words_of(row.line);
    const auto request = parse(words);
    ASSERT_FALSE(request) << "it was accepted";
    EXPECT_EQ(request.error().code, row.code);
    EXPECT_EQ(request.error().text, row.text);
  }
}

}  // namespace millrace::module
