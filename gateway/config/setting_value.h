// A value of the configuration: what kinds there are, and how each is written.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace millrace::gateway {

using SettingValue =
    std::variant<std::string*, std::vector<std::string>*, bool*, unsigned long*, std::chrono::milliseconds*>;

// Sets it from text, as the environment and the command line have it; a list is separated by commas. What is wrong,
// or nothing.
std::optional<std::string> set_from_text(SettingValue value, std::string_view text);

// As TOML writes it.
std::string value_text(SettingValue value);

}  // namespace millrace::gateway
