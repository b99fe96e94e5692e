#include "cli/export_command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_status.h"
#include "cli/export_session.h"
#include "cli/server_options.h"

namespace millrace::cli {
namespace {

struct ExportCommandOptions {
  ServerOptions server;
  ExportOptions what;
  std::string format = "ndjson";
  std::vector<std::string> fields;
  std::string output;
  unsigned connect_for = 0;
};

constexpr const char* kExportFooter =
    R"(KEY is a name or a pattern (* ? [ ]); a pattern finds keys on all nodes of a cluster. Logs,
channels and hashes are exported, keys of other types are left out. The last line, on
stderr, counts both.

  ndjson  {"type":"log","key":"orders","offset":17,"time":1763471297123,"tag":"paid",
          "entry":"..."}, with "id" and "content" for a channel, "fields" for a hash.
          Bytes that are not UTF-8 are base64: "entry_base64".
          millrace load --format export FILE writes it to a server.
  csv     RFC 4180, any bytes; logs, channels or hashes alone (--type). A row of a hash is
          key,field,value; with --fields name,age it is key,name,age.
  resp    the commands that write the records again, for millrace load FILE and
          redis-cli --pipe

Each log is read up to the message that is its last one when reading begins. With --follow,
logs and channels are read until Ctrl-C. The memory needed does not depend on the amount of
data. Messages that are loaded get new offsets and dates. Groups, settings and schedules
are not exported; millrace copy copies them. To continue an export later, set --from to the
offset after the last one.

Exit status: 0 all was exported, 1 a key is missing or was refused, 2 wrong call, 3 no
server, 4 the output cannot be written.

Examples:
  millrace export orders > orders.ndjson
  millrace export 'user:*' --type hash --format csv --fields name,age -o users.csv
  millrace export orders --from 1000 --follow | jq .tag)";

int complain_of(const client::Error& error) {
  std::fprintf(stderr, "millrace export: %s\n", error.text.c_str());
  if (error.code == client::ErrorCode::Output) return kCannotWrite;
  return error.code == client::ErrorCode::BadInput ? kSomeFailed : kNoServer;
}

std::unique_ptr<client::RecordWriter> writer_for(const ExportCommandOptions& options) {
  if (options.format == "csv") return client::make_csv_writer(options.fields);
  if (options.format == "resp") return client::make_resp_writer();
  return client::make_ndjson_writer();
}

int run(ExportCommandOptions& options) {
  const auto server = options.server.connection();
  if (!server) {
    complain_of(server.error());
    return kWrongCall;
  }
  if (!options.fields.empty() && options.format != "csv") {
    std::fprintf(stderr, "millrace export: --fields is for --format csv\n");
    return kWrongCall;
  }
  client::Connection first(*server);
  const client::Milliseconds patience(1000 * static_cast<int64_t>(options.connect_for));
  if (auto opened = first.open_within(patience); !opened) return complain_of(opened.error());
  first.close();
  std::FILE* to = options.output.empty() ? stdout : std::fopen(options.output.c_str(), "wb");
  if (to == nullptr) {
    return complain_of({client::ErrorCode::Output, options.output + ": " + std::strerror(errno)});
  }
  StopSignal stop;
  options.what.server = *server;
  ExportSession session(options.what, writer_for(options), to, stop);
  auto done = session.run();
  if (to != stdout && std::fclose(to) != 0 && done) {
    done = client::fail(client::ErrorCode::Output, options.output + ": " + std::strerror(errno));
  }
  std::fprintf(stderr, "%s\n", session.summary().c_str());
  if (!done) return complain_of(done.error());
  if (stop.came() && !options.what.follows) return kInterrupted;
  return session.failures() > 0 ? kSomeFailed : kDone;
}

}  // namespace

void add_export_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<ExportCommandOptions>();
  CLI::App* command = tool.add_subcommand("export", "Write logs, channels and hashes as text");
  command->add_option("KEY", options->what.keys, "keys, by name or pattern")->required();
  command->add_option("--format", options->format, "ndjson, csv or resp")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"ndjson", "csv", "resp"}))
      ->capture_default_str();
  command->add_option("--type", options->what.type, "only these: log, channel or hash")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"log", "channel", "hash"}));
  command->add_option("--fields", options->fields, "the columns of hashes in csv")->type_name("NAMES")->delimiter(',');
  command->add_option("--from", options->what.from, "the first offset to read of each log")
      ->type_name("OFFSET")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--follow", options->what.follows, "continue with new messages, until Ctrl-C");
  command->add_option("-o,--output", options->output, "write to this file")->type_name("FILE");
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  add_connect_for(*command, options->connect_for);
  command->footer(kExportFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
