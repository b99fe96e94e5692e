#include "cli/demo_command.h"

#include <cstdio>
#include <memory>
#include <string>

#include "cli/demo/show.h"
#include "cli/duration.h"
#include "cli/exit_status.h"
#include "cli/server_options.h"

namespace millrace::cli {
namespace {

struct DemoOptions {
  ServerOptions server;
  std::string length = "10m";
  double rate = 50;
  bool only_cleans = false;
  unsigned connect_for = 0;
};

constexpr const char* kDemoFooter =
    R"(Simulates a small shop on the server, so that there is something to see in the console or
by hand: orders in a log, groups of workers that sometimes fail, dead letters, delayed
reminders, a channel with a subscriber that is behind, devices in a routing table, a pool
with a worker that dies now and then, locks with clients in line and sometimes a deadlock,
an index over customers, suggestions.

Its keys are demo:{shop}:*; in a cluster all of them are on one node. When it ends, by
itself or by Ctrl-C, it removes them. It never touches other keys, and does not start if
other keys have such names. One demo runs on a server at a time. If a demo was killed
(kill -9), --clean or the next start removes its keys.

Exit status: 0 it was played and removed, 1 it cannot be played here, 2 wrong call, 3 no
server.

Examples:
  millrace demo                       for ten minutes
  millrace demo --for 1h --rate 500   longer, and with more going on
  millrace demo --clean               only removes what is left of one that was killed)";

int run(const DemoOptions& options) {
  const auto wrong = [](const client::Error& error) {
    std::fprintf(stderr, "millrace demo: %s\n", error.text.c_str());
    return kWrongCall;
  };
  const auto server = options.server.connection();
  if (!server) return wrong(server.error());
  const auto length = parse_duration(options.length);
  if (!length) return wrong(length.error());
  const demo::ShowOptions show{.server = *server,
                               .rate = options.rate,
                               .length = *length,
                               .connect_for = client::Milliseconds(1000 * static_cast<int64_t>(options.connect_for))};
  if (options.only_cleans) return demo::clean(show);
  StopSignal stop(StopSignal::Second::Counts);
  return demo::play(show, stop);
}

}  // namespace

void add_demo_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command = tool.add_subcommand("demo", "Play a small shop on a server, to look at");
  command->add_option("--for", options->length, "how long: 30s, 10m, 2h")->type_name("TIME")->capture_default_str();
  command->add_option("--rate", options->rate, "about how many messages a second")
      ->type_name("N")
      ->check(CLI::Range(1.0, 10'000.0))
      ->capture_default_str();
  command->add_flag("--clean", options->only_cleans, "only remove what is left of a demo that was killed");
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  add_connect_for(*command, options->connect_for);
  command->footer(kDemoFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
