// Scans one JSON text (RFC 8259) and finds the values at given JSON pointers (RFC 6901). The whole text is checked.
// Nothing is converted, so a number of any length and precision stays as it was written. Nesting is not limited; there
// is no recursion.
//
//   {"a": {"b": [10, 20]}}      /a/b/1 is 20, /a is {"b": [10, 20]}, "" is the whole
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/error.h"

namespace millrace::client {

// The steps of a pointer: names of members, or positions in an array.
using JsonPath = std::vector<std::string>;

// "/a/b/0" with ~0 for ~ and ~1 for /. BadInput: it does not begin with / or has another ~.
Result<JsonPath> parse_json_pointer(std::string_view pointer);

class JsonScanner {
 public:
  explicit JsonScanner(std::vector<JsonPath> wanted);

  // Checks one text, which may have white space around it. BadInput says what is wrong and at which byte, counted from
  // 1.
  Result<void> scan(std::string_view text);

  // After a successful scan: the text of the value at path number i; nullopt if there is none. If two members have the
  // same name, the last one counts, as in most parsers.
  // Borrowed from the text.
  std::optional<std::string_view> found(size_t i) const { return found_[i]; }

 private:
  struct Level {
    bool is_object = false;
    bool is_new = true;  // no element was seen yet
    size_t index = 0;    // index of the current element
  };
  struct Sought {
    JsonPath path;
    size_t matched = 0;             // how many steps of the path match the current place
    std::optional<size_t> started;  // where its value begins, while inside it
  };

  bool scan_value();
  bool scan_container();
  bool begin_member();
  bool begin_element();
  void enter(std::string_view name);
  void leave(size_t end);
  bool scan_string(std::string_view& inside);
  bool scan_number();
  bool scan_word(std::string_view word);
  void skip_space();
  bool wrong(const char* problem);

  std::vector<Sought> wanted_;
  std::vector<std::optional<std::string_view>> found_;
  std::vector<Level> levels_;
  std::string_view text_;
  size_t at_ = 0;
  const char* problem_ = nullptr;
};

// Whether a text is a number, and nothing else, as JSON writes them.
bool is_json_number(std::string_view text);

// Appends the decoded JSON string; `inside` is the text between its quotes, already scanned. BadInput: half of a
// surrogate pair, which is not valid text.
Result<void> append_unescaped(std::string& out, std::string_view inside);

}  // namespace millrace::client
