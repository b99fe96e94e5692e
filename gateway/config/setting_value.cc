#include "gateway/config/setting_value.h"

#include <algorithm>
#include <charconv>

#include "gateway/config/go_duration.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

std::optional<std::string> set_number(unsigned long& to, std::string_view text) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), to);
  if (problem == std::errc() && end == text.data() + text.size()) return std::nullopt;
  return "expected a number";
}

std::optional<std::string> set_time(std::chrono::milliseconds& to, std::string_view text) {
  const auto time = parse_go_duration(text);
  if (!time) return "expected a time such as 30s, 250ms or 1h30m";
  to = *time;
  return std::nullopt;
}

std::optional<std::string> set_switch(bool& to, std::string_view text) {
  if (text != "true" && text != "false") return "expected true or false";
  to = text == "true";
  return std::nullopt;
}

void set_list(std::vector<std::string>& to, std::string_view text) {
  to.clear();
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    to.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

template <class... Functions>
struct OneOf : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
OneOf(Functions...) -> OneOf<Functions...>;

}  // namespace

std::optional<std::string> set_from_text(SettingValue value, std::string_view text) {
  using Wrong = std::optional<std::string>;
  return std::visit(OneOf{
                        [&](std::string* to) -> Wrong {
                          *to = text;
                          return std::nullopt;
                        },
                        [&](std::vector<std::string>* to) -> Wrong {
                          set_list(*to, text);
                          return std::nullopt;
                        },
                        [&](bool* to) { return set_switch(*to, text); },
                        [&](unsigned long* to) { return set_number(*to, text); },
                        [&](std::chrono::milliseconds* to) { return set_time(*to, text); },
                    },
                    value);
}

std::string value_text(SettingValue value) {
  const auto quoted = [](const std::string& text) {
    std::string out;
    append_string(out, text);
    return out;
  };
  return std::visit(OneOf{
                        [&](const std::string* from) { return quoted(*from); },
                        [&](const std::vector<std::string>* from) {
                          std::string list = "[";
                          for (const std::string& one : *from) list += (list.size() > 1 ? ", " : "") + quoted(one);
                          return list + "]";
                        },
                        [&](const bool* from) { return std::string(*from ? "true" : "false"); },
                        [&](const unsigned long* from) { return std::to_string(*from); },
                        [&](const std::chrono::milliseconds* from) { return quoted(go_duration(*from)); },
                    },
                    value);
}

}  // namespace millrace::gateway
