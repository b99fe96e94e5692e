// A filter compiled for the fields of a channel, to be run against documents. Compact, because there may be a hundred
// thousand of them.
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

// Unknown: a part of the filter could not be evaluated, and the other parts do not decide the result.
enum class Verdict : uint8_t { No, Yes, Unknown };

// Why a filter could not be evaluated. The names are part of ROUTE.INFO.
enum class Trouble : uint8_t { None, TooManyValues, TextTooLong, RegexWork, Unreadable };
const char* trouble_name(Trouble trouble);

// One evaluation of one filter: its options and its result.
struct Evaluation {
  // If false, conditions with a regular expression are Unknown, and regex_work is the most that they may cost.
  bool runs_regexes = true;
  uint64_t regex_work = 0;
  Trouble trouble = Trouble::None;
};

class Program {
 public:
  Program() = default;
  // Uses the filter's fields; call release() before it is destroyed.
  Program(const Filter& filter, Fields& fields);
  Program(Program&&) noexcept = default;
  Program& operator=(Program&&) noexcept = default;
  ~Program() = default;
  Program clone() const;

  // A filter that is not compiled yet, in the format of saved_filter.h. REQUIRES for all functions below except
  // prefetch() and memory(): it is compiled
  static Program of_saved(ByteView saved);
  bool is_compiled() const { return !steps_.empty(); }
  ByteView saved() const { return texts_; }  // REQUIRES: it is not compiled

  Verdict matches(const FieldValues& document, Evaluation& evaluation) const;
  // A hint that the program will be run soon.
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
  // Compiles its regular expressions now instead of when a document first needs them.
  void prepare_regexes() const;
  size_t count_regexes() const { return regexes_ ? regexes_->size() : 0; }  // compiled ones
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
    uint32_t number = 0;                 // And, Or, Not: the step after the last part. Condition: the field. An Operand
                                         // that is a string: its size
    uint64_t bits = 0;                   // Condition: how many operands follow. Operand: its value, or where
                                         // its text is
  };

  void compile(const Filter& filter, Fields& fields);
  void add_operand(const Scalar& operand);
  ScalarView operand(const Step& step) const;
  // Each moves `at` to the step after those it has read.
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
  // By the step of their operand. Compiled when first needed, because few filters have any.
  mutable std::unique_ptr<std::map<size_t, re2::RE2>> regexes_;
};

}  // namespace millrace
