#include "cli/doctor_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/doctor/key_checks.h"
#include "cli/doctor/server_checks.h"
#include "cli/exit_status.h"
#include "cli/server_options.h"
#include "client/cluster_map.h"
#include "client/escape.h"
#include "version.h"

namespace millrace::cli {
namespace {

struct DoctorOptions {
  ServerOptions server;
  bool as_json = false;
};

constexpr const char* kDoctorFooter =
    R"(Looks at settings, versions, memory, persistence and replication of the server, or of every
master of a cluster, and at all keys of our types: groups that do not finish, what holds a
log's beginning, messages that were lost or given up, stale workers, filters that fail,
conflicts of indexes, deadlocks. It changes nothing. Each finding is a line that says what
to do. Keys are found by SCAN, page by page.

Exit status: 0 no problem was found (there may be advice), 1 there is a problem, or the
server refused a question, 2 wrong call, 3 no server.

Examples:
  millrace doctor
  millrace doctor --to rediss://db1:6380 --json | jq .what)";

int complain_of_doctor(const client::Error& error) {
  std::fprintf(stderr, "millrace doctor: %s\n", error.text.c_str());
  return error.code == client::ErrorCode::BadInput ? kSomeFailed : kNoServer;
}

// 10203 for "1.2.3", which is the form of MODULE LIST.
int64_t number_of_version(const char* text) {
  int major = 0, minor = 0, patch = 0;
  std::sscanf(text, "%d.%d.%d", &major, &minor, &patch);
  return (major * 100 + minor) * 100 + patch;
}

client::Result<void> look_at_nodes(const client::ConnectionOptions& server, doctor::Findings& findings) {
  client::Connection first(server);
  const auto map = client::ClusterMap::ask(first);
  if (!map) return std::unexpected(map.error());
  for (const client::Endpoint& endpoint : map->is_cluster() ? map->nodes() : std::vector{first.endpoint()}) {
    client::Connection node(server);
    if (map->is_cluster()) node.redirect(endpoint);
    const auto facts = doctor::ServerFacts::ask(node);
    if (!facts) return std::unexpected(facts.error());
    doctor::Findings found;
    doctor::check_server(*facts, number_of_version(MILLRACE_VERSION), found);
    if (auto locks = doctor::check_locks(node, found); !locks) return locks;
    for (doctor::Finding& one : found) {
      if (map->is_cluster()) one.where = endpoint.text() + " " + one.where;
      findings.push_back(std::move(one));
    }
  }
  return {};
}

client::Result<void> look_at_keys(const client::ConnectionOptions& server, doctor::Findings& findings) {
  client::KeyConnection keys(server);
  return client::KeyWalk(server).each({"*"}, [&](const client::FoundKey& key) -> client::Result<void> {
    auto checked = doctor::check_key(keys, key, findings);
    if (!checked) return client::fail(checked.error().code, key.name + ": " + checked.error().text);
    return {};
  });
}

void print(const doctor::Finding& finding, bool as_json) {
  const bool is_problem = finding.weight == doctor::Finding::Weight::Problem;
  std::string line;
  if (as_json) {
    line = std::string("{\"weight\":\"") + (is_problem ? "problem" : "advice") + "\",\"where\":";
    client::append_json_string(line, finding.where);
    line += ",\"what\":";
    client::append_json_string(line, finding.what);
    line += ",\"remedy\":";
    client::append_json_string(line, finding.remedy);
    line += '}';
  } else {
    line = is_problem ? "PROBLEM  " : "advice   ";
    client::append_printable(line, finding.where + ": " + finding.what);
    line += "\n         -> ";
    client::append_printable(line, finding.remedy);
  }
  std::printf("%s\n", line.c_str());
}

int run(const DoctorOptions& options) {
  const auto server = options.server.connection();
  if (!server) {
    complain_of_doctor(server.error());
    return kWrongCall;
  }
  doctor::Findings findings;
  auto done = look_at_nodes(*server, findings);
  if (done) done = look_at_keys(*server, findings);
  std::ranges::stable_sort(findings, {}, &doctor::Finding::weight);
  for (const doctor::Finding& finding : findings) print(finding, options.as_json);
  if (!done) return complain_of_doctor(done.error());
  const auto problems = std::ranges::count(findings, doctor::Finding::Weight::Problem, &doctor::Finding::weight);
  if (!options.as_json) {
    std::printf("%lld problems, %lld pieces of advice\n", static_cast<long long>(problems),
                static_cast<long long>(findings.size()) - static_cast<long long>(problems));
  }
  return problems > 0 ? kSomeFailed : kDone;
}

}  // namespace

void add_doctor_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = tool.add_subcommand("doctor", "Look for what is wrong with a server, and say what to do");
  command->add_flag("--json", options->as_json, "one JSON object a finding");
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  command->footer(kDoctorFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
