#include "gateway/config/settings.h"

#include <algorithm>
#include <charconv>

#include "gateway/config/go_duration.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

static_assert(std::is_same_v<size_t, unsigned long>);

#define MILLRACE_SETTING(name, member, text)                                  \
  {                                                                           \
    name, [](Config& config) -> SettingValue { return &config.member; }, text \
  }

constexpr Setting kSettings[] = {
    MILLRACE_SETTING("listen", listen, "where to listen: addresses with ports"),
    MILLRACE_SETTING("to", to, "the server; empty: as --to has it"),
    MILLRACE_SETTING("threads", threads, "event loops; 0: one for each core"),
    MILLRACE_SETTING("name", name, "of this gateway among others; empty: host and port"),
    MILLRACE_SETTING("dsps_prefix", dsps_prefix, "the path below which the API of DSPS is"),
    MILLRACE_SETTING("access_log", access_log, "off, plain or json"),
    MILLRACE_SETTING("tls.certificate", tls_certificate, "PEM with its chain; empty: no TLS"),
    MILLRACE_SETTING("tls.key", tls_key, "PEM; empty: in the same file"),
    MILLRACE_SETTING("limits.head", requests.head_bytes, "bytes of a request line and its headers"),
    MILLRACE_SETTING("limits.body", requests.body_bytes, "bytes of a body"),
    MILLRACE_SETTING("limits.frame", frame_bytes, "bytes of a message of a WebSocket"),
    MILLRACE_SETTING("limits.connections", connections, "connections at once"),
    MILLRACE_SETTING("limits.connections_per_address", connections_per_address, "the same of one address; 0: no limit"),
    MILLRACE_SETTING("limits.requests_per_second", requests_per_second, "of one token or address; 0: no limit"),
    MILLRACE_SETTING("limits.waiting", waiting, "requests that wait at the server, of each loop"),
    MILLRACE_SETTING("limits.stream_backlog", stream_backlog, "bytes that a slow reader of a stream may be behind"),
    MILLRACE_SETTING("timeouts.idle", timeouts.idle, "between two requests of a connection"),
    MILLRACE_SETTING("timeouts.head", timeouts.head, "for the headers of a request"),
    MILLRACE_SETTING("timeouts.body", timeouts.body, "for its body"),
    MILLRACE_SETTING("timeouts.write", timeouts.write, "for a client that takes nothing"),
    MILLRACE_SETTING("timeouts.poll", longest_poll, "the longest wait that a request may ask for"),
    MILLRACE_SETTING("timeouts.answer", answer, "for an answer of the server"),
    MILLRACE_SETTING("timeouts.keep_alive", keep_alive, "between two signs of life in a stream"),
    MILLRACE_SETTING("timeouts.drain", drain, "for clients to go after SIGTERM"),
    MILLRACE_SETTING("timeouts.drain_notice", drain_notice, "from a readiness that fails to the end of the listening"),
    MILLRACE_SETTING("cors.origins", origins, "pages that may call us from other hosts; \"*\": all"),
    MILLRACE_SETTING("cors.credentials", credentials, "whether they may send cookies"),
    MILLRACE_SETTING("auth.issuer", issuer, "what a token must have as iss; empty: anything"),
    MILLRACE_SETTING("auth.audience", audience, "what a token must have as aud; empty: anything"),
    MILLRACE_SETTING("auth.leeway", leeway, "by which clocks may differ"),
    MILLRACE_SETTING("auth.cookie", cookie, "the cookie that may hold a token"),
    MILLRACE_SETTING("auth.revocations", revocations, "the key under which gateways share revoked tokens"),
    MILLRACE_SETTING("metrics.keys", metric_keys, "patterns of keys that /metrics tells of"),
};

#undef MILLRACE_SETTING

std::optional<std::string> set_number(unsigned long& to, std::string_view text) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), to);
  if (problem == std::errc() && end == text.data() + text.size()) return std::nullopt;
  return "expected a number";
}

std::optional<std::string> set_time(Milliseconds& to, std::string_view text) {
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

std::span<const Setting> all_settings() { return kSettings; }

const Setting* find_setting(std::string_view name) {
  const auto* const found = std::ranges::find(kSettings, name, &Setting::name);
  return found == std::end(kSettings) ? nullptr : found;
}

std::optional<std::string> set_from_text(const Setting& setting, Config& config, std::string_view text) {
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
                        [&](Milliseconds* to) { return set_time(*to, text); },
                    },
                    setting.of(config));
}

std::string value_text(const Setting& setting, Config& config) {
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
                        [&](const Milliseconds* from) { return quoted(go_duration(*from)); },
                    },
                    setting.of(config));
}

std::string environment_name(const Setting& setting) {
  std::string name = "MILLRACE_";
  for (const char c : setting.name) name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return name;
}

}  // namespace millrace::gateway
