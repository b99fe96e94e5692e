// The values of a JSON file: the elements of an array, however they are spread over lines, or
// values that follow one another.
//
//   [{"id": 1},
//    {"id": 2}]
#pragma once

#include <cstddef>
#include <string_view>

#include "client/load/split.h"

namespace millrace::client {

class JsonArraySplitter {
 public:
  // A new file begins.
  void begin() { place_ = Place::Beginning; }

  // Finds the first value of the window. For a Record, `value` is its text, borrowed from the window; it may be invalid
  // JSON. Nothing: spaces, commas and the array's own brackets. Lost: not an array, or it ends too early.
  Split split(std::string_view window, bool is_all, std::string_view& value);

 private:
  enum class Place {
    Beginning,
    ArrayBegin,  // after [
    Element,     // after a comma: a value must follow
    Behind,      // after an element: a comma or ] must follow
    ArrayEnd,    // after ]
    Sequence,    // there is no array, only values
  };

  Split take_mark(std::string_view window);

  Place place_ = Place::Beginning;
};

}  // namespace millrace::client
