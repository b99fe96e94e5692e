#include "cli/tail_command.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include "cli/exit_status.h"
#include "cli/log_follower.h"
#include "cli/moment.h"
#include "cli/server_options.h"
#include "client/escape.h"

namespace millrace::cli {
namespace {

struct TailOptions {
  ServerOptions server;
  FollowOptions follow;
  FollowedGroup group;
  double retry_seconds = 30;
  unsigned connect_for = 0;
  bool as_json = false;
  std::string until;
  bool does_not_follow = false;
};

constexpr const char* kTailFooter =
    R"(One line a message: its offset, its tag and its entry, with a tab between them. Line
ends, tabs, backslashes and bytes that are not text are escaped: \n, \t, \\, \xff.
With --json a line is {"offset":17,"tag":"paid","entry":"...","time":1795007130000}, the
time in Unix milliseconds and without a group only; bytes that are not UTF-8 become
\u0080 to \u00ff.

Without a group it reads from --from on and disturbs no other reader: an offset, -n for
the last n offsets, '$' for new ones only, or a time: 2026-11-18T13:05:00Z (UTC, or with
+02:00), 2026-11-18, or how long ago: 30s, 10m, 2h. --until ends before the first message
that was written at that time or later; --no-follow ends with the last message that is
there.
Where messages were taken out of a log (TRETAIN LATEST), the last n offsets hold fewer
than n. With --group each message goes to one of the group's readers; it is acknowledged
after it was printed, and comes again if we die before.

It goes on when the server restarts, and ends with Ctrl-C. A log that was deleted and
created again is read from its beginning.

Exit status: 0 ended by Ctrl-C, 1 the server refused it, 2 wrong call, 3 no server,
4 the output cannot be written.

Examples:
  millrace tail orders                        the last ten offsets, then what comes
  millrace tail orders --from 1 --json | jq   the whole log, as JSON
  millrace tail orders --from 2h --until 1h --no-follow
  millrace tail jobs --group mailers --consumer ann)";

int64_t present_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Checks --from by the rules of TREAD; returns what is wrong with it, or nothing.
std::string is_a_place(const std::string& word) {
  int64_t offset = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), offset);
  const bool is_number = problem == std::errc() && end == word.data() + word.size();
  if (word == "$" || (is_number && offset != 0)) return {};
  if (!is_number && parse_moment(word, present_ms())) return {};
  return word + " is no place in a log: an offset from 1 on, -n for the last n, '$' for new ones only, or a time";
}

std::string line_of(const Message& message, bool as_json) {
  std::string line =
      as_json ? "{\"offset\":" + std::to_string(message.offset) + ",\"tag\":" : std::to_string(message.offset) + '\t';
  const auto append = as_json ? client::append_json_string : client::append_printable;
  append(line, message.tag);
  line += as_json ? ",\"entry\":" : "\t";
  append(line, message.entry);
  if (!as_json) return line + '\n';
  if (message.written) line += ",\"time\":" + std::to_string(*message.written);
  if (message.attempts) line += ",\"attempts\":" + std::to_string(*message.attempts);
  return line + "}\n";
}

// False when nothing more can be written to the output.
bool print(const Message& message, bool as_json) {
  const std::string line = line_of(message, as_json);
  return std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
}

int run(TailOptions& options) {
  auto server = options.server.connection();
  if (!server) {
    std::fprintf(stderr, "millrace tail: %s\n", server.error().text.c_str());
    return kWrongCall;
  }
  if (!options.group.name.empty()) {
    options.group.retry_ms = static_cast<int64_t>(options.retry_seconds * 1000);
    options.follow.group = options.group;
  }
  const int64_t now = present_ms();
  // A value that is not a time is an offset; that was checked.
  if (const auto since = parse_moment(options.follow.from, now)) options.follow.since = *since;
  if (!options.until.empty()) {
    const auto until = parse_moment(options.until, now);
    if (!until) {
      std::fprintf(stderr, "millrace tail: %s\n", until.error().text.c_str());
      return kWrongCall;
    }
    options.follow.until = *until;
  }
  options.follow.follows = !options.does_not_follow;
  options.follow.connect_for = client::Milliseconds(1000 * static_cast<int64_t>(options.connect_for));
  StopSignal stop;
  LogFollower follower(*server, options.follow, stop);
  bool can_print = true;
  int why_not = 0;
  const auto note = [&](bool is_printed) {
    can_print = is_printed;
    if (!can_print) why_not = errno;
    return can_print;
  };
  const LogFollower::Show show{[&](const Message& message) { return note(print(message, options.as_json)); },
                               [&] { return note(std::fflush(stdout) == 0); }};
  const auto done = follower.follow(
      show, [](const std::string& sentence) { std::fprintf(stderr, "millrace tail: %s\n", sentence.c_str()); });
  if (!done) {
    std::fprintf(stderr, "millrace tail: %s\n", done.error().text.c_str());
    return done.error().code == client::ErrorCode::Unreachable ? kNoServer : kSomeFailed;
  }
  if (!can_print) {
    std::fprintf(stderr, "millrace tail: cannot write: %s\n", std::strerror(why_not));
    return kCannotWrite;
  }
  return kDone;
}

}  // namespace

void add_tail_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<TailOptions>();
  CLI::App* command = tool.add_subcommand("tail", "Follow a log, one line a message");
  command->add_option("KEY", options->follow.key, "the log's key")->required();
  auto* from =
      command
          ->add_option("--from", options->follow.from, "an offset, -n for the last n, '$' for new ones only, or a time")
          ->check(is_a_place, "")
          ->type_name("PLACE")
          ->capture_default_str();
  auto* until = command->add_option("--until", options->until, "end before what was written then")->type_name("TIME");
  auto* stays = command->add_flag("--no-follow", options->does_not_follow, "end with the last message that is there");
  auto* group = command->add_option("--group", options->group.name, "read for this group, and acknowledge")
                    ->type_name("GROUP")
                    ->excludes(from)
                    ->excludes(until)
                    ->excludes(stays);
  command->add_option("--consumer", options->group.consumer, "the name under which the group's messages are ours")
      ->type_name("NAME")
      ->needs(group);
  command->add_option("--retry", options->retry_seconds, "what is not acknowledged by then comes again")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 4'000'000.0))
      ->capture_default_str()
      ->needs(group);
  command->add_flag("--json", options->as_json, "one JSON object a message");
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  add_connect_for(*command, options->connect_for);
  command->footer(kTailFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
