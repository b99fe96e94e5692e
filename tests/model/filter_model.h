// Filters evaluated as a reader of the specification would do it: on trees, with loops, without a normal form, a
// program or an index.
#pragma once

#include <re2/re2.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/bytes.h"

namespace millrace::testing {

struct Json {
  enum class Kind { Null, Boolean, Number, String, Array, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  long double number = 0;  // exact for 64-bit integers and for doubles
  std::string text;
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  static Json of(bool value) { return {.kind = Kind::Boolean, .boolean = value}; }
  static Json of(long double value) { return {.kind = Kind::Number, .number = value}; }
  static Json of(std::string value) { return {.kind = Kind::String, .text = std::move(value)}; }
  static Json array(std::vector<Json> items = {}) { return {.kind = Kind::Array, .items = std::move(items)}; }
  static Json object(std::vector<std::pair<std::string, Json>> members = {}) {
    return {.kind = Kind::Object, .members = std::move(members)};
  }
  bool is(Kind what) const { return kind == what; }
};

inline Json json_of(simdjson::dom::element element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::NULL_VALUE:
      return {};
    case Type::BOOL:
      return Json::of(bool{element.get_bool().value_unsafe()});
    case Type::INT64:
      return Json::of(static_cast<long double>(element.get_int64().value_unsafe()));
    case Type::UINT64:
      // Signed 64-bit integers are exact; UINT64 are larger ones.
      return Json::of(static_cast<long double>(static_cast<double>(element.get_uint64().value_unsafe())));
    case Type::DOUBLE:
      return Json::of(static_cast<long double>(element.get_double().value_unsafe()));
    case Type::STRING:
      return Json::of(std::string(element.get_string().value_unsafe()));
    case Type::ARRAY: {
      Json json = Json::array();
      const simdjson::dom::array array = element.get_array().value();
      for (simdjson::dom::element each : array) json.items.push_back(json_of(each));
      return json;
    }
    case Type::OBJECT: {
      Json json = Json::object();
      const simdjson::dom::object object = element.get_object().value();
      for (const auto& [name, value] : object) json.members.emplace_back(name, json_of(value));
      return json;
    }
  }
  return {};
}

// REQUIRES: JSON
inline Json parse_json(ByteView text) {
  simdjson::dom::parser parser;
  return json_of(parser.parse(text.data(), text.size()).value());
}

class FilterModel {
 public:
  // REQUIRES: a filter that is accepted.
  static bool matches(const Json& filter, const Json& document) {
    return std::ranges::all_of(filter.members, [&](const auto& member) {
      const auto& [key, value] = member;
      const auto holds = [&](const Json& part) { return matches(part, document); };
      if (key == "$not") return !holds(value);
      if (key == "$and" || (key == "and" && value.is(Json::Kind::Array))) {
        return std::ranges::all_of(value.items, holds);
      }
      if (key == "$or" || (key == "or" && value.is(Json::Kind::Array))) return std::ranges::any_of(value.items, holds);
      return field_matches(look_up(document, key), value);
    });
  }

 private:
  struct Field {
    bool exists = false;
    std::vector<const Json*> values;
  };

  static Field look_up(const Json& document, const std::string& path) {
    Field field;
    go_down(document, path, field);
    return field;
  }

  static void go_down(const Json& object, const std::string& path, Field& field) {
    const size_t dot = path.find('.');
    for (const auto& [name, value] : object.members) {
      if (name != path.substr(0, dot)) continue;
      std::vector<const Json*> all{&value};
      if (value.is(Json::Kind::Array)) {
        all.clear();
        for (const Json& item : value.items) all.push_back(&item);
      }
      if (dot == std::string::npos) {
        field.exists = true;
        field.values.insert(field.values.end(), all.begin(), all.end());
        continue;
      }
      for (const Json* each : all) {
        if (each->is(Json::Kind::Object)) go_down(*each, path.substr(dot + 1), field);
      }
    }
  }

  static bool field_matches(const Field& field, const Json& wanted) {
    if (!wanted.is(Json::Kind::Object)) return compares(field, "eq", wanted);
    return std::ranges::all_of(wanted.members, [&](const auto& member) {
      const std::string name = member.first.starts_with('$') ? member.first.substr(1) : member.first;
      return name == "not" ? !field_matches(field, member.second) : compares(field, name, member.second);
    });
  }

  static bool compares(const Field& field, const std::string& name, const Json& operand) {
    if (name == "exists") return field.exists == operand.boolean;
    return std::ranges::any_of(field.values, [&](const Json* value) { return compares(*value, name, operand); });
  }

  static bool compares(const Json& value, const std::string& name, const Json& operand) {
    const auto is_one_of = [&] {
      return std::ranges::any_of(operand.items, [&](const Json& each) { return equal(value, each); });
    };
    if (name == "eq") return equal(value, operand);
    if (name == "ne") return !equal(value, operand);
    if (name == "in") return is_one_of();
    if (name == "nin") return !is_one_of();
    if (name == "regex") return value.is(Json::Kind::String) && re2::RE2::PartialMatch(value.text, operand.text);
    if (name == "gt") return below(operand, value);
    if (name == "lt") return below(value, operand);
    if (name == "gte") return below(operand, value) || equal(value, operand);
    if (name == "lte") return below(value, operand) || equal(value, operand);
    throw std::logic_error("the model does not know " + name);
  }

  static bool equal(const Json& a, const Json& b) {
    if (a.kind != b.kind || a.is(Json::Kind::Array) || a.is(Json::Kind::Object)) return false;
    return a.boolean == b.boolean && a.number == b.number && a.text == b.text;
  }

  static bool below(const Json& a, const Json& b) {
    if (a.kind != b.kind) return false;
    if (a.is(Json::Kind::Number)) return a.number < b.number;
    return a.is(Json::Kind::String) && a.text < b.text;
  }
};

}  // namespace millrace::testing
