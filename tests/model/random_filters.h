// Random filters and documents that match with some probability, and the same filter written in another way.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "tests/model/filter_model.h"
#include "tests/model/seeds.h"

namespace millrace::testing {

class RandomFilters {
 public:
  explicit RandomFilters(uint64_t seed) : random_(seed) {}

  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }

  Json filter(int depth = 3) {
    Json filter = Json::object();
    for (uint64_t i = between(depth == 3 ? 1 : 0, 3); i > 0; --i) {
      if (depth == 0 || !chance(3)) {
        add_member(filter, some(kPaths), field_filter(depth));
      } else if (chance(3)) {
        add_member(filter, "$not", this->filter(depth - 1));
      } else {
        Json list = Json::array();
        for (uint64_t parts = between(1, 3); parts > 0; --parts) list.items.push_back(this->filter(depth - 1));
        add_member(filter, chance(2) ? "$and" : "$or", std::move(list));
      }
    }
    return filter;
  }

  Json document() {
    Json document = object(2);
    for (const char* name : {"a", "b", "n", "tags"}) {
      if (!chance(4)) document.members.emplace_back(name, field_value(2));
    }
    return document;
  }

  // The same filter, written in another way.
  Json rewritten(const Json& filter) {
    Json members = Json::object();
    for (const auto& [key, value] : filter.members) {
      if (key == "$not") {
        members.members.emplace_back(key, rewritten(value));
      } else if (key.starts_with('$')) {
        members.members.emplace_back(chance(3) ? key.substr(1) : key, rewritten_list(value));
      } else {
        members.members.emplace_back(key, rewritten_field(value));
      }
    }
    std::ranges::shuffle(members.members, random_);
    if (chance(6)) return Json::object({{"$not", Json::object({{"$not", members}})}});
    if (chance(6)) return Json::object({{chance(2) ? "$and" : "$or", Json::array({members})}});
    return chance(4) ? one_by_one(members) : members;
  }

  // As JSON, with spaces in random places, and with characters and numbers in any valid spelling.
  std::string text(const Json& json) {
    switch (json.kind) {
      case Json::Kind::Null:
        return "null";
      case Json::Kind::Boolean:
        return json.boolean ? "true" : "false";
      case Json::Kind::Number:
        return number(json.number);
      case Json::Kind::String:
        return quoted(json.text);
      case Json::Kind::Array: {
        std::string list;
        for (const Json& item : json.items) list += (list.empty() ? "" : ",") + space() + text(item) + space();
        return "[" + list + space() + "]";
      }
      case Json::Kind::Object: {
        std::string list;
        for (const auto& [name, value] : json.members) {
          list += (list.empty() ? "" : ",") + space() + quoted(name) + space() + ":" + space() + text(value);
        }
        return "{" + list + space() + "}";
      }
    }
    return {};
  }

 private:
  static constexpr const char* kPaths[] = {
      "a", "b", "n", "tags", "a.x", "b.x", "a.x.y", "tags.x", "gr\xc3\xb6\xc3\x9f e"};
  static constexpr const char* kNames[] = {"x", "y", "a", "gr\xc3\xb6\xc3\x9f e"};
  static constexpr const char* kTexts[] = {"", "a", "b", "ab", "B", "1", "\xc3\xa9", "a\nb", "\"\\"};
  static constexpr const char* kRegexes[] = {"a", "^a", "b$", "^.$", "[0-9]", "", "(a|B)+"};
  static constexpr long double kNumbers[] = {
      0, 1, 2, 3, -1, 1.5L, 0.1L, 9007199254740992.0L, 9007199254740993.0L, 1e18L, -1e18L, 1e19L, 1e300L, -1e300L};

  template <class T, size_t size>
  T some(const T (&list)[size]) {
    return list[random_() % size];
  }

  Json scalar() {
    switch (between(0, 7)) {
      case 0:
        return {};
      case 1:
        return Json::of(chance(2));
      case 2:
      case 3:
      case 4:
        return ordered(true);
      default:
        return ordered(false);
    }
  }
  Json ordered(bool is_number) {
    if (!is_number) return Json::of(std::string(some(kTexts)));
    const long double value = some(kNumbers);
    return Json::of(is_exact(value) ? value : static_cast<long double>(static_cast<double>(value)));
  }

  // A number has the precision of a double, unless it is a 64-bit integer.
  static bool is_exact(long double value) { return value == std::trunc(value) && std::fabs(value) < 9e18L; }

