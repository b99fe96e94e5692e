// A document, parsed once, and what the fields of it hold that filters look at.
#pragma once

#include <simdjson.h>

#include <optional>
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

// What a document holds of some fields.
class FieldValues {
 public:
  // An array is as many values as it has different elements; names on the way go through
  // arrays too. Borrows from the document. Costs what the document holds of the fields. False if
  // that is more than kMaxValues.
  static constexpr size_t kMaxValues = 10'000;
  bool extract(const simdjson::dom::object& document, const Fields& fields);

  bool is_present(FieldId field) const { return field.value() < places_.size() && places_[field.value()].is_present; }
  // Sorted by ScalarOrder, no two the same.
  std::span<const ScalarView> values(FieldId field) const;

  // Regular expressions may make so much work of what follows, in instructions times bytes.
  void allow_regex_work(uint64_t work) {
    regex_work_left_ = work;
    has_run_out_ = false;
  }
  // False once there is no more left.
  bool spend_regex_work(uint64_t work) const {
    if (work > regex_work_left_) has_run_out_ = true;
    if (has_run_out_) return false;
    regex_work_left_ -= work;
    return true;
  }
  bool has_run_out_of_regex_work() const { return has_run_out_; }

  // Calls visit(field, value) for every value.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [field, value] : found_) visit(field, value);
  }

 private:
  using Found = std::pair<FieldId, ScalarView>;

  void walk(const simdjson::dom::object& object, const Fields::Node& node);
  void take(simdjson::dom::element element, const Fields::Node& node, bool in_array);
  void note_presence(FieldId field);

  // Where a field's values are, [begin, end).
  struct Place {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool is_present = false;
  };

  mutable uint64_t regex_work_left_ = UINT64_MAX;
  mutable bool has_run_out_ = false;
  std::vector<Place> places_;       // by field
  std::vector<FieldId> present_;    // those that places_ has something of
  std::vector<Found> found_;        // sorted by field, then by value
  std::vector<ScalarView> values_;  // of found_, one behind the other
};

}  // namespace millrace
