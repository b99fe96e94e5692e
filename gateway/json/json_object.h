// A JSON object from outside, field by field, each as it was written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::gateway {

class JsonObject {
 public:
  // nullopt: the text is not JSON, or not an object.
  static std::optional<JsonObject> parse(std::string_view text);

  // A field as JSON; the last one if a name occurs twice. nullopt: there is none.
  std::optional<std::string_view> raw(std::string_view name) const;
  // A field that is a string, decoded. nullopt: there is none, or it is not a string.
  std::optional<std::string> text(std::string_view name) const;
  // A field that is a whole number.
  std::optional<int64_t> number(std::string_view name) const;
  bool is_true(std::string_view name) const { return raw(name) == "true"; }

  const std::vector<std::pair<std::string, std::string_view>>& fields() const { return fields_; }

 private:
  std::shared_ptr<const std::string> json_;  // compact; the fields borrow it
  std::vector<std::pair<std::string, std::string_view>> fields_;
};

// Decodes a JSON string. nullopt: not a string, or it has half of a surrogate pair.
std::optional<std::string> json_string_value(std::string_view json);

// The items of an array in compact JSON; they borrow it. nullopt: not an array.
std::optional<std::vector<std::string_view>> json_items(std::string_view json);

}  // namespace millrace::gateway
