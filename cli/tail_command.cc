#include "cli/tail_command.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include "cli/exit_status.h"
#include "cli/log_follower.h"
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
};

constexpr const char* kTailFooter =
    R"(One line a message: its offset, its tag and its entry, with a tab between them. Line
ends, tabs, backslashes and bytes that are not text are escaped: \n, \t, \\, \xff.
With --json a line is {"offset":17,"tag":"paid","entry":"..."}; bytes that are not
UTF-8 become \u0080 to \u00ff.

Without a group it reads from --from on and disturbs nobody: an offset, -n for the last
n offsets, '$' for new ones only. Where messages were taken out of a log (TRETAIN LATEST),
the last n offsets hold fewer than n. With --group each message goes to one of the group's
readers; it is acknowledged after it was printed, and comes again if we die before.

It goes on when the server restarts, and ends with Ctrl-C. A log that was deleted and
written anew is read from its beginning.

Exit status: 0 ended by Ctrl-C, 1 the server refused it, 2 wrong call, 3 no server,
4 the output cannot be written.

Examples:
  millrace tail orders                        the last ten offsets, then what comes
  millrace tail orders --from 1 --json | jq   the whole log, as JSON
  millrace tail jobs --group mailers --consumer ann)";

// A check of --from, as TREAD will understand it: what is wrong with the word, or nothing.
std::string is_a_place(const std::string& word) {
  int64_t offset = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), offset);
  const bool is_number = problem == std::errc() && end == word.data() + word.size();
  if (word == "$" || (is_number && offset != 0)) return {};
  return word + " is no place in a log: an offset from 1 on, -n for the last n, or '$' for new ones only";
}

std::string line_of(const Message& message, bool as_json) {
  std::string line =
      as_json ? "{\"offset\":" + std::to_string(message.offset) + ",\"tag\":" : std::to_string(message.offset) + '\t';
  const auto append = as_json ? client::append_json_string : client::append_printable;
  append(line, message.tag);
  line += as_json ? ",\"entry\":" : "\t";
  append(line, message.entry);
  if (!as_json) return line + '\n';
  if (message.attempts) line += ",\"attempts\":" + std::to_string(*message.attempts);
  return line + "}\n";
}

// False when the output takes no more.
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
      command->add_option("--from", options->follow.from, "an offset, -n for the last n, '$' for new ones only")
          ->check(is_a_place, "")
          ->type_name("OFFSET")
          ->capture_default_str();
  auto* group = command->add_option("--group", options->group.name, "read for this group, and acknowledge")
                    ->type_name("GROUP")
                    ->excludes(from);
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
