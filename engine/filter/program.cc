#include "engine/filter/program.h"

#include <algorithm>
#include <bit>

#include "engine/filter/filter_normal.h"

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
    steps_[at].number = fields.use(filter.field).value();
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
    case ScalarKind::Nested:
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
    case ScalarKind::Nested:
      break;
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
  const auto operands = std::span(steps_).subspan(at + 1, step.bits);
  at += 1 + step.bits;
  if (step.op == Operator::Exists) return document.is_present(FieldId(step.number)) == operands.front().flag;
  // What is missing has no values, and an empty array has none either.
  const auto values = document.values(FieldId(step.number));
  if (values.empty()) return false;
  if (step.op == Operator::Regex) return is_found(at - 1, values, document);
  return is_satisfied(step, operands, values);
}

bool Program::is_operand(std::span<const Step> operands, const ScalarView& value) const {
  return std::ranges::binary_search(operands, value, ScalarOrder(), [&](const Step& step) { return operand(step); });
}

// Operands and values are sorted, and no two of either are the same: long arrays and long lists
// cost little more than short ones.
bool Program::is_satisfied(const Step& condition, std::span<const Step> operands,
                           std::span<const ScalarView> values) const {
  const auto is_value = [&](const Step& step) {
    return std::ranges::binary_search(values, operand(step), ScalarOrder());
  };
  const auto is_one_of_them = [&](const ScalarView& value) { return is_operand(operands, value); };
  switch (condition.op) {
    case Operator::Eq:
    case Operator::In:
      return operands.size() < values.size() ? std::ranges::any_of(operands, is_value)
                                             : std::ranges::any_of(values, is_one_of_them);
    case Operator::Ne:
    case Operator::Nin:
      return values.size() > operands.size() || !std::ranges::all_of(values, is_one_of_them);
    default:
      break;
  }
  const ScalarView border = operand(operands.front());
  const auto comparable = std::ranges::equal_range(values, border.kind, {}, &ScalarView::kind);
  if (comparable.empty()) return false;
  switch (condition.op) {
    case Operator::Gt:
      return comparable.back() > border;
    case Operator::Gte:
      return comparable.back() >= border;
    case Operator::Lt:
      return comparable.front() < border;
    default:
      return comparable.front() <= border;
  }
}

bool Program::is_found(size_t at, std::span<const ScalarView> values, const FieldValues& document) const {
  const auto texts = std::ranges::equal_range(values, ScalarKind::String, {}, &ScalarView::kind);
  size_t bytes = 0;
  for (const ScalarView& value : texts) bytes += value.text.size();
  if (bytes > kMaxRegexText) return false;
  const re2::RE2& regex = regexes_->at(at);
  if (!document.spend_regex_work(static_cast<uint64_t>(regex.ProgramSize()) * bytes)) return false;
  return std::ranges::any_of(texts, [&](const ScalarView& value) {
    return re2::RE2::PartialMatch(re2::StringPiece(value.text.data(), value.text.size()), regex);
  });
}

void Program::release(Fields& fields) const {
  for (const Step& step : steps_) {
    if (step.what == Step::What::Condition) fields.release(FieldId(step.number));
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
    filter.field = fields.path(FieldId(step.number));
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
