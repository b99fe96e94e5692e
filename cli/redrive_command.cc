#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_status.h"
#include "cli/groups_command.h"
#include "cli/server_options.h"
#include "client/key_connection.h"

namespace millrace::cli {
namespace {

struct RedriveOptions {
  ServerOptions server;
  std::string key;
  std::string to;
  uint64_t count = 0;
};

constexpr const char* kRedriveFooter =
    R"(Moves dead letters back to the logs they came from, the oldest first; there their groups
read them again. With --into they are moved to another log. It moves the dead letters that
exist when it begins, or --count of them, a hundred at a time. It prints how many it moved.

Exit status: 0 done, 1 the server refused it, 2 wrong call, 3 no server.

Examples:
  millrace redrive orders:dead --count 1      try one
  millrace redrive orders:dead                all)";

constexpr uint64_t kAtOnce = 100;

int complain_of_redrive(const client::Error& error) {
  std::fprintf(stderr, "millrace redrive: %s\n", error.text.c_str());
  return error.code == client::ErrorCode::BadInput ? kSomeFailed : kNoServer;
}

// How many messages the log has when it begins: messages that fail again during the move are not moved a second time.
client::Result<uint64_t> length_of(client::KeyConnection& server, const std::string& key) {
  const auto info = server.call({"TINFO", key});
  if (!info) return std::unexpected(info.error());
  if (info->is_error()) return client::fail(client::ErrorCode::BadInput, info->text);
  for (size_t i = 0; i + 1 < info->items.size(); i += 2) {
    if (info->items[i].text == "messages") return static_cast<uint64_t>(info->items[i + 1].integer);
  }
  return 0;
}

client::Result<void> redrive(client::KeyConnection& server, const RedriveOptions& options, uint64_t& moved) {
  const auto length = length_of(server, options.key);
  if (!length) return std::unexpected(length.error());
  const uint64_t wanted = options.count == 0 ? *length : std::min(options.count, *length);
  while (moved < wanted) {
    const std::string count = std::to_string(std::min(kAtOnce, wanted - moved));
    std::vector<std::string_view> words = {"TREDRIVE", options.key, "COUNT", count};
    if (!options.to.empty()) words.insert(words.end(), {"TO", options.to});
    const auto reply = server.call(words);
    if (!reply) return std::unexpected(reply.error());
    if (reply->is_error()) return client::fail(client::ErrorCode::BadInput, reply->text);
    if (reply->integer == 0) break;
    moved += static_cast<uint64_t>(reply->integer);
  }
  return {};
}

int run(const RedriveOptions& options) {
  const auto server = options.server.connection();
  if (!server) {
    complain_of_redrive(server.error());
    return kWrongCall;
  }
  client::KeyConnection keys(*server);
  uint64_t moved = 0;
  const auto done = redrive(keys, options, moved);
  if (done || moved > 0) std::printf("%llu moved\n", static_cast<unsigned long long>(moved));
  return done ? int{kDone} : complain_of_redrive(done.error());
}

}  // namespace

void add_redrive_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<RedriveOptions>();
  CLI::App* command = tool.add_subcommand("redrive", "Send dead letters back to where they came from");
  command->add_option("KEY", options->key, "the log of dead letters")->required();
  command->add_option("--count", options->count, "at most so many (all)")->type_name("N")->check(CLI::PositiveNumber);
  command->add_option("--into", options->to, "to this log instead")->type_name("KEY");
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  command->footer(kRedriveFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
