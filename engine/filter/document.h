// A document, parsed once, and what the fields of it hold that filters look at.
#pragma once

#include <simdjson.h>

#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/filter/fields.h"
#include "engine/filter/scalar.h"

namespace millrace {

// Keeps its memory from one document to the next.
class DocumentParser {
 public:
  static constexpr size_t kMaxBytes = 1024 * 1024;
  static constexpr size_t kMaxDepth = 64;

  // An object. Valid, and borrowing the parser's memory, until the next call.
  // Failure: Syntax, with the reason.
  Result<simdjson::dom::object> parse(ByteView json);

 private:
  simdjson::dom::parser parser_{kMaxBytes};
};

// Whether it is JSON of any kind, within the limits of a document. Failure: Syntax, Range, with the reason.
Result<void> check_json(ByteView json);

// What a document holds of some fields.
class FieldValues {
 public:
  // An array is as many values as it has elements; names on the way go through arrays too. Borrows from the document.
  // Costs what the document holds of the fields. If these have more than kMaxValues values together, the fields with
  // the most values are left out until the others fit: they have no values, and is_too_much() says so.
  static constexpr size_t kMaxValues = 10'000;
  void extract(const simdjson::dom::object& document, const Fields& fields);

  bool is_present(FieldId field) const { return field.value() < places_.size() && places_[field.value()].is_present; }
  bool is_too_much(FieldId field) const { return field.value() < places_.size() && places_[field.value()].is_too_much; }
  // The fields that were left out, most values first.
  std::span<const FieldId> too_much() const { return too_much_; }
  // Sorted by ScalarOrder, no two the same.
  std::span<const ScalarView> values(FieldId field) const;

  // Calls visit(field, value) for every value.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [field, value] : found_) visit(field, value);
  }

 private:
  using Found = std::pair<FieldId, ScalarView>;

  // Calls visit(field, element) for every value of the fields below a node, until visit returns false.
  bool walk(const simdjson::dom::object& object, const Fields::Node& node, auto& visit);
  bool take(simdjson::dom::element element, const Fields::Node& node, bool in_array, auto& visit);
  void note_presence(FieldId field);
  void leave_out_the_largest(const simdjson::dom::object& document, const Fields& fields);

  // Where a field's values are, [begin, end).
  struct Place {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool is_present = false;
    bool is_too_much = false;
  };

  std::vector<FieldId> too_much_;
  std::vector<Place> places_;       // by field
  std::vector<FieldId> present_;    // those that places_ has something of
  std::vector<Found> found_;        // sorted by field, then by value
  std::vector<ScalarView> values_;  // of found_, one behind the other
};

}  // namespace millrace
