// A document that is parsed once, and the values of its fields that filters look at.
#pragma once

#include <simdjson.h>

#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/filter/fields.h"
#include "engine/filter/scalar.h"

namespace millrace {

// Reuses its memory for the next document.
class DocumentParser {
 public:
  static constexpr size_t kMaxBytes = 1024 * 1024;
  static constexpr size_t kMaxDepth = 64;

  // The JSON object. It borrows the parser's memory and is valid until the next call.
  // Failure: Syntax, with the reason.
  Result<simdjson::dom::object> parse(ByteView json);

 private:
  simdjson::dom::parser parser_{kMaxBytes};
};

// Why bytes are not JSON, for users: each version of the library has other texts.
std::string why_not_json(simdjson::error_code error);

// Whether it is JSON of any kind, within the limits of a document. Failure: Syntax, Range, with the reason.
Result<void> check_json(ByteView json);

// The values of some fields of a document.
class FieldValues {
 public:
  // An array counts as one value per element; arrays along a path are expanded too. Borrows from the document. Cost:
  // O(values of the fields in the document). If these have more than kMaxValues values together, the fields with the
  // most values are left out until the others fit: they have no values, and is_too_much() says so.
  static constexpr size_t kMaxValues = 10'000;
  void extract(const simdjson::dom::object& document, const Fields& fields);

  bool is_present(FieldId field) const { return field.value() < places_.size() && places_[field.value()].is_present; }
  bool is_too_much(FieldId field) const { return field.value() < places_.size() && places_[field.value()].is_too_much; }
  // The fields that were left out, most values first.
  std::span<const FieldId> too_much() const { return too_much_; }
  // Sorted by ScalarOrder, without duplicates.
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

  // The values of a field, [begin, end).
  struct Place {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool is_present = false;
    bool is_too_much = false;
  };

  std::vector<FieldId> too_much_;
  std::vector<Place> places_;       // by field
  std::vector<FieldId> present_;    // the fields that have values
  std::vector<Found> found_;        // sorted by field, then by value
  std::vector<ScalarView> values_;  // the values of found_, contiguous
};

}  // namespace millrace
