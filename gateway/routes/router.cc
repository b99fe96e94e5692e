#include "gateway/routes/router.h"

#include <algorithm>

namespace millrace::gateway {
namespace {

// Stands for a name in a pattern; no other segment has this text.
constexpr std::string_view kName = "{";

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> segments;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    segments.emplace_back(segment.starts_with('{') ? kName : segment);
    path.remove_prefix(segment.size());
  }
  return segments;
}

}  // namespace

void Router::add(const std::vector<Route>& rows, std::string_view prefix) {
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  for (const Route& route : rows) {
    std::string path = std::string(prefix) + std::string(route.pattern);
    rows_.push_back({&route, split_path(path), path});
  }
}

std::vector<Router::Described> Router::describe() const {
  std::vector<Described> all;
  for (const Row& row : rows_) all.push_back({row.route, row.path});
  return all;
}

Router::Found Router::find(const Request& request) const {
  const auto fits = [](const std::string& pattern, const std::string& segment) {
    return pattern == kName ? !segment.empty() : pattern == segment;
  };
  Found found;
  for (const Row& row : rows_) {
    if (!std::ranges::equal(row.segments, request.segments, fits)) continue;
    if (row.route->method == request.method || (row.route->method == "GET" && request.method == "HEAD")) {
      found.route = row.route;
      for (size_t i = 0; i < row.segments.size(); ++i) {
        if (row.segments[i] == kName) found.names.push_back(request.segments[i]);
      }
      return found;
    }
    if (!found.allowed.empty()) found.allowed += ", ";
    found.allowed += row.route->method;
  }
  return found;
}

}  // namespace millrace::gateway
