// The settings of the configuration by their names: one table for the file, the environment and --print.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gateway/config/config.h"

namespace millrace::gateway {

using SettingValue = std::variant<std::string*, std::vector<std::string>*, bool*, unsigned long*, Milliseconds*>;

struct Setting {
  std::string_view name;  // "limits.body": body in the table [limits]
  SettingValue (*of)(Config& config);
  std::string_view text;  // half a sentence for people
};

std::span<const Setting> all_settings();
// Nothing if there is none of this name.
const Setting* find_setting(std::string_view name);

// Sets it from text, as the environment and the command line have it; a list is separated by commas. What is wrong,
// or nothing.
std::optional<std::string> set_from_text(const Setting& setting, Config& config, std::string_view text);

// As TOML writes it.
std::string value_text(const Setting& setting, Config& config);

// MILLRACE_LIMITS_BODY for limits.body.
std::string environment_name(const Setting& setting);

}  // namespace millrace::gateway
