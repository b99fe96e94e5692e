#include "gateway/admin/needs.h"

#include <algorithm>
#include <tuple>

#include "gateway/admin/reply_json.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

using client::Reply;

// If a group has not finished its oldest message for kSlowMs, a person should look; for kStuckMs, a person must act.
constexpr int64_t kSlowMs = 60'000;
constexpr int64_t kStuckMs = 300'000;
constexpr int64_t kLongWaitMs = 30'000;
constexpr int64_t kFarBehind = 1000;         // messages of a channel
constexpr int64_t kReplicaBytes = 16 << 20;  // that a replica has not received yet
constexpr int64_t kLateMs = 5000;            // how long a scheduled message may be overdue

// A duration as people say it: "7 minutes".
std::string duration(int64_t ms) {
  const int64_t seconds = ms / 1000;
  if (seconds < 120) return std::to_string(seconds) + " seconds";
  if (seconds < 7200) return std::to_string(seconds / 60) + " minutes";
  if (seconds < 172'800) return std::to_string(seconds / 3600) + " hours";
  return std::to_string(seconds / 86'400) + " days";
}

std::string counted(int64_t count, const char* one, const char* many) {
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

std::string text_in(const Reply& map, std::string_view name) {
  const Reply* const value = find_field(map, name);
  return value == nullptr ? "" : value->text;
}

void judge_log(std::vector<Need>& needs, const std::string& key, const Reply& figures) {
  const int64_t oldest = number_in(figures, "oldest-ms");
  if (oldest >= kSlowMs) {
    needs.push_back({oldest >= kStuckMs, "group-stuck", "log", key, text_in(figures, "oldest-group"),
                     "has not finished a message for " + duration(oldest), unix_ms() - oldest});
  }
  const int64_t next = number_in(figures, "scheduled-next");
  if (next != 0 && next < unix_ms() - kLateMs) {
    needs.push_back({false, "schedule-refused", "log", key, "",
                     "messages that have been due for " + duration(unix_ms() - next) +
                         " are not written: the log refuses them, or the server is a replica",
                     next});
  }
}

void judge_pool(std::vector<Need>& needs, const std::string& key, const Reply& figures) {
  const int64_t stale = number_in(figures, "stale");
  if (stale == 0) return;
  const int64_t pending = number_in(figures, "pending");
  needs.push_back({pending > 0, "worker-stale", "pool", key, text_in(figures, "stale-worker"),
                   counted(stale, "worker is", "workers are") + " silent, and " +
                       counted(pending, "message of the pool is pending", "messages of the pool are pending")});
}

}  // namespace

void judge_key(std::vector<Need>& needs, const Reply& key) {
  const std::string& name = key.items[0].text;
  const std::string& type = key.items[1].text;
  const Reply& figures = key.items[4];
  if (type == "log") {
    judge_log(needs, name, figures);
  } else if (type == "pool") {
    judge_pool(needs, name, figures);
  } else if (type == "channel" && number_in(figures, "behind") > kFarBehind) {
    needs.push_back({false, "subscriber-behind", type, name, text_in(figures, "farthest"),
                     "is " + std::to_string(number_in(figures, "behind")) + " messages behind"});
  } else if (type == "index" && number_in(figures, "conflicts") > 0) {
    const int64_t count = number_in(figures, "conflicts");
    needs.push_back({false, "index-conflicts", type, name, "",
                     counted(count, "document is", "documents are") + " left out of the index: another one has " +
                         (count == 1 ? "its" : "their") + " value of a unique field"});
  }
}

void explain_stuck(Need& need, const Reply& pending) {
  if (pending.items.empty() || pending.items[0].items.size() < 5) {
    need.text += ": no worker holds a message, is one running?";
    return;
  }
  const std::vector<Reply>& oldest = pending.items[0].items;
  const std::string message = "message " + std::to_string(oldest[0].integer);
  const std::string attempt = "attempt " + std::to_string(oldest[1].integer);
  need.text += oldest[4].is_nil() ? ": no worker holds " + message + " after " + attempt
                                  : ": " + oldest[4].text + " holds " + message + " in " + attempt;
}

void judge_dead_letters(std::vector<Need>& needs, const std::string& log, int64_t messages, const std::string& key,
                        const std::string& group) {
  if (messages == 0) return;
  needs.push_back({true, "dead-letters", "log", log, group,
                   counted(messages, "message was", "messages were") + " given up by " + group + " of " + key});
}

void judge_waits(std::vector<Need>& needs, const Reply& waits) {
  if (const Reply* const cycles = find_field(waits, "cycles")) {
    for (const Reply& cycle : cycles->items) {
      std::string owners;
      for (const Reply& owner : cycle.items) owners += (owners.empty() ? "" : ", ") + owner.text;
      needs.push_back({true, "lock-circle", "lock", "", "", owners + " wait for each other's locks"});
    }
  }
  const Reply* const all = find_field(waits, "waits");
  if (all == nullptr) return;
  for (const Reply& wait : all->items) {
    const int64_t waited = number_in(wait, "waited");
    if (waited < kLongWaitMs) break;
    needs.push_back({false, "lock-waits", "lock", text_in(wait, "key"), text_in(wait, "owner"),
                     "has waited for the lock for " + duration(waited), unix_ms() - waited});
  }
}

void judge_node(std::vector<Need>& needs, const std::string& address, const InfoText& info) {
  const auto add = [&](bool must_act, const char* kind, std::string text) {
    needs.push_back({must_act, kind, "server", "", address, std::move(text)});
  };
  if (info.empty()) return add(true, "server-away", "the server does not answer");
  const int64_t limit = info.number("maxmemory");
  const int64_t used = info.number("used_memory");
  if (limit > 0 && used * 100 >= limit * 90) {
    add(used * 100 >= limit * 97, "memory-full",
        std::to_string(used * 100 / limit) + " percent of maxmemory is used (" + info.text("maxmemory_policy") + ')');
  }
  const bool is_saved = info.text("rdb_last_bgsave_status") != "err" && info.text("aof_last_write_status") != "err" &&
                        info.text("aof_last_bgrewrite_status") != "err";
  if (!is_saved) add(true, "not-persisted", "the last attempt to save the data failed");
  if (info.text("role") == "slave" && info.text("master_link_status") == "down") {
    add(true, "replica-behind", "the replica has lost its master");
  }
  for (int64_t i = 0; i < std::min<int64_t>(info.number("connected_slaves"), 100); ++i) {
    const std::string line = info.text("slave" + std::to_string(i));
    const std::string offset = part_of(line, "offset");
    const int64_t behind = offset.empty() ? 0 : info.number("master_repl_offset") - std::atoll(offset.c_str());
    if (part_of(line, "state") == "online" && behind < kReplicaBytes) continue;
    add(false, "replica-behind",
        "the replica " + part_of(line, "ip") + ':' + part_of(line, "port") + " is " + std::to_string(behind) +
            " bytes behind (" + part_of(line, "state") + ')');
  }
}

void sort_needs(std::vector<Need>& needs, size_t most) {
  std::ranges::stable_sort(needs, {},
                           [](const Need& need) { return std::tuple(!need.must_act, need.since.value_or(INT64_MAX)); });
  if (needs.size() > most) needs.resize(most);
}

void append_needs(std::string& json, const std::vector<Need>& needs) {
  json += '[';
  for (const Need& need : needs) {
    if (json.back() != '[') json += ',';
    json += need.must_act ? R"({"severity":"act","kind":)" : R"({"severity":"look","kind":)";
    append_string(json, need.kind);
    json += ",\"type\":";
    append_string(json, need.type);
    json += ",\"key\":";
    append_bytes(json, need.key);
    json += ",\"name\":";
    append_bytes(json, need.name);
    json += ",\"text\":";
    append_string(json, need.text);
    json += ",\"since\":" + (need.since ? std::to_string(*need.since) : "null") + '}';
  }
  json += ']';
}

}  // namespace millrace::gateway
