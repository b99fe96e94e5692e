#include "engine/filter/scalar_json.h"

#include <charconv>
#include <cmath>

#include "engine/base/json_text.h"

namespace millrace {

namespace {

void append_number(std::string& to, Number number) {
  char text[40];
  char* const end = text + sizeof(text);
  if (number.is_whole()) {
    to.append(text, std::to_chars(text, end, number.whole()).ptr);
    return;
  }
  // The shortest text of a large one may be 20 digits, which no parser takes for a double.
  const double value = number.approximate();
  const auto format = std::fabs(value) < 1e18 ? std::chars_format::general : std::chars_format::scientific;
  to.append(text, std::to_chars(text, end, value, format).ptr);
}

}  // namespace

void append_json(std::string& to, const ScalarView& value) {
  switch (value.kind) {
    case ScalarKind::Null:
      to += "null";
      return;
    case ScalarKind::Boolean:
      to += value.boolean ? "true" : "false";
      return;
    case ScalarKind::Number:
      append_number(to, value.number);
      return;
    case ScalarKind::String:
      append_json_string(to, value.text);
      return;
    case ScalarKind::Nested:
      return;
  }
}

}  // namespace millrace
