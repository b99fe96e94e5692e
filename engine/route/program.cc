#include "engine/route/program.h"

#include <algorithm>
#include <bit>

#include "engine/route/filter_normal.h"

namespace millrace {

Program::Program(const Filter& filter, Fields& fields) {
  compile(filter, fields);
  steps_.shrink_to_fit();
  texts_.shrink_to_fit();
}

void Program::compile(const Filter& filter, Fields& fields) {
  const size_t at = steps_.size();
  steps_.emplace_back();
  if (filter.kind == Filter::Kind::Condition) {
    steps_[at].what = Step::What::Condition;
    steps_[at].op = filter.op;
    steps_[at].number = fields.use(filter.field);
    steps_[at].bits = filter.operands.size();
    for (const Scalar& operand : filter.operands) add_operand(operand);
    if (filter.op == Operator::Regex) {
      if (!regexes_) regexes_ = std::make_unique<std::map<size_t, re2::RE2>>();
      regexes_->try_emplace(at + 1, filter.operands.front().text, regex_options());
    }
    return;
  }
  steps_[at].what = filter.kind == Filter::Kind::And  ? Step::What::And
                    : filter.kind == Filter::Kind::Or ? Step::What::Or
                                                      : Step::What::Not;
  for (const Filter& part : filter.parts) compile(part, fields);
  steps_[at].number = static_cast<uint32_t>(steps_.size());
}

void Program::add_operand(const Scalar& operand) {
  Step step;
  step.what = Step::What::Operand;
  step.kind = operand.kind;
  switch (operand.kind) {
    case ScalarKind::Null:
      break;
    case ScalarKind::Boolean:
      step.flag = operand.boolean;
      break;
    case ScalarKind::Number:
      step.flag = operand.number.is_whole();
      step.bits = step.flag ? static_cast<uint64_t>(operand.number.whole())
                            : std::bit_cast<uint64_t>(operand.number.approximate());
      break;
    case ScalarKind::String:
      step.number = static_cast<uint32_t>(operand.text.size());
      step.bits = texts_.size();
      texts_ += operand.text;
      break;
  }
  steps_.push_back(step);
}

ScalarView Program::operand(const Step& step) const {
  switch (step.kind) {
    case ScalarKind::Null:
      return {};
    case ScalarKind::Boolean:
      return ScalarView(step.flag);
    case ScalarKind::Number:
      return ScalarView(step.flag ? Number(static_cast<int64_t>(step.bits)) : Number(std::bit_cast<double>(step.bits)));
    case ScalarKind::String:
      return ScalarView(ByteView(texts_).substr(step.bits, step.number));
  }
  return {};
}

bool Program::matches(const FieldValues& document) const {
  size_t at = 0;
  return run(at, document);
}

bool Program::run(size_t& at, const FieldValues& document) const {
  const Step& step = steps_[at];
  if (step.what == Step::What::Condition) return run_condition(at, document);
  const size_t end = step.number;
  ++at;
  if (step.what == Step::What::Not) return !run(at, document);
  const bool stops_at = step.what == Step::What::Or;
  while (at < end) {
    if (run(at, document) == stops_at) {
      at = end;
      return stops_at;
    }
  }
  return !stops_at;
}

bool Program::run_condition(size_t& at, const FieldValues& document) const {
  const Step& step = steps_[at];
  const size_t first = at + 1;
  at = first + step.bits;
  if (step.op == Operator::Exists) return document.is_present(step.number) == steps_[first].flag;
  // An array matches when one of its elements does; what is missing has no values.
  return std::ranges::any_of(document.values(step.number),
                             [&](const ScalarView& value) { return satisfies(step.op, value, first, step.bits); });
}

bool Program::satisfies(Operator op, const ScalarView& value, size_t first, size_t count) const {
  const auto order = [&] { return value <=> operand(steps_[first]); };
  const auto is_one_of = [&] {
    for (size_t i = first; i < first + count; ++i) {
      if (value == operand(steps_[i])) return true;
    }
    return false;
  };
  switch (op) {
    case Operator::Eq:
    case Operator::In:
      return is_one_of();
    case Operator::Ne:
    case Operator::Nin:
      return !is_one_of();
    case Operator::Gt:
      return order() > 0;
    case Operator::Gte:
      return order() >= 0;
    case Operator::Lt:
      return order() < 0;
    case Operator::Lte:
      return order() <= 0;
    case Operator::Regex:
      return value.kind == ScalarKind::String &&
             re2::RE2::PartialMatch(re2::StringPiece(value.text.data(), value.text.size()), regexes_->at(first));
    case Operator::Exists:
      break;
  }
  return false;
}

void Program::release(Fields& fields) const {
  for (const Step& step : steps_) {
    if (step.what == Step::What::Condition) fields.release(step.number);
  }
}

Filter Program::filter(const Fields& fields) const {
  size_t at = 0;
  return decompile(at, fields);
}

Filter Program::decompile(size_t& at, const Fields& fields) const {
  const Step& step = steps_[at++];
  Filter filter;
  if (step.what == Step::What::Condition) {
    filter.kind = Filter::Kind::Condition;
    filter.field = fields.path(step.number);
    filter.op = step.op;
    for (uint64_t i = 0; i < step.bits; ++i) {
      const ScalarView view = operand(steps_[at++]);
      filter.operands.push_back({view.kind, view.boolean, view.number, std::string(view.text)});
    }
    return filter;
  }
  filter.kind = step.what == Step::What::And  ? Filter::Kind::And
                : step.what == Step::What::Or ? Filter::Kind::Or
                                              : Filter::Kind::Not;
  while (at < step.number) filter.parts.push_back(decompile(at, fields));
  return filter;
}

uint64_t Program::memory() const {
  constexpr size_t kInside = 15;       // what a std::string holds without an allocation
  constexpr size_t kRegex = 8 * 1024;  // about what a small one takes
  uint64_t bytes = steps_.capacity() * sizeof(Step);
  if (texts_.capacity() > kInside) bytes += texts_.capacity() + 1;
  if (regexes_) bytes += sizeof(*regexes_) + regexes_->size() * kRegex;
  return bytes;
}

}  // namespace millrace
