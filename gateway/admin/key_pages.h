// Pages of the Millrace keys of all nodes together, in the order of their names.
#pragma once

#include <map>
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
  std::map<std::string, int64_t> counts = {};  // by type; incomplete while `done` is less than `of`
  std::optional<client::Error> failed;         // a node could not be reached
  std::optional<client::Reply> refused;        // a node refused
};
Task<KeyPage> ask_for_keys(Services& services, KeyQuestion question);

// A longer name does not fit into the path of a request, three bytes for one: such a key is listed by the beginning of
// its name, and nothing else is kept of it.
inline constexpr size_t kLongestName = 4096;

// {"key","type","memory","expires","figures"}; of a name that is too long, `cut` and its `bytes`.
void append_key(std::string& json, const client::Reply& key, const std::optional<int64_t>& rate, bool is_dead);

// The list of keys of the console.
Task<Response> list_keys(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
