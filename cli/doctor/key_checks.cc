#include "cli/doctor/key_checks.h"

#include "client/copy/key_size.h"

namespace millrace::cli::doctor {
namespace {

using client::field_in;
using client::KeyConnection;
using client::Reply;
using client::Result;
using Weight = Finding::Weight;

int64_t number_in(const Reply& map, std::string_view name) {
  const Reply* value = field_in(map, name);
  return value == nullptr ? 0 : value->integer;
}

std::string text_in(const Reply& map, std::string_view name) {
  const Reply* value = field_in(map, name);
  return value == nullptr ? "" : value->text;
}

Result<Reply> ask(KeyConnection& server, std::initializer_list<std::string_view> words) {
  auto reply = server.call(words);
  if (reply && reply->is_error()) return client::fail(client::ErrorCode::BadInput, reply->text);
  return reply;
}

std::string minutes(int64_t milliseconds) { return std::to_string(milliseconds / 60'000) + " minutes"; }

void check_group(const std::string& log, const Reply& group, Findings& findings) {
  const std::string name = text_in(group, "name");
  const int64_t oldest = number_in(group, "oldest-ms"), lag = number_in(group, "lag"),
                pending = number_in(group, "pending");
  if (oldest > kOldMs) {
    findings.push_back({Weight::Problem, log,
                        "group " + name + " has not finished a message that is " + minutes(oldest) + " old (lag " +
                            std::to_string(lag) + ", pending " + std::to_string(pending) + ")",
                        pending > 0 ? "TGROUP PENDING " + log + " " + name + " names the consumers; start or mend them"
                                    : "no client reads for it: start its workers, or TGROUP DROP " + log + " " + name});
  }
  if (pending > 0 && pending >= number_in(group, "pending-max")) {
    findings.push_back({Weight::Problem, log,
                        "group " + name + " has as many pending messages as it may: readers get nothing",
                        "let workers acknowledge, or raise TGROUP SET " + log + " " + name + " PENDINGMAX"});
  }
  if (number_in(group, "lost") > 0) {
    findings.push_back(
        {Weight::Problem, log,
         std::to_string(number_in(group, "lost")) + " messages were evicted before group " + name + " had them",
         "raise the limits (TRETAIN " + log + "), or set ACKED yes or REFUSE yes"});
  }
  const Reply* dead = field_in(group, "dead-letter");
  if (number_in(group, "exhausted") + number_in(group, "expired") > 0 && (dead == nullptr || dead->is_nil())) {
    findings.push_back({Weight::Problem, log, "group " + name + " has given messages up, and keeps no dead letters",
                        "TGROUP SET " + log + " " + name + " DEADLETTER key"});
  }
}

Result<void> check_log(KeyConnection& server, const std::string& log, Findings& findings) {
  const auto info = ask(server, {"TINFO", log});
  if (!info) return std::unexpected(info.error());
  const auto groups = ask(server, {"TGROUP", "LIST", log});
  if (!groups) return std::unexpected(groups.error());
  for (const Reply& group : groups->items) check_group(log, group, findings);
  if (text_in(*info, "tail-held-by") == "group") {
    findings.push_back({Weight::Advice, log, "group " + text_in(*info, "tail-held-by-group") + " holds its beginning",
                        "the log shrinks when this group goes on: millrace groups " + log});
  }
  const bool is_limited =
      number_in(*info, "retain-count") + number_in(*info, "retain-age") + number_in(*info, "retain-bytes") > 0 ||
      text_in(*info, "retain-acked") == "yes" || text_in(*info, "retain-latest") == "yes";
  if (!is_limited && number_in(*info, "messages") > 100'000) {
    findings.push_back({Weight::Advice, log,
                        std::to_string(number_in(*info, "messages")) + " messages, and no limit: it grows for ever",
                        "TRETAIN " + log + " AGE milliseconds, COUNT n, or ACKED yes"});
  }
  return {};
}

Result<void> check_pool(KeyConnection& server, const std::string& pool, Findings& findings) {
  const auto info = ask(server, {"SHARD.INFO", pool});
  if (!info) return std::unexpected(info.error());
  if (number_in(*info, "unsent") > 0) {
    findings.push_back({Weight::Problem, pool, "dead letters cannot be written to their log",
                        "see what is at the key " + text_in(*info, "deadletter")});
  }
  const Reply* workers = field_in(*info, "workers");
  bool has_worker = number_in(*info, "cursor") != 0;  // further pages have some
  for (const Reply& worker : workers == nullptr ? std::vector<Reply>() : workers->items) {
    has_worker = has_worker || text_in(worker, "state") == "working";
    if (number_in(worker, "stale") == 0) continue;
    findings.push_back({Weight::Problem, pool, "worker " + text_in(worker, "name") + " is stale",
                        "its recipients move when another worker is there; see why it does not answer"});
  }
  if (!has_worker && number_in(*info, "pending") > 0) {
    findings.push_back({Weight::Problem, pool,
                        std::to_string(number_in(*info, "pending")) + " messages are pending, and there is no worker",
                        "start workers"});
  }
  return {};
}

Result<void> check_table(KeyConnection& server, const std::string& table, Findings& findings) {
  const auto info = ask(server, {"ROUTE.INFO", table});
  if (!info) return std::unexpected(info.error());
  if (number_in(*info, "filter-failures") > 0) {
    findings.push_back({Weight::Problem, table, "filters could not be evaluated, and matched nothing",
                        "ROUTE.INFO " + table + " names them under failing-filters"});
  }
  return {};
}

Result<void> check_index(KeyConnection& server, const std::string& index, Findings& findings) {
  const auto info = ask(server, {"IDX.INFO", index});
  if (!info) return std::unexpected(info.error());
  if (number_in(*info, "conflicts") > 0) {
    findings.push_back({Weight::Problem, index, "documents have the same value in a unique field",
                        "IDX.CONFLICTS " + index + " lists them"});
  }
  if (number_in(*info, "skipped") > 0) {
    findings.push_back(
        {Weight::Advice, index, "documents have values that are not indexed", "IDX.SKIPPED " + index + " lists them"});
  }
  return {};
}

}  // namespace

Result<void> check_key(KeyConnection& server, const client::FoundKey& key, Findings& findings) {
  if (key.type == "millr-log") return check_log(server, key.name, findings);
  if (key.type == "millr-shd") return check_pool(server, key.name, findings);
  if (key.type == "millr-rte") return check_table(server, key.name, findings);
  if (key.type == "millr-idx") return check_index(server, key.name, findings);
  return {};
}

Result<void> check_locks(client::Connection& node, Findings& findings) {
  const auto waits = node.call({"LOCK.WAITS"});
  if (!waits) return std::unexpected(waits.error());
  const Reply* cycles = waits->is_error() ? nullptr : field_in(*waits, "cycles");
  for (const Reply& cycle : cycles == nullptr ? std::vector<Reply>() : cycles->items) {
    std::string owners;
    for (const Reply& owner : cycle.items) owners += (owners.empty() ? "" : ", ") + owner.text;
    findings.push_back({Weight::Problem, "locks", "deadlock: each of these waits for the next: " + owners,
                        "it ends when a lease ends, or with LOCK.BREAK; take locks in one order"});
  }
  return {};
}

}  // namespace millrace::cli::doctor
