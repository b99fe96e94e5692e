// Everything that can be set about a gateway: by a file in TOML, by the environment over it, by the command line over
// both.
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
  Milliseconds expire{0};                                   // 0: as the server has it
  std::vector<std::pair<std::string, std::string>> claims;  // that a token must have, as in [[allow]]
  std::string where;                                        // its place in the configuration
};

// [[key]]: what tokens are signed with.
struct KeyRule {
  std::string algorithm;  // HS256 … EdDSA; empty with jwks
  std::string id;         // "kid" of tokens that mean it; empty: any
  std::string file;       // PEM, or the secret of HS
  std::string jwks;       // instead: a file of keys as JSON
  std::string where;      // its place in the configuration
};

// [[allow]]: who may do what.
struct AllowRule {
  std::string resource;             // channel, log, route, lock, index, suggest, admin, metrics, any
  std::string pattern = ".*";       // RE2 over the whole name
  std::vector<std::string> rights;  // read, write
  bool is_anonymous = false;        // a token is not needed
  std::vector<std::pair<std::string, std::string>> claims;  // name, and the value it must have or contain
  std::string where;                                        // its place in the configuration
};

struct Config {
  std::vector<std::string> listen = {"127.0.0.1:8380"};
  std::string to;             // the server's address; empty: as the command line has it
  unsigned long threads = 0;  // 0: one for each core
  std::string name;           // of this gateway among others; empty: made of the host's name and the port
  std::string dsps_prefix = "/";
  std::string access_log = "off";  // off, plain, json

  std::string tls_certificate;
  std::string tls_key;

  RequestLimits requests;
  HttpTimeouts timeouts;
  size_t frame_bytes = 1 << 20;        // of a WebSocket message
  size_t connections = 100'000;        // at once
  size_t connections_per_address = 0;  // 0: as many as there may be
  size_t requests_per_second = 0;      // of a token or an address; 0: no limit
  size_t waiting = 1000;               // requests that wait at the server
  size_t stream_backlog = 256 << 10;   // bytes that a slow reader of a stream may be behind
  Milliseconds longest_poll{30'000};
  Milliseconds answer{5000};        // of the server
  Milliseconds keep_alive{15'000};  // of streams
  Milliseconds drain{20'000};       // after SIGTERM
  Milliseconds drain_notice{0};     // from a readiness that fails to the end of the listening

  Milliseconds device_retention{120'000};  // of a device of a WebSocket that is gone

  std::vector<std::string> origins;  // CORS; "*" is everyone
  bool credentials = false;          // whether cookies may come from them
  std::string issuer;                // what tokens must say; empty: anything
  std::string audience;
  Milliseconds leeway{300'000};                          // by which clocks may differ
  std::string cookie = "millrace";                       // that may hold a token
  std::string revocations = "millrace:gateway:revoked";  // the key under which they are shared
  std::string audit = "millrace:audit";                  // the log of what consoles did; empty: none
  std::vector<std::string> metric_keys;                  // patterns of keys that /metrics tells of

  std::vector<ChannelRule> channels;
  std::vector<KeyRule> keys;
  std::vector<AllowRule> allow;
  std::vector<WebhookRule> webhooks;
};

}  // namespace millrace::gateway
