#include "engine/route/document.h"

#include <algorithm>

namespace millrace {

Result<simdjson::dom::object> DocumentParser::parse(ByteView json) {
  if (json.size() > kMaxBytes) return fail(ErrorCode::Range, "a document larger than 1 MiB");
  if (parser_.max_depth() != kMaxDepth && parser_.allocate(kMaxBytes, kMaxDepth) != simdjson::SUCCESS) {
    return fail(ErrorCode::NoMemory, "no memory for a document");
  }
  simdjson::dom::element root;
  if (const auto error = parser_.parse(json.data(), json.size()).get(root)) {
    return fail(ErrorCode::Syntax, std::string("the document is not JSON: ") + simdjson::error_message(error));
  }
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) return fail(ErrorCode::Syntax, "the document is not a JSON object");
  return object;
}

namespace {

// Nothing for objects and arrays.
std::optional<ScalarView> scalar_of(simdjson::dom::element element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::NULL_VALUE:
      return ScalarView();
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
    default:
      return std::nullopt;
  }
}

}  // namespace

void FieldValues::extract(const simdjson::dom::object& document, const Fields& fields) {
  present_.assign(fields.limit(), false);
  found_.clear();
  walk(document, fields.root());
  std::ranges::stable_sort(found_, {}, &Found::first);
  values_.clear();
  ends_.assign(fields.limit(), 0);
  for (const auto& [field, value] : found_) {
    values_.push_back(value);
    ends_[field] = static_cast<uint32_t>(values_.size());
  }
  for (size_t i = 1; i < ends_.size(); ++i) ends_[i] = std::max(ends_[i], ends_[i - 1]);
}

std::span<const ScalarView> FieldValues::values(FieldId field) const {
  if (field >= ends_.size()) return {};
  const uint32_t begin = field == 0 ? 0 : ends_[field - 1];
  return std::span(values_).subspan(begin, ends_[field] - begin);
}

void FieldValues::walk(const simdjson::dom::object& object, const Fields::Node& node) {
  for (const auto& [name, value] : object) {
    const auto child = node.children.find(name);
    if (child != node.children.end()) take(value, *child->second, false);
  }
}

void FieldValues::take(simdjson::dom::element element, const Fields::Node& node, bool in_array) {
  if (element.is_array() && !in_array) {
    if (node.field != kNoField) present_[node.field] = true;
    for (simdjson::dom::element each : element.get_array().value_unsafe()) take(each, node, true);
    return;
  }
  if (node.field != kNoField) {
    present_[node.field] = true;
    if (const auto value = scalar_of(element)) found_.emplace_back(node.field, *value);
  }
  if (element.is_object() && !node.children.empty()) walk(element.get_object().value_unsafe(), node);
}

}  // namespace millrace
