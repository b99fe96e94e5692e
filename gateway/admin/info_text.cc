#include "gateway/admin/info_text.h"

#include <algorithm>

#include "gateway/routes/answers.h"

namespace millrace::gateway {

InfoText::InfoText(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    const size_t colon = line.find(':');
    if (colon != line.npos) fields_.emplace(line.substr(0, colon), line.substr(colon + 1));
  }
}

std::string InfoText::text(const std::string& name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? std::string() : found->second;
}

int64_t InfoText::number(const std::string& name) const {
  return parse_number(text(name), INT64_MIN, INT64_MAX).value_or(0);
}

std::string part_of(std::string_view line, std::string_view name) {
  while (!line.empty()) {
    const size_t end = std::min(line.find(','), line.size());
    const std::string_view part = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
      return std::string(part.substr(name.size() + 1));
    }
  }
  return {};
}

std::string server_version(const InfoText& info) {
  const std::string valkey = info.text("valkey_version");
  if (!valkey.empty()) return "Valkey " + valkey;
  const std::string redis = info.text("redis_version");
  return redis.empty() ? "" : "Redis " + redis;
}

}  // namespace millrace::gateway
