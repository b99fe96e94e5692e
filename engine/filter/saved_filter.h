// A filter as it is saved: its normal form, and how an index finds it. So a filter that is loaded is indexed without
// being parsed; it is parsed and compiled later, at the latest when a document leads to it.
//
//   saved  := access json
//   access := 0                              every document leads to it
//           | 1 count { field value }*       an equality that holds in every document that matches
//           | 2 count { field low high }*    the intervals of access.h, doubles of 8 bytes, least byte first
//   value  := 0 | 1 boolean | 2 zigzag | 3 double | 4 size bytes
//
// All numbers except doubles are varints; a field is its size and its path. Do not change: persisted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/filter/access.h"

namespace millrace {

class SavedFilter {
 public:
  struct EqualityView {
    ByteView field;
    ScalarView value;
  };
  struct IntervalView {
    ByteView field;
    double low;
    double high;
  };

  // Decodes saved bytes, which it borrows. All of it is checked except the normal form, which is checked when it is
  // parsed. Failure: Corrupt.
  static Result<SavedFilter> read(ByteView bytes);

  // At most one of the two lists is not empty.
  const std::vector<EqualityView>& equalities() const { return equalities_; }
  const std::vector<IntervalView>& intervals() const { return intervals_; }
  ByteView json() const { return json_; }

 private:
  std::vector<EqualityView> equalities_;
  std::vector<IntervalView> intervals_;
  ByteView json_;
};

// At most one of the two lists is not empty.
std::string saved_filter(ByteView json, const std::vector<Equality>& equalities,
                         const std::vector<Interval>& intervals);

}  // namespace millrace
