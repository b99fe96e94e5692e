#include "gateway/routes/openapi.h"

#include <algorithm>
#include <map>

#include "gateway/json/json_text.h"
#include "version.h"

namespace millrace::gateway {
namespace {

std::string lower_method(std::string_view method) {
  std::string text(method);
  std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return text;
}

void append_parameter(std::string& json, std::string_view name, std::string_view place) {
  json += json.ends_with('[') ? "" : ",";
  json += R"({"name":")" + std::string(name) + R"(","in":")" + std::string(place) + R"(","required":)";
  json += place == "path" ? "true" : "false";
  json += R"(,"schema":{"type":"string"}})";
}

// Removes the first word from `left`.
std::string_view next_word(std::string_view& left) {
  const std::string_view word = left.substr(0, left.find(' '));
  left.remove_prefix(std::min(word.size() + 1, left.size()));
  return word;
}

// The JSON Schema of what Route::answer says.
std::string answer_schema(std::string_view fields) {
  std::string required;
  std::string properties;
  while (!fields.empty()) {
    const std::string_view field = next_word(fields);
    const size_t colon = field.find(':');
    const bool optional = field[colon - 1] == '?';
    const std::string name = '"' + std::string(field.substr(0, optional ? colon - 1 : colon)) + '"';
    if (!optional) required += (required.empty() ? "" : ",") + name;
    properties +=
        (properties.empty() ? "" : ",") + name + R"(:{"type":")" + std::string(field.substr(colon + 1)) + "\"}";
  }
  return R"({"type":"object","required":[)" + required + R"(],"properties":{)" + properties + "}}";
}

std::string operation_json(const Router::Described& row) {
  std::string json = "{\"summary\":";
  append_string(json, row.route->summary);
  json += ",\"parameters\":[";
  for (size_t open = row.path.find('{'); open != row.path.npos; open = row.path.find('{', open + 1)) {
    append_parameter(json, std::string_view(row.path).substr(open + 1, row.path.find('}', open) - open - 1), "path");
  }
  for (std::string_view left = row.route->parameters; !left.empty();) {
    append_parameter(json, next_word(left), "query");
  }
  json += R"(],"responses":{"2XX":{"description":"done")";
  if (!row.route->answer.empty()) {
    json += R"(,"content":{"application/json":{"schema":)" + answer_schema(row.route->answer) + "}}";
  }
  json += R"(},"default":{"description":"refused",)"
          R"("content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}}})";
  // A route without a resource needs no token.
  json += row.route->resource == Resource::None ? R"(,"security":[]})" : "}";
  return json;
}

}  // namespace

std::string openapi_json(const Router& router) {
  std::map<std::string, std::string> paths;
  for (const Router::Described& row : router.describe()) {
    if (row.route->summary.empty()) continue;  // an HTML page, not part of the API
    std::string& operations = paths[row.path];
    operations += operations.empty() ? "" : ",";
    operations += '"' + lower_method(row.route->method) + "\":" + operation_json(row);
  }
  std::string json = R"({"openapi":"3.1.0","info":{"title":"Millrace gateway","version":")" MILLRACE_VERSION
                     R"("},"security":[{"token":[]}],"paths":{)";
  for (const auto& [path, operations] : paths) {
    json += json.ends_with('{') ? "" : ",";
    append_string(json, path);
    json += ":{" + operations + '}';
  }
  return json + R"(},"components":{"securitySchemes":{"token":{"type":"http","scheme":"bearer","bearerFormat":"JWT"}},)"
                R"("schemas":{"Error":{"type":"object","required":["error"],"properties":{"code":{"type":"string"},)"
                R"("error":{"type":"string"}}}}}})";
}

}  // namespace millrace::gateway
