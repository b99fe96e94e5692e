// All settings of a gateway. They come from a file in TOML; the environment overrides the file, and the command line
// overrides both.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/connection.h"
#include "gateway/config/webhook_rule.h"
#include "gateway/http/http_connection.h"
#include "gateway/http/request_reader.h"

namespace millrace::gateway {

// [[channel]]: which names a channel may have, and how long its messages live.
struct ChannelRule {
  std::string pattern;                                      // RE2, over the whole name
  Milliseconds expire{0};                                   // 0: the server's default
  std::vector<std::pair<std::string, std::string>> claims;  // claims that a token must have, as in [[allow]]
  std::string where;                                        // its place in the configuration
};

// [[key]]: what tokens are signed with.
struct KeyRule {
  std::string algorithm;  // HS256 … EdDSA; empty with jwks
  std::string id;         // "kid" of the tokens it is for; empty: any
  std::string file;       // PEM, or the secret of HS
  std::string jwks;       // instead of `file`: a JSON file with keys
  std::string where;      // its place in the configuration
};

// [[allow]]: a rule for access.
struct AllowRule {
  std::string resource;             // channel, log, route, lock, index, suggest, admin, metrics, any
  std::string pattern = ".*";       // RE2 over the whole name
  std::vector<std::string> rights;  // read, write
  bool is_anonymous = false;        // no token is needed
  std::vector<std::pair<std::string, std::string>> claims;  // name, and the value it must have or contain
  std::string where;                                        // its place in the configuration
};

struct Config {
  std::vector<std::string> listen = {"127.0.0.1:8380"};
  std::string to;             // the server's address; empty: from the command line
  unsigned long threads = 0;  // 0: one for each core
  std::string name;           // name of this gateway, to distinguish it from others; empty: the host name and the port
  std::string dsps_prefix = "/";
  std::string access_log = "off";  // off, plain, json

  std::string tls_certificate;
  std::string tls_key;

  RequestLimits requests;
  HttpTimeouts timeouts;
  size_t frame_bytes = 1 << 20;        // largest WebSocket message
  size_t connections = 100'000;        // simultaneous connections
  size_t connections_per_address = 0;  // 0: no limit per address
  size_t requests_per_second = 0;      // per token or address; 0: no limit
  size_t waiting = 1000;               // requests that wait at the server
  size_t stream_backlog = 256 << 10;   // bytes that a slow reader of a stream may be behind
  Milliseconds longest_poll{30'000};
  Milliseconds answer{5000};        // waiting time for an answer of the server
  Milliseconds keep_alive{15'000};  // interval of keep-alives on streams
  Milliseconds drain{20'000};       // time to finish after SIGTERM
  Milliseconds drain_notice{0};     // time from failing readiness to closing the listening sockets

  Milliseconds device_retention{120'000};  // lifetime of a device after its WebSocket is closed

  std::vector<std::string> origins;  // CORS; "*" allows every origin
  bool credentials = false;          // whether requests from them may use cookies
  std::string issuer;                // required issuer of tokens; empty: any
  std::string audience;
  Milliseconds leeway{300'000};                          // allowed difference between clocks
  std::string cookie = "millrace";                       // name of the cookie that may contain a token
  std::string revocations = "millrace:gateway:revoked";  // prefix of the server's keys for revoked tokens
  std::string audit = "millrace:audit";                  // the log of actions of consoles; empty: none
  std::vector<std::string> metric_keys;                  // patterns of keys that /metrics reports

  std::vector<ChannelRule> channels;
  std::vector<KeyRule> keys;
  std::vector<AllowRule> allow;
  std::vector<WebhookRule> webhooks;
};

}  // namespace millrace::gateway
