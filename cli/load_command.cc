#include "cli/load_command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "cli/exit_status.h"
#include "cli/input_options.h"
#include "cli/load_session.h"
#include "cli/server_options.h"
#include "client/server_url.h"

namespace millrace::cli {
namespace {

struct LoadCommandOptions {
  ServerOptions server;
  InputOptions input;
  unsigned connections = 1;
  size_t pipeline = 10'000;
  std::string errors;
  std::string checkpoint;
  bool is_strict = false;
  uint64_t max_errors = 0;
  bool is_quiet = false;
  bool allows_dangerous = false;
  unsigned timeout = 60;
  unsigned retry_for = 60;
  unsigned connect_for = 0;
};

constexpr const char* kLoadFooter = R"(
Every answer is read and checked. What fails is reported with its file and line, the
first ones on stderr, all of them in --errors; a bad record is left out and reported the
same way. With --strict the first failure ends the run, with --max-errors the n-th. The
last line, on stdout, is the sum: sent, succeeded, failed, seconds, rate.

What depends on a refused SELECT or MULTI is left out. Of a compressed file nothing is sent
that its checksum has not confirmed.

A server that goes away is reached again; what it had not answered is sent again. If it has
lost what it had answered, that ends the run; what it may have lost is told. With
--checkpoint a second run of the same command goes on where the first one ended, even if
it was killed: with one connection from the first command that was not answered. With
several, or in a cluster, up to 100,000 commands behind it may be sent twice. It goes on
at whatever server --to names, but only in the same --database.

In a cluster --to is any of its nodes, and each command goes to the node that serves its
key. With one connection commands arrive in the order of the input; with several, those of
one key do.

Exit status: 0 all succeeded, 1 something failed, 2 wrong call or unreadable file,
3 no server, 4 --errors, --checkpoint or the summary cannot be written, 5 the server came
back without what it had confirmed, or perhaps without the last of it, 130 Ctrl-C.

Examples:
  millrace load --as 'HSET user:{id} name {name} age {age}' users.csv
  millrace load --as 'TWRITE orders {type} {json}' --checkpoint state orders.ndjson.zst
  zcat data.resp.gz | millrace load --to db1:6379 -)";

int complain(const client::Error& error) {
  std::fprintf(stderr, "millrace load: %s\n", error.text.c_str());
  switch (error.code) {
    case client::ErrorCode::BadInput:
      return kWrongCall;
    case client::ErrorCode::Output:
      return kCannotWrite;
    case client::ErrorCode::DataLost:
      return kDataLost;
    default:
      return kNoServer;
  }
}

int status_of(client::Loader::End end, const client::LoadCounts& counts) {
  if (end == client::Loader::End::Stopped) return kInterrupted;
  if (end == client::Loader::End::Doubtful) return kDataLost;
  return counts.failed + counts.bad > 0 ? kSomeFailed : kDone;
}

// Data that was confirmed may be lost.
std::string remark_on(const client::Result<client::Loader::End>& end) {
  if (!end) return end.error().code == client::ErrorCode::DataLost ? ", but lost by the server" : "";
  return *end == client::Loader::End::Doubtful ? ", some of it perhaps lost by the server" : "";
}

// The input, the options and the database, in one line. The server is not part of it: after a failover the same load
// continues at another one.
std::string identity(const LoadCommandOptions& options, unsigned database) {
  return options.input.identity() + (database == 0 ? "" : " into database " + std::to_string(database));
}

int run(const LoadCommandOptions& options) {
  auto server = options.server.connection();
  if (!server) return complain(server.error());
  auto source = options.input.open();
  if (!source) return complain(source.error());
  LoadSession session(*source, identity(options, server->login.database), client::name_of_server(*server),
                      options.is_quiet);
  if (auto opened = session.open(options.checkpoint, options.errors); !opened) return complain(opened.error());

  const client::Milliseconds timeout(1000 * static_cast<int64_t>(options.timeout));
  server->answer_timeout = std::min(server->answer_timeout, timeout);
  client::LoadOptions load{.server = *server,
                           .limits = {},
                           .connections = options.connections,
                           .most_failures = options.is_strict ? 1 : options.max_errors};
  load.allows_dangerous = options.allows_dangerous;
  load.connect_for = client::Milliseconds(1000 * static_cast<int64_t>(options.connect_for));
  load.limits.commands = options.pipeline;
  load.limits.answer_timeout = timeout;
  load.limits.retry_for = client::Milliseconds(1000 * static_cast<int64_t>(options.retry_for));
  client::LoadCounts counts;
  if (session.continued()) {
    counts = session.continued()->counts;
    load.server.login.database = session.continued()->database;
  }
  const auto end = client::Loader(load, *source, session).run(counts);
  const auto closed = session.close();
  std::printf("%s\n", session.summary(counts, remark_on(end)).c_str());
  if (!end) return complain(end.error());
  if (!closed) return complain(closed.error());
  if (std::fflush(stdout) != 0) {
    std::fprintf(stderr, "millrace load: cannot write the summary: %s\n", std::strerror(errno));
    return kCannotWrite;
  }
  return status_of(*end, counts);
}

}  // namespace

void add_load_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<LoadCommandOptions>();
  CLI::App* command = tool.add_subcommand("load", "Load a file into a server or a cluster");
  options->input.add_to(*command);
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  command->add_option("--connections", options->connections, "how many connections, in a cluster to each node")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  command->add_option("--pipeline", options->pipeline, "how many commands may be under way on a connection")
      ->type_name("N")
      ->check(CLI::Range(size_t{1}, size_t{100'000}))
      ->capture_default_str();
  command->add_option("--errors", options->errors, "write everything that failed to this file")->type_name("FILE");
  command->add_option("--checkpoint", options->checkpoint, "remember here how far it came, and go on from there")
      ->type_name("FILE");
  auto* strict = command->add_flag("--strict", options->is_strict, "the first failure ends the run");
  command->add_option("--max-errors", options->max_errors, "so many failures end the run")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->excludes(strict);
  command->add_flag("--allow-dangerous", options->allows_dangerous, "send FLUSHALL, SHUTDOWN and the like, too");
  command->add_flag("--quiet", options->is_quiet, "show no progress");
  command->add_option("--timeout", options->timeout, "give a connection up that answers nothing for so long")
      ->type_name("SECONDS")
      ->check(CLI::Range(1U, 86400U))
      ->capture_default_str();
  command->add_option("--retry-for", options->retry_for, "how long to try to reach a server that went away")
      ->type_name("SECONDS")
      ->check(CLI::Range(0U, 86400U))
      ->capture_default_str();
  add_connect_for(*command, options->connect_for);
  command->footer(std::string(kInputHelp) + "\n" + kLoadFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
