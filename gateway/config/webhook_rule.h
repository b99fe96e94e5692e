// [[webhook]]: a group of a log, or a subscriber of a channel, that is delivered as HTTP requests.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/config/setting_value.h"

namespace millrace::gateway {

struct WebhookRule {
  std::string log;
  std::string group = "webhook";
  std::string channel;  // instead of a log
  std::string subscriber = "webhook";
  std::string url;           // the receiver of all messages
  std::string url_field;     // instead of `url`: the field with the URL in each message, which is a JSON object
  std::string secret;        // a file with secrets, one per line; empty: requests are not signed
  std::string dead_letters;  // the log for messages that are given up; empty: "{log}:dead"; "none": no such log
  std::string ca;            // a file of certificates to trust; empty: those of the system
  std::vector<std::string> headers;
  std::vector<std::string> hopeless = {"400", "405", "406", "410", "411", "413", "414", "415", "422", "431", "451"};
  bool in_order = false;
  bool from_now = false;
  bool allow_private = false;
  unsigned long at_once = 10;
  unsigned long attempts = 12;
  std::chrono::milliseconds timeout{15'000};
  std::chrono::milliseconds takeover{10'000};  // time without a sign of life before another deliverer takes over
  std::chrono::milliseconds back_off{5'000};
  std::chrono::milliseconds longest_back_off{3'600'000};
  std::string where;  // its place in the configuration

  bool is_channel() const { return !channel.empty(); }
  // "orders/shop": the log or channel, and the group or subscriber.
  std::string name() const { return is_channel() ? channel + '/' + subscriber : log + '/' + group; }
  // Empty: there is none.
  std::string dead_letter_log() const;
};

struct WebhookSetting {
  std::string_view name;
  SettingValue (*of)(WebhookRule& rule);
  std::string_view text;  // a short description
};

std::span<const WebhookSetting> webhook_settings();
// Null if there is none of this name.
const WebhookSetting* find_webhook_setting(std::string_view name);

// What is wrong with the rule as a whole; nullopt: nothing.
std::optional<std::string> wrong_with_webhook(const WebhookRule& rule);

// The rule in TOML, with all settings.
std::string webhook_text(WebhookRule rule);

}  // namespace millrace::gateway
