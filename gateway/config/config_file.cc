#include "gateway/config/config_file.h"

#include <algorithm>
#include <cstdlib>
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "gateway/config/go_duration.h"
#include "gateway/config/settings.h"

namespace millrace::gateway {
namespace {

using client::ErrorCode;
using client::Result;

// Reads one file. Any mistake ends the reading, with an error that names the place.
class FileReader {
 public:
  FileReader(const std::string& path, Config& config) : path_(path), config_(config) {}

  Result<void> read() {
    const toml::parse_result parsed = toml::parse_file(path_);
    if (!parsed) {
      const auto& error = parsed.error();
      return fail_at(error.source(), std::string(error.description()));
    }
    return read_table(parsed.table(), "");
  }

 private:
  std::string place(const toml::source_region& at) const {
    if (at.begin.line == 0) return path_;
    return path_ + ":" + std::to_string(at.begin.line) + ":" + std::to_string(at.begin.column);
  }
  Result<void> fail_at(const toml::source_region& at, const std::string& what) const {
    return client::fail(ErrorCode::BadInput, place(at) + ": " + what);
  }

  Result<void> read_table(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (auto read = read_node(name, node, key.source()); !read) return read;
    }
    return {};
  }

  Result<void> read_node(const std::string& name, const toml::node& node, const toml::source_region& at) {
    if (const auto* array = node.as_array(); array != nullptr && array->is_array_of_tables()) {
      for (const auto& item : *array) {
        if (auto read = read_rule(name, *item.as_table()); !read) return read;
      }
      return {};
    }
    if (const Setting* setting = find_setting(name)) return read_value(name, setting->of(config_), node);
    const auto is_below = [&](const Setting& one) { return one.name.starts_with(name + "."); };
    if (node.is_table() && std::ranges::any_of(all_settings(), is_below)) {
      return read_table(*node.as_table(), name + ".");
    }
    return fail_at(at, "there is no setting '" + name + "'");
  }

  Result<void> read_value(std::string_view setting, SettingValue value, const toml::node& node) {
    const std::string name = "'" + std::string(setting) + "'";
    if (auto* const* list = std::get_if<std::vector<std::string>*>(&value)) {
      if (const auto* text = node.as_string()) {
        **list = {text->get()};
        return {};
      }
      auto words = read_list(node, name);
      if (!words) return std::unexpected(words.error());
      **list = std::move(*words);
      return {};
    }
    std::string text;
    if (const auto* given = node.as_string()) {
      if (std::holds_alternative<bool*>(value) || std::holds_alternative<unsigned long*>(value)) {
        return fail_at(node.source(), name + " is not a text");
      }
      text = given->get();
    } else if (const auto* number = node.as_integer()) {
      text = std::to_string(number->get());
    } else if (const auto* is_on = node.as_boolean()) {
      text = is_on->get() ? "true" : "false";
    } else {
      return fail_at(node.source(), name + " has a value of the wrong kind");
    }
    if (std::holds_alternative<std::string*>(value) && !node.is_string()) {
      return fail_at(node.source(), name + " must be a text");
    }
    if (auto wrong = set_from_text(value, text)) return fail_at(node.source(), name + ": " + *wrong);
    return {};
  }

  Result<std::vector<std::string>> read_list(const toml::node& node, const std::string& name) {
    std::vector<std::string> words;
    const auto* const array = node.as_array();
    if (array != nullptr) {
      for (const auto& item : *array) {
        if (const auto* text = item.as_string()) words.push_back(text->get());
      }
    }
    if (array == nullptr || words.size() != array->size()) {
      return std::unexpected(fail_at(node.source(), name + " must be a list of texts").error());
    }
    return words;
  }

  Result<void> read_rule(const std::string& name, const toml::table& table) {
    if (name == "channel") return read_channel(table);
    if (name == "key") return read_key(table);
    if (name == "allow") return read_allow(table);
    if (name == "webhook") return read_webhook(table);
    return fail_at(table.source(), "there is no [[" + name + "]]");
  }

  // A text setting of a rule. Other types are left to the caller.
  Result<void> read_text(const toml::node& node, std::string_view name, std::string& to) {
    const auto* const text = node.as_string();
    if (text == nullptr) return fail_at(node.source(), "'" + std::string(name) + "' must be a text");
    to = text->get();
    return {};
  }

