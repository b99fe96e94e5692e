#include "gateway/config/settings.h"

#include <algorithm>

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
    MILLRACE_SETTING("timeouts.device", device_retention, "for a device of a WebSocket to come back"),
    MILLRACE_SETTING("cors.origins", origins, "pages that may call us from other hosts; \"*\": all"),
    MILLRACE_SETTING("cors.credentials", credentials, "whether they may send cookies"),
    MILLRACE_SETTING("auth.issuer", issuer, "what a token must have as iss; empty: anything"),
    MILLRACE_SETTING("auth.audience", audience, "what a token must have as aud; empty: anything"),
    MILLRACE_SETTING("auth.leeway", leeway, "by which clocks may differ"),
    MILLRACE_SETTING("auth.cookie", cookie, "the cookie that may hold a token"),
    MILLRACE_SETTING("auth.revocations", revocations, "the key under which gateways share revoked tokens"),
    MILLRACE_SETTING("console.audit", audit, "the log of what was done by consoles; empty: none"),
    MILLRACE_SETTING("metrics.keys", metric_keys, "patterns of keys that /metrics tells of"),
};

#undef MILLRACE_SETTING

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

const Setting* find_setting(std::string_view name) {
  const auto* const found = std::ranges::find(kSettings, name, &Setting::name);
  return found == std::end(kSettings) ? nullptr : found;
}

std::string environment_name(const Setting& setting) {
  std::string name = "MILLRACE_";
  for (const char c : setting.name) name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return name;
}

}  // namespace millrace::gateway
