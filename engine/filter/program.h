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

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/filter/document.h"
#include "engine/filter/fields.h"
#include "engine/filter/filter.h"

namespace millrace {

// Unknown: the filter could not be evaluated, and what could be of it does not decide.
enum class Verdict : uint8_t { No, Yes, Unknown };

// Why a filter could not be evaluated. The names are part of ROUTE.INFO.
enum class Trouble : uint8_t { None, TooManyValues, TextTooLong, RegexWork, Unreadable };
const char* trouble_name(Trouble trouble);

// One evaluation of one filter: what it may do, and what has become of it.
struct Evaluation {
  // If not, conditions with a regular expression are Unknown, and regex_work is what they may cost.
  bool runs_regexes = true;
  uint64_t regex_work = 0;
  Trouble trouble = Trouble::None;
};

class Program {
 public:
  Program() = default;
  // Uses the filter's fields; release() them when it goes.
  Program(const Filter& filter, Fields& fields);
  Program(Program&&) noexcept = default;
  Program& operator=(Program&&) noexcept = default;
  ~Program() = default;
  Program clone() const;

  // A filter that is not compiled yet, as saved_filter.h has it. REQUIRES of all below but prefetch() and memory(): it
  // is compiled
  static Program of_saved(ByteView saved);
  bool is_compiled() const { return !steps_.empty(); }
  ByteView saved() const { return texts_; }  // REQUIRES: it is not compiled

  Verdict matches(const FieldValues& document, Evaluation& evaluation) const;
  // It will be run soon.
  void prefetch() const {
    constexpr size_t kLine = 64;
    __builtin_prefetch(texts_.data());
    if (!is_compiled()) return;
    __builtin_prefetch(steps_.data());
    __builtin_prefetch(reinterpret_cast<const char*>(steps_.data()) + kLine);
  }
  // Calls visit(field, how many values) for each condition that the field has a value, or one of several.
  template <class Visit>
  void each_equality(Visit visit) const {
    for (const Step& step : steps_) {
      if (step.what != Step::What::Condition || (step.op != Operator::Eq && step.op != Operator::In)) continue;
      visit(FieldId(step.number), step.bits);
    }
  }
  // Makes its regular expressions, which else the first document that needs them does.
  void prepare_regexes() const;
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
  Verdict run(size_t& at, const FieldValues& document, Evaluation& evaluation) const;
  Verdict run_condition(size_t& at, const FieldValues& document, Evaluation& evaluation) const;
  // Whether one of the values satisfies the condition.
  bool is_satisfied(const Step& condition, std::span<const Step> operands, std::span<const ScalarView> values) const;
  bool is_operand(std::span<const Step> operands, const ScalarView& value) const;
  Verdict is_found(size_t at, std::span<const ScalarView> values, Evaluation& evaluation) const;
  const re2::RE2& regex(size_t at) const;
  Filter decompile(size_t& at, const Fields& fields) const;

  std::vector<Step> steps_;
  std::string texts_;  // or what saved() returns
  // By the step of their operand. Compiled when they are first needed: few filters have any.
  mutable std::unique_ptr<std::map<size_t, re2::RE2>> regexes_;
};

}  // namespace millrace
