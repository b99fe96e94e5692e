#include "engine/index/document_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "engine/base/case_folding.h"
#include "engine/index/index_keys.h"

namespace millrace {

namespace {

template <class Value>
std::optional<Value> parse_number(ByteView text) {
  // As the host's own commands: "+1" is no integer, and "+inf" is a number.
  if constexpr (std::is_same_v<Value, double>) {
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  }
  Value value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

const char* text_of(SkipReason reason) {
  switch (reason) {
    case SkipReason::NotAnInteger:
      return "not an integer";
    case SkipReason::NotANumber:
      return "not a number";
    case SkipReason::TooLong:
      return "longer than 1024 bytes";
    case SkipReason::TooMany:
      return "more than 1000 values";
    case SkipReason::NotJson:
      return "not JSON";
    case SkipReason::TooLarge:
      return "larger than 1 MiB";
  }
  return "";
}

std::optional<SkipReason> append_key(std::string& to, const IndexField& field, ByteView text) {
  switch (field.type) {
    case FieldType::Integer: {
      const auto value = parse_number<int64_t>(text);
      if (!value) return SkipReason::NotAnInteger;
      append_integer_key(to, *value);
      break;
    }
    case FieldType::Number: {
      const auto value = parse_number<double>(text);
      if (!value || std::isnan(*value)) return SkipReason::NotANumber;
      append_number_key(to, *value);
      break;
    }
    case FieldType::Text:
      if (text.size() > kMaxIndexedText) return SkipReason::TooLong;
      field.ignores_case ? append_text_key(to, fold_case(text)) : append_text_key(to, text);
      break;
  }
  return std::nullopt;
}

std::string take_value(const IndexField& field, ByteView& bytes) {
  if (field.type == FieldType::Text) return take_text(bytes);
  char text[32];
  char* end = text;
  if (field.type == FieldType::Integer) {
    end = std::to_chars(text, std::end(text), integer_of_key(bytes)).ptr;
  } else {
    end = std::to_chars(text, std::end(text), number_of_key(bytes)).ptr;
  }
  bytes.remove_prefix(kNumberKeyBytes);
  return {text, end};
}

void DocumentValues::clear() {
  values.clear();
  skipped.clear();
  expires_at.reset();
}

void DocumentValues::add_one(const IndexField& field, ByteView text) {
  DocumentValue& value = values.emplace_back();
  value.field = field.id;
  if (const auto reason = append_key(value.key, field, text)) {
    values.pop_back();
    skip(field.id, *reason);
  }
}

void DocumentValues::add(const IndexField& field, ByteView text) {
  if (field.separator.empty()) return add_one(field, text);
  if (text.size() > kMaxSplitText) return skip(field.id, SkipReason::TooLarge);
  size_t parts = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(field.separator), text.size());
    if (end > 0) {
      // Many of them may be equal; finish() checks whether there are too many different ones.
      if (++parts > kMaxPartsOfField) return skip(field.id, SkipReason::TooMany);
      add_one(field, text.substr(0, end));
    }
    text.remove_prefix(std::min(end + field.separator.size(), text.size()));
  }
}

void DocumentValues::add(const IndexField& field, int64_t whole) {
  if (field.type == FieldType::Integer) {
    append_integer_key(values.emplace_back(field.id, std::string()).key, whole);
  } else if (field.type == FieldType::Number) {
    append_number_key(values.emplace_back(field.id, std::string()).key, static_cast<double>(whole));
  } else {
    add_one(field, std::to_string(whole));
  }
}

void DocumentValues::add(const IndexField& field, double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: up to here doubles are exact
  if (field.type == FieldType::Number) {
    append_number_key(values.emplace_back(field.id, std::string()).key, number);
  } else if (number == std::trunc(number) && std::abs(number) <= kExact) {
    add(field, static_cast<int64_t>(number));
  } else if (field.type == FieldType::Integer) {
    skip(field.id, SkipReason::NotAnInteger);
  } else {
    char text[32];
    add_one(field, {text, std::to_chars(text, std::end(text), number).ptr});
  }
}

void DocumentValues::finish() {
  if (values.size() > 1) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() > kMaxValuesOfField) {
      for (auto begin = values.begin(); begin != values.end();) {
        const OrderId field = begin->field;
        const auto end =
            std::find_if(begin, values.end(), [&](const DocumentValue& each) { return each.field != field; });
        if (static_cast<size_t>(end - begin) <= kMaxValuesOfField) {
          begin = end;
        } else {
          skip(field, SkipReason::TooMany);
          begin = values.erase(begin, end);
        }
      }
    }
  }
  std::ranges::sort(skipped);
  skipped.erase(std::unique(skipped.begin(), skipped.end()), skipped.end());
}

}  // namespace millrace
