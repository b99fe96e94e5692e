// A filter is a condition on documents. It is written as JSON and stored in a normal form: filters that differ only in
// the order of keys or of $and members, in white space, or in other ways that do not change the meaning, are the same
// filter.
//
//   {"priority": "high", "age": {"$gte": 18, "$lt": 65}}
//
//   And
//    +- age >= 18
//    +- age < 65
//    +- priority = "high"
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/filter/scalar.h"

namespace millrace {

enum class Operator : uint8_t { Eq, Ne, Gt, Gte, Lt, Lte, In, Nin, Exists, Regex };

// Do not change: filter ids depend on the spelling.
inline constexpr const char* kOperatorNames[] = {"$eq",  "$ne", "$gt",  "$gte",    "$lt",
                                                 "$lte", "$in", "$nin", "$exists", "$regex"};

struct Filter {
  enum class Kind : uint8_t { Condition, And, Or, Not };

  Kind kind = Kind::And;  // And without parts matches every document
  // A condition on a field. Exists has a boolean, In at least two operands, Nin none or at least two (sorted by
  // ScalarOrder, without duplicates), all others one.
  std::string field;
  Operator op = Operator::Eq;
  std::vector<Scalar> operands;
  // And, Or: none or at least two, sorted, without duplicates. Not: one.
  std::vector<Filter> parts;
};

struct FilterLimits {
  size_t bytes = 64 * 1024;
  size_t depth = 32;
  size_t path_names = 64;         // in one path; no document is deeper
  size_t path_bytes = 64 * 1024;  // of all paths; a path counts once for each condition on it
  size_t regexes = 8;
  size_t regex_bytes = 1024;
};

// Limits for the normal form of a filter that was within FilterLimits. The normal form may be longer: it repeats the
// name of a field for each condition, writes 1e18 with its zeros, and turns the members of an object into a list of
// objects.
inline constexpr FilterLimits kNormalFormLimits = {.bytes = 1024 * 1024, .depth = 2 * FilterLimits().depth + 2};

// Failure: BadFilter, with the path to the part that is invalid.
Result<Filter> parse_filter(ByteView json, FilterLimits limits = {});
// The same, and its filter_json(), which is known by then.
struct WrittenFilter {
  Filter filter;
  std::string json;
};
Result<WrittenFilter> parse_and_write_filter(ByteView json, FilterLimits limits = {});

// The normal form as JSON; parse_filter() of it, with kNormalFormLimits, gives the same filter.
std::string filter_json(const Filter& filter);

// A digest of the normal form: equal for equal filters, different for different ones.
using FilterDigest = std::array<char, 16>;
FilterDigest filter_digest(ByteView normal_json);

}  // namespace millrace
