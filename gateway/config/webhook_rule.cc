#include "gateway/config/webhook_rule.h"

#include <algorithm>

#include "gateway/deliver/hook_url.h"

namespace millrace::gateway {
namespace {

#define MILLRACE_WEBHOOK_SETTING(name, text)                                   \
  {                                                                            \
#name, [](WebhookRule & rule) -> SettingValue { return &rule.name; }, text \
  }

constexpr WebhookSetting kWebhookSettings[] = {
    MILLRACE_WEBHOOK_SETTING(log, "the log whose messages are delivered"),
    MILLRACE_WEBHOOK_SETTING(group, "its group, which keeps what is delivered"),
    MILLRACE_WEBHOOK_SETTING(channel, "instead of a log: a channel"),
    MILLRACE_WEBHOOK_SETTING(subscriber, "its subscriber, which keeps what is delivered"),
    MILLRACE_WEBHOOK_SETTING(url, "where all messages go"),
    MILLRACE_WEBHOOK_SETTING(url_field, "instead: the field of a message that says where it goes"),
    MILLRACE_WEBHOOK_SETTING(secret, "file of secrets, one a line, to sign with"),
    MILLRACE_WEBHOOK_SETTING(in_order, "one after the other for each tag"),
    MILLRACE_WEBHOOK_SETTING(from_now, "begin behind the last message, not at the first"),
    MILLRACE_WEBHOOK_SETTING(at_once, "requests at once, at most"),
    MILLRACE_WEBHOOK_SETTING(attempts, "attempts before a message is given up"),
    MILLRACE_WEBHOOK_SETTING(timeout, "for one attempt"),
    MILLRACE_WEBHOOK_SETTING(takeover, "after the end of a deliverer, until another has its messages"),
    MILLRACE_WEBHOOK_SETTING(back_off, "before the second attempt; doubled each time"),
    MILLRACE_WEBHOOK_SETTING(longest_back_off, "it grows no further"),
    MILLRACE_WEBHOOK_SETTING(hopeless, "statuses that give a message up at once"),
    MILLRACE_WEBHOOK_SETTING(dead_letters, "log for messages given up; empty: {log}:dead; none"),
    MILLRACE_WEBHOOK_SETTING(allow_private, "let requests go to private addresses"),
    MILLRACE_WEBHOOK_SETTING(headers, "more headers: Name: value"),
    MILLRACE_WEBHOOK_SETTING(ca, "file of certificates to trust; empty: the system's"),
};

#undef MILLRACE_WEBHOOK_SETTING

constexpr unsigned long kMostAtOnce = 1000;
constexpr unsigned long kMostAttempts = 60'000;
constexpr std::chrono::milliseconds kShortestTakeover{1000};

bool is_header(std::string_view header) {
  const size_t colon = header.find(':');
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return colon != header.npos && colon > 0 && std::ranges::all_of(header.substr(0, colon), is_name) &&
         std::ranges::all_of(header.substr(colon), is_plain);
}

bool is_status(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::span<const WebhookSetting> webhook_settings() { return kWebhookSettings; }

const WebhookSetting* find_webhook_setting(std::string_view name) {
  const auto* const found = std::ranges::find(kWebhookSettings, name, &WebhookSetting::name);
  return found == std::end(kWebhookSettings) ? nullptr : found;
}

std::string WebhookRule::dead_letter_log() const {
  if (dead_letters == "none") return {};
  if (!dead_letters.empty()) return dead_letters;
  const std::string& source = is_channel() ? channel : log;
  // In the same hash slot of a cluster as the log.
  return source.find('{') == source.npos ? '{' + source + "}:dead" : source + ":dead";
}

std::optional<std::string> wrong_with_webhook(const WebhookRule& rule) {
  if (rule.log.empty() == rule.channel.empty()) return "needs a log or a channel";
  if (rule.url.empty() == rule.url_field.empty()) return "needs a url or a url_field";
  if (rule.group.empty() || rule.subscriber.empty()) return "needs a name for its group or subscriber";
  if (!rule.url.empty()) {
    const auto url = parse_hook_url(rule.url);
    if (!url) return "has a url that is none: " + url.error();
    if (!rule.allow_private && names_private_address(*url)) return "has a private address: see allow_private";
  }
  if (rule.at_once == 0 || rule.at_once > kMostAtOnce) return "sends 1 to 1000 requests at once";
  if (rule.attempts == 0 || rule.attempts > kMostAttempts) return "makes 1 to 60000 attempts";
  if (rule.timeout.count() < 1 || rule.back_off.count() < 1) return "needs a timeout and a back_off above 0";
  if (rule.takeover < kShortestTakeover) return "needs a takeover of at least 1s";
  for (const std::string& header : rule.headers) {
    if (!is_header(header)) return "has a header that is none: " + header;
  }
  for (const std::string& status : rule.hopeless) {
    if (!is_status(status)) return "has a status that is none: " + status;
  }
  return std::nullopt;
}

std::string webhook_text(WebhookRule rule) {
  std::string text;
  for (const WebhookSetting& setting : kWebhookSettings) {
    text += std::string(setting.name) + " = " + value_text(setting.of(rule)) + '\n';
  }
  return text;
}

}  // namespace millrace::gateway
