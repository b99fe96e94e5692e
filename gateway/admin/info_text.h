// The answer of INFO, line by line: "used_memory:1017".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace millrace::gateway {

class InfoText {
 public:
  InfoText() = default;
  explicit InfoText(std::string_view text);

  std::string text(const std::string& name) const;
  // 0 if there is none.
  int64_t number(const std::string& name) const;
  bool empty() const { return fields_.empty(); }
  // All names with their values, by name.
  const std::map<std::string, std::string, std::less<>>& fields() const { return fields_; }

 private:
  std::map<std::string, std::string, std::less<>> fields_;
};

// The value of this name in a text such as "ip=127.0.0.1,port=6380".
std::string part_of(std::string_view line, std::string_view name);
// "Redis 7.0.15"
std::string server_version(const InfoText& info);

}  // namespace millrace::gateway
