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

std::string operation_json(const Router::Described& row) {
  std::string json = "{\"summary\":";
  append_string(json, row.route->summary);
  json += ",\"parameters\":[";
  for (size_t open = row.path.find('{'); open != row.path.npos; open = row.path.find('{', open + 1)) {
    append_parameter(json, std::string_view(row.path).substr(open + 1, row.path.find('}', open) - open - 1), "path");
  }
  for (std::string_view left = row.route->parameters; !left.empty();) {
    const size_t end = std::min(left.find(' '), left.size());
    append_parameter(json, left.substr(0, end), "query");
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  json += R"(],"responses":{"2XX":{"description":"done"},"default":{"description":"refused",)"
          R"("content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}}})";
  // What is about nothing needs no token.
  json += row.route->resource == Resource::None ? R"(,"security":[]})" : "}";
  return json;
}

}  // namespace

std::string openapi_json(const Router& router) {
  std::map<std::string, std::string> paths;
  for (const Router::Described& row : router.describe()) {
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
