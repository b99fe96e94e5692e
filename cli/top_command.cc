#include "cli/top_command.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/activity.h"
#include "cli/duration.h"
#include "cli/exit_status.h"
#include "cli/server_options.h"
#include "cli/stop_signal.h"
#include "client/escape.h"

namespace millrace::cli {
namespace {

struct TopOptions {
  ServerOptions server;
  std::vector<std::string> keys;
  std::string sort = "rate";
  std::string interval = "2s";
  size_t rows = 20;
  uint64_t times = 0;
};

constexpr const char* kTopFooter =
    R"(Shows logs, channels and pools, those with the most (--sort) first: messages written a
second (not for pools), the lag of the slowest group, pending messages, clients that wait
for a channel or a pool, and messages held. The first view has no rates yet. KEY is a name
or a pattern; without it, every key is shown. At most 500 keys are looked at. On a terminal
each view replaces the one before; elsewhere it is printed below. Ctrl-C ends it.

Exit status: 0 ended, 1 the server refused it, 2 wrong call, 3 no server.

Examples:
  millrace top
  millrace top 'orders*' --sort lag --interval 500ms
  millrace top --times 2 --rows 5         two views, for a script)";

int complain_of_top(const client::Error& error) {
  std::fprintf(stderr, "millrace top: %s\n", error.text.c_str());
  return error.code == client::ErrorCode::BadInput ? kSomeFailed : kNoServer;
}

void sort_by(const std::string& what, std::vector<Activity>& all) {
  const auto by = [&](auto member) { std::ranges::stable_sort(all, std::ranges::greater(), member); };
  if (what == "rate") by(&Activity::rate);
  if (what == "lag") by(&Activity::lag);
  if (what == "pending") by(&Activity::pending);
  if (what == "waiting") by(&Activity::waiting);
  if (what == "messages") by(&Activity::messages);
}

void show(const std::vector<Activity>& all, const TopOptions& options, bool has_more) {
  std::string page = isatty(STDOUT_FILENO) == 1 ? "\x1b[H\x1b[2J" : "";
  char line[160];
  std::snprintf(line, sizeof line, "%10s %10s %9s %8s %11s  %-7s  %s\n", "WRITTEN/S", "LAG", "PENDING", "WAITING",
                "MESSAGES", "KIND", "KEY");
  page += line;
  for (size_t i = 0; i < std::min(all.size(), options.rows); ++i) {
    const Activity& one = all[i];
    std::snprintf(line, sizeof line, "%10.1f %10lld %9lld %8lld %11lld  %-7s  ", one.rate,
                  static_cast<long long>(one.lag), static_cast<long long>(one.pending),
                  static_cast<long long>(one.waiting), static_cast<long long>(one.messages), one.kind.c_str());
    page += line;
    client::append_printable(page, one.key);
    page += '\n';
  }
  if (has_more) page += "there are more keys than are looked at: name some by a pattern\n";
  std::printf("%s\n", page.c_str());
  std::fflush(stdout);
}

int run(const TopOptions& options) {
  const auto server = options.server.connection();
  const auto interval = parse_duration(options.interval);
  if (!server || !interval) {
    complain_of_top(server ? interval.error() : server.error());
    return kWrongCall;
  }
  StopSignal stop;
  ActivityWatch watch(*server, options.keys.empty() ? std::vector<std::string>{"*"} : options.keys);
  for (uint64_t views = 1; !stop.came(); ++views) {
    auto all = watch.look();
    if (!all) return complain_of_top(all.error());
    sort_by(options.sort, *all);
    show(*all, options, watch.has_more());
    if (views == options.times) break;
    pollfd waited{stop.descriptor(), POLLIN, 0};
    poll(&waited, 1, static_cast<int>(interval->count()));
  }
  return kDone;
}

}  // namespace

void add_top_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<TopOptions>();
  CLI::App* command = tool.add_subcommand("top", "Show what moves in logs, channels and pools, live");
  command->add_option("KEY", options->keys, "keys, by name or pattern");
  command->add_option("--sort", options->sort, "rate, lag, pending, waiting, messages or key")
      ->type_name("FIGURE")
      ->check(CLI::IsMember({"rate", "lag", "pending", "waiting", "messages", "key"}))
      ->capture_default_str();
  command->add_option("--interval", options->interval, "the time between two views")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--rows", options->rows, "how many keys to show")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--times", options->times, "end after so many views")->type_name("N")->check(CLI::PositiveNumber);
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  command->footer(kTopFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
