#include "gateway/config/config_file.h"
#include "gateway/config/go_duration.h"
#include "gateway/config/settings.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

std::string toml_text(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

std::string line(std::string_view name, const std::string& value, std::string_view meaning) {
  std::string text = std::string(name) + " = " + value;
  if (text.size() < 40) text.resize(40, ' ');
  return text + "  # " + std::string(meaning) + '\n';
}

std::string claims_text(const std::vector<std::pair<std::string, std::string>>& claims) {
  if (claims.empty()) return {};
  std::string text = "claims = {";
  for (const auto& [name, value] : claims) {
    text += (text.back() == '{' ? " " : ", ") + toml_text(name) + " = " + toml_text(value);
  }
  return text + " }\n";
}

}  // namespace

std::string config_text(Config config) {
  std::string text;
  std::string_view table;
  for (const Setting& setting : all_settings()) {
    const size_t dot = setting.name.find('.');
    const std::string_view its_table = dot == setting.name.npos ? "" : setting.name.substr(0, dot);
    if (its_table != table) text += "\n[" + std::string(its_table) + "]\n";
    table = its_table;
    const std::string_view name = dot == setting.name.npos ? setting.name : setting.name.substr(dot + 1);
    // The address may contain a password.
    const bool is_secret = setting.name == "to" && config.to.find('@') != config.to.npos;
    text += line(name, is_secret ? "\"…\"" : value_text(setting, config), setting.text);
  }
  for (const ChannelRule& rule : config.channels) {
    text += "\n[[channel]]\npattern = " + toml_text(rule.pattern) +
            "\nexpire = " + toml_text(go_duration(rule.expire)) + '\n' + claims_text(rule.claims);
  }
  for (const KeyRule& rule : config.keys) {
    text += "\n[[key]]\n";
    if (!rule.jwks.empty()) {
      text += "jwks = " + toml_text(rule.jwks) + '\n';
      continue;
    }
    text += "algorithm = " + toml_text(rule.algorithm) + "\nfile = " + toml_text(rule.file) + '\n';
    if (!rule.id.empty()) text += "id = " + toml_text(rule.id) + '\n';
  }
  for (const AllowRule& rule : config.allow) {
    text += "\n[[allow]]\nto = " + toml_text(rule.resource) + "\npattern = " + toml_text(rule.pattern) + "\nrights = [";
    for (const std::string& right : rule.rights) {
      text += (&right == &rule.rights.front() ? "" : ", ") + toml_text(right);
    }
    text += std::string("]\nanonymous = ") + (rule.is_anonymous ? "true" : "false") + '\n';
    text += claims_text(rule.claims);
  }
  for (const WebhookRule& rule : config.webhooks) text += "\n[[webhook]]\n" + webhook_text(rule);
  return text;
}

}  // namespace millrace::gateway
