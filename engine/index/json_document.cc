#include "engine/index/json_document.h"

namespace millrace {

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// Takes the first name off the path.
ByteView take_name(ByteView& path) {
  const size_t dot = path.find('.');
  const ByteView name = path.substr(0, dot);
  path.remove_prefix(dot == ByteView::npos ? path.size() : dot + 1);
  return name;
}

void add_scalar(element value, const IndexField& field, DocumentValues& values) {
  const bool is_text = field.type == FieldType::Text;
  const auto does_not_fit = field.type == FieldType::Integer ? SkipReason::NotAnInteger : SkipReason::NotANumber;
  switch (value.type()) {
    case element_type::NULL_VALUE:
      return;
    case element_type::BOOL:
      if (!is_text) return values.skip(field.id, does_not_fit);
      return values.add(field, value.get_bool().value_unsafe() ? ByteView("true") : ByteView("false"));
    case element_type::INT64:
      return values.add(field, value.get_int64().value_unsafe());
    case element_type::UINT64:
      // Greater than any INTEGER.
      if (is_text) return values.add(field, std::to_string(value.get_uint64().value_unsafe()));
      return values.add(field, static_cast<double>(value.get_uint64().value_unsafe()));
    case element_type::DOUBLE:
      return values.add(field, value.get_double().value_unsafe());
    case element_type::STRING:
      if (!is_text) return values.skip(field.id, does_not_fit);
      return values.add(field, ByteView(value.get_string().value_unsafe()));
    case element_type::OBJECT:
    case element_type::ARRAY:
      return;
  }
}

// The values of one field in one document. Descends into arrays, up to this many elements in all.
class FieldOfJson {
 public:
  FieldOfJson(const IndexField& field, DocumentValues& values) : field_(field), values_(values) {}

  void add(element at, ByteView path) {
    if (at.is_array()) {
      const simdjson::dom::array array = at.get_array().value_unsafe();
      for (const element each : array) {
        if (elements_++ == kMaxPartsOfField) values_.skip(field_.id, SkipReason::TooMany);
        if (elements_ > kMaxPartsOfField) return;
        add(each, path);
      }
      return;
    }
    if (path.empty()) return add_scalar(at, field_, values_);
    element inner;
    const ByteView name = take_name(path);
    if (at.is_object() && at.get_object().value_unsafe().at_key(name).get(inner) == simdjson::SUCCESS) {
      add(inner, path);
    }
  }

 private:
  const IndexField& field_;
  DocumentValues& values_;
  size_t elements_ = 0;
};

}  // namespace

std::optional<SkipReason> JsonDocuments::parse(ByteView json, element& root) {
  if (json.size() > kMaxBytes) return SkipReason::TooLarge;
  // Room for a usual document at first: for the largest it is some megabytes.
  constexpr size_t kUsualBytes = 4096;
  if (parser_.max_depth() != kMaxDepth && parser_.allocate(kUsualBytes, kMaxDepth) != simdjson::SUCCESS) {
    return SkipReason::TooLarge;
  }
  if (json.empty() || parser_.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS) {
    return SkipReason::NotJson;
  }
  return std::nullopt;
}

void JsonDocuments::read(ByteView json, const IndexSchema& schema, DocumentValues& values) {
  element root;
  if (const auto reason = parse(json, root)) return values.skip(kExpiryOrder, *reason);
  for (const IndexField& field : schema.fields()) FieldOfJson(field, values).add(root, field.name);
}

namespace {

std::optional<std::string> shown_at(element at, ByteView path) {
  while (!path.empty()) {
    element inner;
    const ByteView name = take_name(path);
    if (!at.is_object() || at.get_object().value_unsafe().at_key(name).get(inner) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    at = inner;
  }
  if (at.is_null()) return std::nullopt;
  if (at.is_string()) return std::string(at.get_string().value_unsafe());
  return simdjson::minify(at);
}

}  // namespace

std::vector<std::optional<std::string>> JsonDocuments::show(ByteView json, std::span<const ByteView> paths) {
  std::vector<std::optional<std::string>> shown(paths.size());
  element root;
  if (parse(json, root)) return shown;
  for (size_t i = 0; i < paths.size(); ++i) shown[i] = shown_at(root, paths[i]);
  return shown;
}

}  // namespace millrace
