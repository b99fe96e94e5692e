// The settings of the configuration by their names: one table for the file, the environment and --print.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gateway/config/config.h"
#include "gateway/config/setting_value.h"

namespace millrace::gateway {

struct Setting {
  std::string_view name;  // "limits.body": body in the table [limits]
  SettingValue (*of)(Config& config);
  std::string_view text;  // a short description
};

std::span<const Setting> all_settings();
// Null if there is none with this name.
const Setting* find_setting(std::string_view name);

inline std::optional<std::string> set_from_text(const Setting& setting, Config& config, std::string_view text) {
  return set_from_text(setting.of(config), text);
}
inline std::string value_text(const Setting& setting, Config& config) { return value_text(setting.of(config)); }

// MILLRACE_LIMITS_BODY for limits.body.
std::string environment_name(const Setting& setting);

}  // namespace millrace::gateway
