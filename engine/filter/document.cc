#include "engine/filter/document.h"

#include <algorithm>
#include <utility>

namespace millrace {

Result<simdjson::dom::object> DocumentParser::parse(ByteView json) {
  if (json.size() > kMaxBytes) return fail(ErrorCode::Range, "a document larger than 1 MiB");
  // For a usual document at first: room for the largest is some megabytes. It grows with what comes.
  constexpr size_t kUsualBytes = 4096;
  if (parser_.max_depth() != kMaxDepth && parser_.allocate(kUsualBytes, kMaxDepth) != simdjson::SUCCESS) {
    return fail(ErrorCode::NoMemory, "no memory for a document");
  }
  if (json.empty()) json = "";  // nothing has no address, and the library copies from one
  simdjson::dom::element root;
  if (const auto error = parser_.parse(json.data(), json.size()).get(root)) {
    return fail(ErrorCode::Syntax, std::string("the document is not JSON: ") + simdjson::error_message(error));
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

bool FieldValues::extract(const simdjson::dom::object& document, const Fields& fields) {
  for (FieldId field : present_) places_[field.value()] = {};
  present_.clear();
  if (places_.size() < fields.limit()) places_.resize(fields.limit());
  found_.clear();
  walk(document, fields.root());
  const bool has_room = found_.size() <= kMaxValues;
  if (!has_room) found_.resize(kMaxValues);
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
  return has_room;
}

std::span<const ScalarView> FieldValues::values(FieldId field) const {
  if (field.value() >= places_.size()) return {};
  return std::span(values_).subspan(places_[field.value()].begin,
                                    places_[field.value()].end - places_[field.value()].begin);
}

void FieldValues::walk(const simdjson::dom::object& object, const Fields::Node& node) {
  for (const auto& [name, value] : object) {
    const auto child = node.children.find(name);
    if (child != node.children.end()) take(value, *child->second, false);
  }
}

void FieldValues::note_presence(FieldId field) {
  if (std::exchange(places_[field.value()].is_present, true)) return;
  present_.push_back(field);
}

void FieldValues::take(simdjson::dom::element element, const Fields::Node& node, bool in_array) {
  if (node.field.is_some()) note_presence(node.field);
  if (element.is_array() && !in_array) {
    const simdjson::dom::array array = element.get_array().value_unsafe();
    for (simdjson::dom::element each : array) {
      if (found_.size() > kMaxValues) return;
      take(each, node, true);
    }
    return;
  }
  if (node.field.is_some()) found_.emplace_back(node.field, value_of(element));
  if (element.is_object() && !node.children.empty()) walk(element.get_object().value_unsafe(), node);
}

}  // namespace millrace