  void add_member(Json& object, const std::string& name, Json value) {
    const bool is_there = std::ranges::any_of(object.members, [&](const auto& member) { return member.first == name; });
    if (!is_there) object.members.emplace_back(name, std::move(value));
  }

  Json field_filter(int depth) {
    if (chance(4)) return scalar();
    Json operators = Json::object();
    for (uint64_t i = between(1, 2); i > 0; --i) add_operator(operators, depth);
    return operators;
  }

  void add_operator(Json& operators, int depth) {
    constexpr const char* kOrders[] = {"$gt", "$gte", "$lt", "$lte"};
    switch (between(0, 7)) {
      case 0:
        return add_member(operators, chance(2) ? "$eq" : "$ne", scalar());
      case 1:
      case 2:
      case 3:
        return add_member(operators, some(kOrders), ordered(!chance(4)));
      case 4:
      case 5: {
        Json list = Json::array();
        for (uint64_t i = between(0, 4); i > 0; --i) list.items.push_back(scalar());
        return add_member(operators, chance(2) ? "$in" : "$nin", std::move(list));
      }
      case 6:
        return chance(2) ? add_member(operators, "$exists", Json::of(chance(2)))
                         : add_member(operators, "$regex", Json::of(std::string(some(kRegexes))));
      default:
        return add_member(operators, "$not", depth > 0 ? field_filter(depth - 1) : scalar());
    }
  }

  Json field_value(int depth) {
    if (depth == 0 || chance(2)) return scalar();
    if (chance(2)) return object(depth - 1);
    Json list = Json::array();
    for (uint64_t i = between(0, 4); i > 0; --i) list.items.push_back(chance(3) ? field_value(depth - 1) : scalar());
    return list;
  }

  Json object(int depth) {
    Json object = Json::object();
    for (uint64_t i = between(0, 2); i > 0; --i) object.members.emplace_back(some(kNames), field_value(depth));
    return object;
  }

  // {"x": 1, "y": 2}  ->  {"$and": [{"y": 2}, {"x": 1}, {"y": 2}]}
  Json one_by_one(const Json& object) {
    if (object.members.empty()) return object;
    Json list = Json::array();
    for (const auto& member : object.members) list.items.push_back(Json::object({member}));
    if (chance(2)) list.items.push_back(list.items[random_() % list.items.size()]);
    std::ranges::shuffle(list.items, random_);
    return Json::object({{"$and", std::move(list)}});
  }

  Json rewritten_list(const Json& list) {
    Json again = Json::array();
    for (const Json& part : list.items) again.items.push_back(rewritten(part));
    if (chance(3)) again.items.push_back(rewritten(list.items[random_() % list.items.size()]));
    std::ranges::shuffle(again.items, random_);
    return again;
  }

  Json rewritten_field(const Json& value) {
    if (!value.is(Json::Kind::Object)) return chance(2) ? value : Json::object({{chance(2) ? "eq" : "$eq", value}});
    if (value.members.size() == 1 && value.members[0].first == "$eq" && chance(2)) return value.members[0].second;
    Json operators = Json::object();
    for (const auto& [name, operand] : value.members) {
      Json again = name == "$not" ? rewritten_field(operand) : operand;
      if (again.is(Json::Kind::Array) && !again.items.empty()) {
        again.items.push_back(again.items[random_() % again.items.size()]);
        std::ranges::shuffle(again.items, random_);
      }
      operators.members.emplace_back(chance(2) ? name : name.substr(1), std::move(again));
    }
    std::ranges::shuffle(operators.members, random_);
    return operators;
  }

  std::string space() { return chance(8) ? " \n" : ""; }

  std::string number(long double value) {
    char text[64];
    if (!is_exact(value)) {
      std::snprintf(text, sizeof(text), "%.*Le", 16, value);
    } else {
      const bool is_small = std::fabs(value) < 1e15L;
      std::snprintf(text, sizeof(text), "%.0Lf%s", value, !is_small ? "" : chance(4) ? ".0" : chance(4) ? "e0" : "");
    }
    return text;
  }

  std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || c == '"' || c == '\\' || (byte < 0x80 && chance(20))) {
        char escaped[8];
        std::snprintf(escaped, sizeof(escaped), "\\u%04x", byte);
        result += escaped;
      } else {
        result += c;
      }
    }
    return result + "\"";
  }

  std::mt19937_64 random_;
};

}  // namespace millrace::testing
