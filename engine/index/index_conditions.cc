#include "engine/index/index_conditions.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/base/case_folding.h"
#include "engine/base/quoted.h"
#include "engine/index/document_values.h"

namespace millrace {

namespace {

Result<std::string> key_of_operand(const IndexField& field, ByteView operand) {
  std::string key;
  if (const auto reason = append_key(key, field, operand)) {
    return fail(ErrorCode::Range,
                "the value " + quoted(operand) + " of " + quoted(field.name) + " is " + text_of(*reason));
  }
  return key;
}

Result<KeyRanges> prefix_ranges(const IndexField& field, ByteView prefix) {
  if (field.type != FieldType::Text) {
    return fail(ErrorCode::Range, "PREFIX is for TEXT, and " + quoted(field.name) + " is not");
  }
  KeyRange range;
  append_text_prefix(range.from, field.ignores_case ? ByteView(fold_case(prefix)) : prefix);
  range.to = after(range.from);
  return KeyRanges{range};
}

}  // namespace

bool is_point(const IndexField& field, const KeyRanges& ranges) {
  if (ranges.size() != 1 || ranges.front().from.empty() || ranges.front().to != after(ranges.front().from)) {
    return false;
  }
  const std::string& from = ranges.front().from;
  return field.type == FieldType::Text ? from.back() == '\0' : from.size() == kNumberKeyBytes;
}

Result<KeyRanges> ranges_of_condition(const IndexField& field, const FieldCondition& condition) {
  using enum FieldCondition::Operator;
  if (condition.relation == Prefix) return prefix_ranges(field, condition.operands.front());
  std::vector<std::string> keys;
  for (const ByteView operand : condition.operands) {
    auto key = key_of_operand(field, operand);
    if (!key) return std::unexpected(key.error());
    keys.push_back(std::move(*key));
  }
  KeyRanges ranges;
  switch (condition.relation) {
    case Less:
      ranges = {{"", keys[0]}};
      break;
    case AtMost:
      ranges = {{"", after(keys[0])}};
      break;
    case Greater:
      ranges = {{after(keys[0]), ""}};
      break;
    case AtLeast:
      ranges = {{keys[0], ""}};
      break;
    case Between:
      ranges = {{keys[0], after(keys[1])}};
      break;
    default:
      for (const std::string& key : keys) ranges.push_back({key, after(key)});
      break;
  }
  // If the operand is the greatest INTEGER or NUMBER, nothing is greater.
  if (condition.relation == Greater && ranges.front().from.empty()) return KeyRanges();
  return normal_form(std::move(ranges));
}

}  // namespace millrace
