// Pages of the Millrace keys of all nodes together, in the order of their names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

struct KeyQuestion {
  std::string type = {};     // empty: all
  std::string pattern = {};  // empty: all
  std::optional<std::string> after = {};
  int64_t count = 100;
};

struct KeyPage {
  std::vector<client::Reply> keys;  // [name, type, memory, expires-at, figures]
  std::optional<std::string> cursor;
  int64_t done = 0;
  int64_t of = 0;
  int64_t total = 0;
  std::optional<client::Error> failed;   // a node could not be reached
  std::optional<client::Reply> refused;  // a node refused
};
Task<KeyPage> ask_for_keys(Services& services, KeyQuestion question);

// {"key","type","memory","expires","figures"}
void append_key(std::string& json, const client::Reply& key, const std::optional<int64_t>& rate, bool is_dead);

// The list of keys of the console.
Task<Response> list_keys(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
