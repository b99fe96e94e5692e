// A field of a template: the text between braces.
//
//   {age}         a column by its header, a member of a JSON object
//   {3}           the third column
//   {/a/b/0}      a JSON pointer
//   {age?}        optional: where there is no such value, its word is left out
//   {age|0}       a default: where there is no such value, it is 0
//   {age:06d}     a whole number with zeros before it, six digits in all; {age:6d} with spaces
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "client/error.h"

namespace millrace::client {

struct TemplateField {
  enum class Kind {
    Name,     // {price}: a column by its header, a member of a JSON object
    Column,   // {3}: the third column
    Pointer,  // {/a/b/0}: a JSON pointer
    Line,     // {line}: the record as it is in the input
    Json,     // {json}: the record as a JSON object
  };
  // How an integer is padded.
  struct Padding {
    size_t width;
    char with;  // '0' or ' '

    bool operator==(const Padding&) const = default;
  };

  Kind kind;
  std::string name;  // name of the value, without options
  size_t column = 0;
  std::string whole = {};  // the whole text between the braces
  bool is_optional = false;
  std::optional<std::string> fallback = {};
  std::optional<Padding> padding = {};

  // Whether a record without such a value is valid.
  bool may_be_missing() const { return is_optional || fallback; }

  // BadInput: padding to more than 1,000 digits.
  static Result<TemplateField> parse(std::string_view text);
};

// Writes the padded number to `to`. BadInput: not an integer.
Result<void> pad(std::string& to, std::string_view number, const TemplateField& field);

}  // namespace millrace::client
