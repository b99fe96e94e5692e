// A value of the configuration: its kinds, and how each is written.
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

// Sets the value from text, as in the environment and on the command line; a list is separated by commas. Returns what
// is wrong; nullopt: nothing.
std::optional<std::string> set_from_text(SettingValue value, std::string_view text);

// The value in TOML syntax.
std::string value_text(SettingValue value);

}  // namespace millrace::gateway
