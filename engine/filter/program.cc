#include "engine/filter/program.h"

#include <algorithm>
#include <bit>

#include "engine/filter/filter_normal.h"

namespace millrace {

const char* trouble_name(Trouble trouble) {
  switch (trouble) {
    case Trouble::None:
      break;
    case Trouble::TooManyValues:
      return "too-many-values";
    case Trouble::TextTooLong:
      return "text-too-long";
    case Trouble::RegexWork:
      return "regex-work";
    case Trouble::Unreadable:
      return "unreadable";
  }
  return "none";
}

namespace {

size_t count_steps(const Filter& filter) {
  size_t count = 1 + filter.operands.size();
  for (const Filter& part : filter.parts) count += count_steps(part);
  return count;
}

}  // namespace

Program::Program(const Filter& filter, Fields& fields) {
  steps_.reserve(count_steps(filter));
  compile(filter, fields);
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

Program Program::clone() const {
  Program copy;
  copy.steps_ = steps_;
  copy.texts_ = texts_;
  return copy;
}

Program Program::of_saved(ByteView saved) {
  Program program;
  program.texts_.reserve(saved.size());
  program.texts_ = saved;
  return program;
}

Verdict Program::matches(const FieldValues& document, Evaluation& evaluation) const {
  size_t at = 0;
  return run(at, document, evaluation);
}

Verdict Program::run(size_t& at, const FieldValues& document, Evaluation& evaluation) const {
  const Step& step = steps_[at];
  if (step.what == Step::What::Condition) return run_condition(at, document, evaluation);
  const size_t end = step.number;
  ++at;
  if (step.what == Step::What::Not) {
    const Verdict part = run(at, document, evaluation);
    return part == Verdict::Unknown ? part : part == Verdict::Yes ? Verdict::No : Verdict::Yes;
  }
  const Verdict deciding = step.what == Step::What::Or ? Verdict::Yes : Verdict::No;
  Verdict verdict = deciding == Verdict::Yes ? Verdict::No : Verdict::Yes;
  while (at < end) {
    const Verdict part = run(at, document, evaluation);
    if (part == deciding) {
      at = end;
      return deciding;
    }
    if (part == Verdict::Unknown) verdict = part;
  }
  return verdict;
}

Verdict Program::run_condition(size_t& at, const FieldValues& document, Evaluation& evaluation) const {
  const auto verdict = [](bool is_so) { return is_so ? Verdict::Yes : Verdict::No; };
  const Step& step = steps_[at];
  const auto operands = std::span(steps_).subspan(at + 1, step.bits);
  at += 1 + step.bits;
  const FieldId field(step.number);
  if (step.op == Operator::Exists) return verdict(document.is_present(field) == operands.front().flag);
  // A missing field has no values, and neither has an empty array.
  const auto values = document.values(field);
  if (values.empty()) {
    if (!document.is_too_much(field)) return Verdict::No;
    evaluation.trouble = Trouble::TooManyValues;
    return Verdict::Unknown;
  }
  if (step.op == Operator::Regex) return is_found(at - 1, values, evaluation);
  return verdict(is_satisfied(step, operands, values));
}

bool Program::is_operand(std::span<const Step> operands, const ScalarView& value) const {
  return std::ranges::binary_search(operands, value, ScalarOrder(), [&](const Step& step) { return operand(step); });
}

// Operands and values are sorted and without duplicates, so long arrays and long lists cost little more than short
// ones.
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

const re2::RE2& Program::regex(size_t at) const {
  if (!regexes_) regexes_ = std::make_unique<std::map<size_t, re2::RE2>>();
  const auto known = regexes_->find(at);
  if (known != regexes_->end()) return known->second;
  return regexes_->try_emplace(at, std::string(operand(steps_[at]).text), regex_options()).first->second;
}

namespace {

// The most that a search may cost, in steps of a few nanoseconds. A small expression has few states and a constant cost
// per byte. A large one may have more states than fit in its memory; then each instruction is tried.
uint64_t search_work(const re2::RE2& regex, size_t bytes) {
  constexpr int kSmall = 20;
  const int size = regex.ProgramSize();
  return 1 + (size <= kSmall ? bytes : static_cast<uint64_t>(size) * bytes);
}

}  // namespace

Verdict Program::is_found(size_t at, std::span<const ScalarView> values, Evaluation& evaluation) const {
  const auto texts = std::ranges::equal_range(values, ScalarKind::String, {}, &ScalarView::kind);
  if (texts.empty()) return Verdict::No;
  size_t bytes = 0;
  for (const ScalarView& value : texts) bytes += value.text.size();
  if (bytes > kMaxRegexText) {
    evaluation.trouble = Trouble::TextTooLong;
    return Verdict::Unknown;
  }
  const re2::RE2& searched = regex(at);
  if (!evaluation.runs_regexes) {
    evaluation.regex_work += search_work(searched, bytes);
    return Verdict::Unknown;
  }
  const bool is_found = std::ranges::any_of(texts, [&](const ScalarView& value) {
    return re2::RE2::PartialMatch(re2::StringPiece(value.text.data(), value.text.size()), searched);
  });
  return is_found ? Verdict::Yes : Verdict::No;
}

void Program::prepare_regexes() const {
  for (size_t at = 0; at < steps_.size(); ++at) {
    if (steps_[at].what == Step::What::Condition && steps_[at].op == Operator::Regex) regex(at + 1);
  }
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
  constexpr size_t kInside = 15;  // what a std::string holds without an allocation
  uint64_t bytes = steps_.capacity() * sizeof(Step);
  if (texts_.capacity() > kInside) bytes += texts_.capacity() + 1;
  if (!regexes_) return bytes;
  // A node of a tree is about four words beside its content. What the library allocates by itself is not counted: it
  // does not come from the caller's allocator.
  constexpr size_t kNode = sizeof(std::map<size_t, re2::RE2>::value_type) + 32;
  return bytes + sizeof(*regexes_) + regexes_->size() * kNode;
}

}  // namespace millrace
