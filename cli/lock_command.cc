#include "cli/lock_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/duration.h"
#include "cli/exit_status.h"
#include "cli/guarded_run.h"
#include "cli/server_options.h"

namespace millrace::cli {
namespace {

using client::Milliseconds;

struct LockOptions {
  ServerOptions servers;
  std::vector<std::string> nodes;  // --to under its earlier name
  std::string ttl = "30s";
  std::string wait = "0";
  std::string grace = "5s";
  std::string patience;  // empty: Redlock's default
  bool shared = false;
  uint64_t limit = 1;
  bool quiet = false;
  std::string name;
  std::vector<std::string> parsed;  // the command as the parser sees it; what is run is `command`
  std::vector<std::string> command;
};

constexpr const char* kLockFooter =
    R"(The lock is renewed while the command runs, and given back when it ends. If it is lost,
the command gets SIGTERM, and SIGKILL after --grace.

With several --to servers, which know nothing of each other, it is held by who has it
at a majority of them (Redlock): a minority may be dead, frozen or wrong about the time.
All are asked at the same time, and each may take --patience to answer. With --limit more
than a majority is needed: of 5 servers with a limit of 3, 4. Two names of one server are
refused. In a cluster the node that keeps the lock is found by itself.
Servers with the Millrace module are asked with LOCK.ACQUIRE, others with SET NX PX;
--shared and --limit need the module.

With --wait, one server with the module serves first who came first. Several servers, or
one without the module, are asked again and again, and luck decides.

The command finds in its environment MILLRACE_LOCK, MILLRACE_LOCK_OWNER and, if all servers
that granted it have the module, MILLRACE_LOCK_TOKEN: a number greater than any earlier
holder's. What the command writes to can refuse smaller ones.

Exit status: the command's own (128 + n if signal n ended it), 2 wrong call, 3 no majority
of the servers can be reached, 75 somebody else holds the lock, 76 the lock was lost, 126 or
127 the command cannot be run or found.

Examples:
  millrace lock --quiet nightly-report -- ./report.sh         in a cron job on every machine
  millrace lock --wait 10s --ttl 1m deploy -- ./deploy.sh
  millrace lock --to a:6379 --to b:6379 --to c:6379 payments -- ./run-payments)";

int refuse(const std::string& text, int status) {
  std::fprintf(stderr, "millrace lock: %s\n", text.c_str());
  return status;
}

client::Result<std::vector<client::ConnectionOptions>> servers_of(const LockOptions& options) {
  ServerOptions servers = options.servers;
  servers.to.insert(servers.to.end(), options.nodes.begin(), options.nodes.end());
  return servers.connections();
}

// Here not to wait is allowed as a time.
client::Result<Milliseconds> parse_wait(const std::string& text) {
  if (text == "0") return Milliseconds(0);
  return parse_duration(text);
}

int run(const LockOptions& options) {
  const auto ttl = parse_duration(options.ttl);
  const auto wait = parse_wait(options.wait);
  const auto grace = parse_duration(options.grace);
  const auto patience = options.patience.empty() ? client::Result<Milliseconds>(0) : parse_duration(options.patience);
  auto servers = servers_of(options);
  for (const auto& time : {ttl, wait, grace, patience}) {
    if (!time) return refuse(time.error().text, kWrongCall);
  }
  if (!servers) return refuse(servers.error().text, kWrongCall);
  if (options.command.empty()) return refuse("the command must stand behind --", kWrongCall);
  if (options.name.empty()) return refuse("a lock needs a name", kWrongCall);
  if (*ttl < Milliseconds(100)) return refuse("--ttl must be 100ms at least", kWrongCall);

  if (*patience > *ttl / 3) return refuse("--patience must be a third of --ttl at most", kWrongCall);

  client::RedlockOptions wanted{.ttl = *ttl, .mode = {.is_shared = options.shared, .permits = options.limit}};
  if (*patience > Milliseconds(0)) wanted.patience = *patience;
  StopSignal stop;
  client::Redlock lock(std::move(*servers), options.name, wanted);
  const auto held = lock.acquire(*wait, stop.descriptor());
  if (stop.came()) {
    if (held && *held) lock.release();
    return 128 + stop.number();
  }
  if (!held) {
    const bool is_our_fault = held.error().code == client::ErrorCode::BadInput;
    return refuse(held.error().text, is_our_fault ? kWrongCall : kNoServer);
  }
  if (!*held) {
    if (options.quiet) return kNotAcquired;
    return refuse("somebody else holds the lock " + options.name, kNotAcquired);
  }
  return GuardedRun(lock, **held, *ttl, *grace, stop).run(options.command);
}

}  // namespace

std::vector<std::string> take_locked_command(int& argc, char** argv) {
  if (argc < 2 || argv[1] != std::string_view("lock")) return {};
  char** const end = argv + argc;
  char** const dashes = std::find(argv + 2, end, std::string_view("--"));
  if (dashes == end || dashes + 1 == end) return {};
  std::vector<std::string> command(dashes + 1, end);
  argc = static_cast<int>(dashes + 2 - argv);
  argv[argc] = nullptr;
  return command;
}

void add_lock_command(CLI::App& tool, std::vector<std::string> locked, int& status) {
  auto options = std::make_shared<LockOptions>();
  options->command = std::move(locked);
  CLI::App* command = tool.add_subcommand("lock", "Run a command under a lock");
  command->add_option("NAME", options->name, "the lock's key")->required();
  command->add_option("COMMAND", options->parsed, "what to run, with its arguments, behind --")->required();
  options->servers.add_to(*command, "a server: host:port, redis://, ... (millrace --help); several for Redlock");
  command->add_option("--node", options->nodes, "deprecated: the old spelling of --to")
      ->type_name("ADDRESS")
      ->allow_extra_args(false);
  command->add_option("--ttl", options->ttl, "how long the lock is held if we cannot renew it")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--wait", options->wait, "how long to wait for it")->type_name("TIME")->capture_default_str();
  command->add_option("--grace", options->grace, "from SIGTERM to SIGKILL when the lock is lost")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--patience", options->patience, "how long one server may take; else a tenth of --ttl, 1s at most")
      ->type_name("TIME");
  CLI::Option* shared = command->add_flag("--shared", options->shared, "hold it with all who ask for the same");
  command->add_option("--limit", options->limit, "hold it with so many in all, as a semaphore")
      ->type_name("N")
      ->check(CLI::Range(uint64_t{1}, uint64_t{UINT32_MAX}))
      ->excludes(shared);
  command->add_flag("--quiet", options->quiet, "say nothing if somebody else holds it");
  command->footer(kLockFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
