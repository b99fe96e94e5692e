// A filter compiled for the fields of a channel: what is run against documents. Compact,
// because there are a hundred thousand of them.
//
//   And  (to 5)
//   age >= 18
//   age < 65
//   priority in 2
//     "high"
//     "urgent"
#pragma once

#include <re2/re2.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/filter/document.h"
#include "engine/filter/fields.h"
#include "engine/filter/filter.h"

namespace millrace {

class Program {
 public:
  Program() = default;
  // Uses the filter's fields; release() them when it goes.
  Program(const Filter& filter, Fields& fields);

  bool matches(const FieldValues& document) const;
  // It will be run soon.
  void prefetch() const {
    constexpr size_t kLine = 64;
    __builtin_prefetch(steps_.data());
    __builtin_prefetch(reinterpret_cast<const char*>(steps_.data()) + kLine);
    __builtin_prefetch(texts_.data());
  }
  void release(Fields& fields) const;

  // The filter it was compiled from.
  Filter filter(const Fields& fields) const;

  uint64_t memory() const;

 private:
  struct Step {
    enum class What : uint8_t { And, Or, Not, Condition, Operand };
    What what = What::And;
    Operator op = Operator::Eq;          // of a Condition
    ScalarKind kind = ScalarKind::Null;  // of an Operand
    bool flag = false;                   // a boolean's value; whether a number is whole
    uint32_t number = 0;                 // And, Or, Not: the step behind the last part. Condition: the field.
                                         // An Operand that is a string: its size
    uint64_t bits = 0;                   // Condition: how many operands follow. Operand: its value, or where
                                         // its text is
  };

  void compile(const Filter& filter, Fields& fields);
  void add_operand(const Scalar& operand);
  ScalarView operand(const Step& step) const;
  // Each takes `at` behind what it has read.
  bool run(size_t& at, const FieldValues& document) const;
  bool run_condition(size_t& at, const FieldValues& document) const;
  // Whether one of the values satisfies the condition.
  bool is_satisfied(const Step& condition, std::span<const Step> operands, std::span<const ScalarView> values) const;
  bool is_operand(std::span<const Step> operands, const ScalarView& value) const;
  bool is_found(size_t at, std::span<const ScalarView> values, const FieldValues& document) const;
  Filter decompile(size_t& at, const Fields& fields) const;

  std::vector<Step> steps_;
  std::string texts_;
  // Few filters have any.
  std::unique_ptr<std::map<size_t, re2::RE2>> regexes_;  // by the step of their operand
};

}  // namespace millrace
