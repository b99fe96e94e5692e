// The answer of a server as a plain value that owns its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::client {

struct Reply {
  enum class Kind { Nil, Integer, Text, Status, Error, Array };

  Kind kind = Kind::Nil;
  int64_t integer = 0;       // of Integer
  std::string text;          // of Text (any bytes), Status and Error
  std::vector<Reply> items;  // of Array

  bool is_nil() const { return kind == Kind::Nil; }
  bool is_error() const { return kind == Kind::Error; }
  bool is_array() const { return kind == Kind::Array; }

  // Whether it is an error with this code, the first word of its text: "MOVED", "NOSCRIPT".
  bool is_error(std::string_view code) const {
    return is_error() && text.starts_with(code) && (text.size() == code.size() || text[code.size()] == ' ');
  }
};

}  // namespace millrace::client
