// A field of a template: what stands between braces.
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
    Line,     // {line}: the record as it stands in the input
    Json,     // {json}: the record as a JSON object
  };
  // How a whole number is written.
  struct Padding {
    size_t width;
    char with;  // '0' or ' '

    bool operator==(const Padding&) const = default;
  };

  Kind kind;
  std::string name;  // of the value: without what says how it is used
  size_t column = 0;
  std::string whole = {};  // what stands between the braces
  bool is_optional = false;
  std::optional<std::string> fallback = {};
  std::optional<Padding> padding = {};

  // Whether a record without such a value is a good one.
  bool may_be_missing() const { return is_optional || fallback; }

  // BadInput: a number that is to be padded to more than 1,000 digits.
  static Result<TemplateField> parse(std::string_view text);
};

// The number, padded, in `to`. BadInput: it is none.
Result<void> pad(std::string& to, std::string_view number, const TemplateField& field);

}  // namespace millrace::client
