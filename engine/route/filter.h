// A filter: what a document must be like. Written as JSON, kept in a normal form: filters
// that differ in the order of keys or of $and members, in white space, or in other ways that
// mean nothing, are the same filter.
//
//   {"priority": "high", "age": {"$gte": 18, "$lt": 65}}
//
//   And
//    +- age >= 18
//    +- age < 65
//    +- priority = "high"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/route/scalar.h"

namespace millrace {

enum class Operator : uint8_t { Eq, Ne, Gt, Gte, Lt, Lte, In, Nin, Exists, Regex };

// Do not change: filter ids depend on the spelling.
inline constexpr const char* kOperatorNames[] = {"$eq",  "$ne", "$gt",  "$gte",    "$lt",
                                                 "$lte", "$in", "$nin", "$exists", "$regex"};

struct Filter {
  enum class Kind : uint8_t { Condition, And, Or, Not };

  Kind kind = Kind::And;  // of nothing: every document
  // A condition on a field. Exists has a boolean, In and Nin at least two operands, all others one.
  std::string field;
  Operator op = Operator::Eq;
  std::vector<Scalar> operands;
  // And, Or: none or at least two, sorted, no two the same. Not: one.
  std::vector<Filter> parts;
};

struct FilterLimits {
  size_t bytes = 64 * 1024;
  size_t depth = 32;
  size_t regex_bytes = 1024;
};

// Failure: BadFilter, with the path to what is wrong.
Result<Filter> parse_filter(ByteView json, FilterLimits limits = {});

// The normal form as JSON; parse_filter() of it gives the same filter.
std::string filter_json(const Filter& filter);

// The same for filters that are the same, different for others: 16 bytes, from the normal form.
std::string filter_digest(ByteView normal_json);

}  // namespace millrace
