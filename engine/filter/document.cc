#include "engine/filter/document.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace millrace {

std::string why_not_json(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return "not JSON: no JSON found";
    case simdjson::DEPTH_ERROR:
      return "not JSON: too many nested objects and arrays";
    case simdjson::UTF8_ERROR:
      return "not JSON: bytes that are not UTF-8";
    case simdjson::MEMALLOC:
      return "not JSON: no memory to read it";
    default:
      return "not JSON: missing or superfluous commas, braces or quotes, or something that is no value";
  }
}

Result<void> check_json(ByteView json) {
  if (json.size() > DocumentParser::kMaxBytes) return fail(ErrorCode::Range, "larger than 1 MiB");
  if (json.empty()) json = "";
  simdjson::dom::parser parser;
  const auto allocated = parser.allocate(std::max<size_t>(json.size(), 64), DocumentParser::kMaxDepth + 1);
  const auto error = allocated != simdjson::SUCCESS ? allocated : parser.parse(json.data(), json.size()).error();
  if (error != simdjson::SUCCESS) return fail(ErrorCode::Syntax, why_not_json(error));
  return {};
}

Result<simdjson::dom::object> DocumentParser::parse(ByteView json) {
  if (json.size() > kMaxBytes) return fail(ErrorCode::Range, "a document larger than 1 MiB");
  // Initially enough for a usual document: memory for the largest one is some megabytes. It grows when needed.
  constexpr size_t kUsualBytes = 4096;
  // The library refuses documents that reach its limit.
  constexpr size_t kRefusedDepth = kMaxDepth + 1;
  if (parser_.max_depth() != kRefusedDepth && parser_.allocate(kUsualBytes, kRefusedDepth) != simdjson::SUCCESS) {
    return fail(ErrorCode::NoMemory, "no memory for a document");
  }
  if (json.empty()) json = "";  // an empty view may be null, and the library copies from its address
  simdjson::dom::element root;
  if (const auto error = parser_.parse(json.data(), json.size()).get(root)) {
    return fail(ErrorCode::Syntax, "the document is " + why_not_json(error));
  }
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) return fail(ErrorCode::Syntax, "the document is not a JSON object");
  return object;
}

namespace {

ScalarView value_of(simdjson::dom::element element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::NULL_VALUE:
      return {};
    case Type::BOOL:
      return ScalarView(element.get_bool().value_unsafe());
    case Type::INT64:
      return ScalarView(Number(element.get_int64().value_unsafe()));
    case Type::UINT64:
      return ScalarView(Number(static_cast<double>(element.get_uint64().value_unsafe())));
    case Type::DOUBLE:
      return ScalarView(Number(element.get_double().value_unsafe()));
    case Type::STRING:
      return ScalarView(ByteView(element.get_string().value_unsafe()));
    case Type::OBJECT:
    case Type::ARRAY:
      break;
  }
  return ScalarView(ScalarKind::Nested);
}

}  // namespace

void FieldValues::extract(const simdjson::dom::object& document, const Fields& fields) {
  for (FieldId field : present_) places_[field.value()] = {};
  present_.clear();
  too_much_.clear();
  if (places_.size() < fields.limit()) places_.resize(fields.limit());
  found_.clear();
  auto collect = [&](FieldId field, const simdjson::dom::element& element) {
    if (!is_too_much(field)) found_.emplace_back(field, value_of(element));
    return found_.size() <= kMaxValues;
  };
  if (!walk(document, fields.root(), collect)) {
    leave_out_the_largest(document, fields);
    found_.clear();
    walk(document, fields.root(), collect);
  }
  std::ranges::sort(found_, [](const Found& a, const Found& b) {
    return a.first != b.first ? a.first < b.first : ScalarOrder()(a.second, b.second);
  });
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  values_.clear();
  for (const auto& [field, value] : found_) {
    Place& place = places_[field.value()];
    if (place.end == 0) place.begin = static_cast<uint32_t>(values_.size());
    values_.push_back(value);
    place.end = static_cast<uint32_t>(values_.size());
  }
}

void FieldValues::leave_out_the_largest(const simdjson::dom::object& document, const Fields& fields) {
  std::vector<size_t> counts(fields.limit());
  size_t sum = 0;
  auto count = [&](FieldId field, const simdjson::dom::element&) {
    ++counts[field.value()];
    ++sum;
    return true;
  };
  walk(document, fields.root(), count);
  std::vector<std::pair<size_t, FieldId>> largest;
  for (FieldId field : present_) largest.emplace_back(counts[field.value()], field);
  std::ranges::sort(largest, std::ranges::greater());
  for (const auto& [values, field] : largest) {
    if (sum <= kMaxValues) return;
    too_much_.push_back(field);
    places_[field.value()].is_too_much = true;
    sum -= values;
  }
}

std::span<const ScalarView> FieldValues::values(FieldId field) const {
  if (field.value() >= places_.size()) return {};
  return std::span(values_).subspan(places_[field.value()].begin,
                                    places_[field.value()].end - places_[field.value()].begin);
}

bool FieldValues::walk(const simdjson::dom::object& object, const Fields::Node& node, auto& visit) {
  for (const auto& [name, value] : object) {
    const Fields::Node* child = node.child(name);
    if (child != nullptr && !take(value, *child, false, visit)) return false;
  }
  return true;
}

void FieldValues::note_presence(FieldId field) {
  if (std::exchange(places_[field.value()].is_present, true)) return;
  present_.push_back(field);
}

bool FieldValues::take(simdjson::dom::element element, const Fields::Node& node, bool in_array, auto& visit) {
  if (node.field.is_some()) note_presence(node.field);
  if (element.is_array() && !in_array) {
    const simdjson::dom::array array = element.get_array().value_unsafe();
    for (simdjson::dom::element each : array) {
      if (!take(each, node, true, visit)) return false;
    }
    return true;
  }
  if (node.field.is_some() && !visit(node.field, element)) return false;
  if (!element.is_object() || node.children == nullptr) return true;
  return walk(element.get_object().value_unsafe(), node, visit);
}

}  // namespace millrace
