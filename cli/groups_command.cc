#include "cli/groups_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_status.h"
#include "cli/server_options.h"
#include "client/copy/key_size.h"
#include "client/escape.h"
#include "client/export/key_walk.h"

namespace millrace::cli {
namespace {

struct GroupsOptions {
  ServerOptions server;
  std::vector<std::string> keys;
  bool as_json = false;
};

struct GroupRow {
  std::string log, name, dead_letter;
  int64_t lag, pending, oldest_ms, redelivered, given_up, lost;
};

constexpr const char* kGroupsFooter =
    R"(One line a group, the one with the oldest unfinished message first: messages that were not
delivered (lag), messages delivered and not acknowledged (pending), the age of the oldest
of both, redeliveries, messages given up, messages lost, and the log of its dead letters.
KEY is a name or a pattern; without it, the groups of every log are listed.

Exit status: 0 done, 1 the server refused it, 2 wrong call, 3 no server.

Examples:
  millrace groups
  millrace groups 'orders*' --json | jq 'select(.lag > 1000)')";

int complain_of_groups(const client::Error& error) {
  std::fprintf(stderr, "millrace groups: %s\n", error.text.c_str());
  return error.code == client::ErrorCode::BadInput ? kSomeFailed : kNoServer;
}

GroupRow row_of(const std::string& log, const client::Reply& group) {
  const auto number = [&](std::string_view name) {
    const client::Reply* value = client::field_in(group, name);
    return value == nullptr ? 0 : value->integer;
  };
  const auto text = [&](std::string_view name) {
    const client::Reply* value = client::field_in(group, name);
    return value == nullptr ? "" : value->text;
  };
  return {.log = log,
          .name = text("name"),
          .dead_letter = text("dead-letter"),
          .lag = number("lag"),
          .pending = number("pending"),
          .oldest_ms = number("oldest-ms"),
          .redelivered = number("redelivered"),
          .given_up = number("expired") + number("exhausted"),
          .lost = number("lost")};
}

void print_json(const GroupRow& row) {
  std::string line = "{\"log\":";
  client::append_json_string(line, row.log);
  line += ",\"group\":";
  client::append_json_string(line, row.name);
  const std::pair<const char*, int64_t> numbers[] = {{"lag", row.lag},
                                                     {"pending", row.pending},
                                                     {"oldest_ms", row.oldest_ms},
                                                     {"redelivered", row.redelivered},
                                                     {"given_up", row.given_up},
                                                     {"lost", row.lost}};
  for (const auto& [name, number] : numbers) line += ",\"" + std::string(name) + "\":" + std::to_string(number);
  line += ",\"dead_letter\":";
  if (row.dead_letter.empty()) {
    line += "null";
  } else {
    client::append_json_string(line, row.dead_letter);
  }
  std::printf("%s}\n", line.c_str());
}

void print_table(const std::vector<GroupRow>& rows) {
  size_t log = 3, name = 5;
  std::vector<std::pair<std::string, std::string>> shown;
  for (const GroupRow& row : rows) {
    auto& [shown_log, shown_name] = shown.emplace_back();
    client::append_printable(shown_log, row.log);
    client::append_printable(shown_name, row.name);
    log = std::max(log, shown_log.size());
    name = std::max(name, shown_name.size());
  }
  const int wide = static_cast<int>(log), narrow = static_cast<int>(name);
  std::printf("%-*s  %-*s  %10s  %8s  %9s  %9s  %8s  %6s  %s\n", wide, "LOG", narrow, "GROUP", "LAG", "PENDING",
              "OLDEST S", "AGAIN", "GIVEN UP", "LOST", "DEAD LETTERS");
  for (size_t i = 0; i < rows.size(); ++i) {
    const GroupRow& row = rows[i];
    std::string dead;
    client::append_printable(dead, row.dead_letter);
    std::printf("%-*s  %-*s  %10lld  %8lld  %9.1f  %9lld  %8lld  %6lld  %s\n", wide, shown[i].first.c_str(), narrow,
                shown[i].second.c_str(), static_cast<long long>(row.lag), static_cast<long long>(row.pending),
                static_cast<double>(row.oldest_ms) / 1000, static_cast<long long>(row.redelivered),
                static_cast<long long>(row.given_up), static_cast<long long>(row.lost),
                dead.empty() ? "-" : dead.c_str());
  }
}

int run(const GroupsOptions& options) {
  const auto server = options.server.connection();
  if (!server) {
    complain_of_groups(server.error());
    return kWrongCall;
  }
  client::KeyConnection keys(*server);
  std::vector<GroupRow> rows;
  const auto walked = client::KeyWalk(*server).each(
      options.keys.empty() ? std::vector<std::string>{"*"} : options.keys,
      [&](const client::FoundKey& key) -> client::Result<void> {
        const bool is_named = std::ranges::find(options.keys, key.name) != options.keys.end();
        if (is_named && key.type != "millr-log") {
          return client::fail(client::ErrorCode::BadInput, key.name + " is no log, but " + key.type);
        }
        if (key.type != "millr-log") return {};
        const auto groups = keys.call({"TGROUP", "LIST", key.name});
        if (!groups) return std::unexpected(groups.error());
        if (groups->is_error()) return client::fail(client::ErrorCode::BadInput, key.name + ": " + groups->text);
        for (const client::Reply& group : groups->items) rows.push_back(row_of(key.name, group));
        return {};
      });
  if (!walked) return complain_of_groups(walked.error());
  std::ranges::stable_sort(rows, std::ranges::greater(), &GroupRow::oldest_ms);
  if (options.as_json) {
    for (const GroupRow& row : rows) print_json(row);
  } else {
    print_table(rows);
  }
  return kDone;
}

}  // namespace

void add_groups_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<GroupsOptions>();
  CLI::App* command = tool.add_subcommand("groups", "List the groups of logs, and how far behind each is");
  command->add_option("KEY", options->keys, "logs, by name or pattern");
  command->add_flag("--json", options->as_json, "one JSON object a group");
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  command->footer(kGroupsFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
