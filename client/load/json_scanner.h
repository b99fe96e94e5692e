// Walks over one JSON text (RFC 8259) and remembers where the values are that somebody
// wants, by JSON pointer (RFC 6901). The whole text is checked; nothing is converted, so a
// number of any length and precision stays as it was written. Any nesting; no recursion.
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

  // Checks one text, with space around it. BadInput says what is wrong and at which byte,
  // counted from 1.
  Result<void> scan(std::string_view text);

  // Of the last scan that went well: the source of the value that path number i leads to,
  // or nothing. Of two members with one name it is the last, as for most parsers.
  // Borrowed from the text.
  std::optional<std::string_view> found(size_t i) const { return found_[i]; }

 private:
  struct Level {
    bool is_object = false;
    bool is_new = true;  // nothing of it was seen yet
    size_t index = 0;    // of the element we are in
  };
  struct Sought {
    JsonPath path;
    size_t matched = 0;             // how many steps lead to where we are
    std::optional<size_t> started;  // where its value begins, while we are in it
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

// Appends what a JSON string means; `inside` is what stands between its quotes and was
// scanned already. BadInput: half of a surrogate pair, which is no text.
Result<void> append_unescaped(std::string& out, std::string_view inside);

}  // namespace millrace::client