  Result<void> read_channel(const toml::table& table) {
    ChannelRule rule;
    for (const auto& [key, node] : table) {
      Result<void> read;
      if (key == "pattern") {
        read = read_text(node, key, rule.pattern);
      } else if (key == "expire") {
        std::string text;
        read = read_text(node, key, text);
        const auto time = parse_go_duration(text);
        if (read && !time) read = fail_at(node.source(), "'expire': expected a time such as 30m");
        if (time) rule.expire = *time;
      } else if (key == "claims") {
        read = read_claims(node, rule.claims);
      } else {
        read =
            fail_at(key.source(), "[[channel]] has pattern, expire and claims, not '" + std::string(key.str()) + "'");
      }
      if (!read) return read;
    }
    if (rule.pattern.empty()) return fail_at(table.source(), "[[channel]] needs a pattern");
    rule.where = place(table.source());
    config_.channels.push_back(std::move(rule));
    return {};
  }

  Result<void> read_key(const toml::table& table) {
    KeyRule rule;
    for (const auto& [key, node] : table) {
      Result<void> read;
      if (key == "algorithm") {
        read = read_text(node, key, rule.algorithm);
      } else if (key == "id") {
        read = read_text(node, key, rule.id);
      } else if (key == "file") {
        read = read_text(node, key, rule.file);
      } else if (key == "jwks") {
        read = read_text(node, key, rule.jwks);
      } else {
        read = fail_at(key.source(), "[[key]] has algorithm, id, file and jwks, not '" + std::string(key.str()) + "'");
      }
      if (!read) return read;
    }
    const bool is_one = !rule.algorithm.empty() && !rule.file.empty() && rule.jwks.empty();
    const bool is_set = !rule.jwks.empty() && rule.algorithm.empty() && rule.file.empty() && rule.id.empty();
    if (!is_one && !is_set) return fail_at(table.source(), "[[key]] needs algorithm and file, or jwks alone");
    rule.where = place(table.source());
    config_.keys.push_back(std::move(rule));
    return {};
  }

  Result<void> read_allow(const toml::table& table) {
    AllowRule rule;
    for (const auto& [key, node] : table) {
      Result<void> read;
      if (key == "to") {
        read = read_text(node, key, rule.resource);
      } else if (key == "pattern") {
        read = read_text(node, key, rule.pattern);
      } else if (key == "rights") {
        auto rights = read_list(node, "'rights'");
        if (!rights) return std::unexpected(rights.error());
        rule.rights = std::move(*rights);
      } else if (key == "anonymous") {
        const auto* const is_on = node.as_boolean();
        if (is_on == nullptr) return fail_at(node.source(), "'anonymous' is true or false");
        rule.is_anonymous = is_on->get();
      } else if (key == "claims") {
        read = read_claims(node, rule.claims);
      } else {
        read = fail_at(key.source(),
                       "[[allow]] has to, pattern, rights, anonymous and claims, not '" + std::string(key.str()) + "'");
      }
      if (!read) return read;
    }
    rule.where = place(table.source());
    config_.allow.push_back(std::move(rule));
    return {};
  }

  Result<void> read_webhook(const toml::table& table) {
    WebhookRule rule;
    for (const auto& [key, node] : table) {
      const WebhookSetting* const found = find_webhook_setting(key.str());
      if (found == nullptr) {
        return fail_at(key.source(), "[[webhook]] has no setting '" + std::string(key.str()) + "'");
      }
      if (auto read = read_value(found->name, found->of(rule), node); !read) return read;
    }
    if (auto wrong = wrong_with_webhook(rule)) return fail_at(table.source(), "[[webhook]] " + *wrong);
    rule.where = place(table.source());
    config_.webhooks.push_back(std::move(rule));
    return {};
  }

  Result<void> read_claims(const toml::node& node, std::vector<std::pair<std::string, std::string>>& to) {
    const auto* const claims = node.as_table();
    if (claims == nullptr) return fail_at(node.source(), "'claims' is a table of names and texts");
    for (const auto& [name, value] : *claims) {
      std::string text;
      if (auto read = read_text(value, name, text); !read) return read;
      to.emplace_back(name.str(), std::move(text));
    }
    return {};
  }

  const std::string& path_;
  Config& config_;
};

}  // namespace

Result<void> read_config_file(const std::string& path, Config& config) { return FileReader(path, config).read(); }

Result<void> read_environment(Config& config) {
  for (const Setting& setting : all_settings()) {
    const std::string name = environment_name(setting);
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) continue;
    if (auto wrong = set_from_text(setting, config, value)) {
      return client::fail(ErrorCode::BadInput, name + ": " + *wrong);
    }
  }
  return {};
}

}  // namespace millrace::gateway
