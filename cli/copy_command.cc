#include "cli/copy_command.h"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_status.h"
#include "cli/server_options.h"
#include "cli/stop_signal.h"
#include "client/copy/key_copier.h"
#include "client/copy/key_size.h"
#include "client/export/key_walk.h"

namespace millrace::cli {
namespace {

struct CopyCommandOptions {
  ServerOptions to;
  std::string from;
  std::vector<std::string> keys;
  client::CopyOptions copy;
  uint64_t largest_mebibytes = 64;
  unsigned connect_for = 0;
};

constexpr const char* kCopyFooter =
    R"(KEY is a name or a pattern (* ? [ ]); a pattern finds keys on all nodes of a cluster.
Millrace keys and hashes are copied under the same name, with their time to live. Keys of
other types are left out and counted. After each key the tool compares how much both
servers hold in it; a key that was changed during the copy is copied again.

Keys are copied by DUMP and RESTORE: a log keeps its offsets, dates, groups, pending
messages and schedule. A log with more than --frames-above megabytes would block both
servers for too long. So its messages are sent in frames, and its limits are set; its
groups and its schedule are not copied, which the tool reports. A large hash is sent in
parts.

A key that exists at the destination is not touched, and counts as failed. --replace
overwrites it. After an interruption, --resume skips keys that exist with the same counts,
and copies the others. A log that was only partly copied is removed again; after kill -9 it
stays, --resume reports that it differs, and --replace --resume copies it again.

--from takes the same addresses as --to; its password is part of it, or in REDISCLI_AUTH.

Exit status: 0 all was copied, 1 something was not, 2 wrong call, 3 no server, 130 Ctrl-C.

Examples:
  millrace copy --from old:6379 --to new:6379 '*'
  millrace copy --from redis://old/1 --to rediss://new:6380 orders 'orders:*' --resume)";

int say(const client::Error& error) {
  std::fprintf(stderr, "millrace copy: %s\n", error.text.c_str());
  return error.code == client::ErrorCode::BadInput ? kSomeFailed : kNoServer;
}

// The results for the keys.
struct Tally {
  std::map<std::string, uint64_t> copied, left_out;  // by type
  uint64_t there_already = 0, failed = 0;

  static std::string text_of(const std::map<std::string, uint64_t>& counts) {
    std::string text;
    for (const auto& [type, count] : counts) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + type;
    return text.empty() ? "none" : text;
  }

  std::string summary() const {
    std::string text = "copied: " + text_of(copied);
    if (there_already > 0) text += "; there already: " + std::to_string(there_already);
    if (!left_out.empty()) text += "; left out: " + text_of(left_out);
    return text + "; failed: " + std::to_string(failed);
  }
};

// Copies keys as they are found, several at a time.
class CopyRun {
 public:
  CopyRun(client::KeyCopier& copier, Tally& tally) : copier_(copier), tally_(tally) {}

  client::Result<void> add(const client::FoundKey& key) {
    if (key.type == "none") {
      ++tally_.failed;
      tell(key, "there is no such key");
      return {};
    }
    if (!client::is_copied_type(key.type)) {
      ++tally_.left_out[key.type];
      return {};
    }
    waiting_.push_back(key);
    return waiting_.size() < kTogether ? client::Result<void>() : finish();
  }

  // Copies what is still to be copied.
  client::Result<void> finish() {
    const auto keys = std::exchange(waiting_, {});
    return copier_.copy_all(keys, [this](const auto& key, const auto& copied) { return count(key, copied); });
  }

 private:
  static constexpr size_t kTogether = 64;

  static void tell(const client::FoundKey& key, const std::string& what) {
    std::fprintf(stderr, "millrace copy: %s: %s\n", key.name.c_str(), what.c_str());
  }

  client::Result<void> count(const client::FoundKey& key, const client::Result<client::CopiedKey>& copied) {
    if (!copied && copied.error().code == client::ErrorCode::BadInput) {
      ++tally_.failed;
      tell(key, copied.error().text);
      return {};
    }
    if (!copied) return std::unexpected(copied.error());
    if (!copied->remark.empty()) tell(key, copied->remark);
    ++(copied->how == client::CopiedKey::How::ThereAlready ? tally_.there_already : tally_.copied[key.type]);
    return {};
  }

  client::KeyCopier& copier_;
  Tally& tally_;
  std::vector<client::FoundKey> waiting_;
};

int run(const CopyCommandOptions& options) {
  const auto wrong = [](const std::string& text) {
    std::fprintf(stderr, "millrace copy: %s\n", text.c_str());
    return kWrongCall;
  };
  ServerOptions source;
  source.to = {options.from};
  const auto from = source.connection();
  if (!from) return wrong(from.error().text);
  const auto to = options.to.connection();
  if (!to) return wrong(to.error().text);
  for (const auto& server : {*from, *to}) {
    client::Connection first(server);
    const client::Milliseconds patience(1000 * static_cast<int64_t>(options.connect_for));
    if (auto opened = first.open_within(patience); !opened) return say(opened.error());
  }
  client::CopyOptions copy = options.copy;
  copy.largest_payload = options.largest_mebibytes << 20;
  StopSignal stop;
  Tally tally;
  client::KeyCopier copier(*from, *to, copy);
  CopyRun keys(copier, tally);
  auto done = client::KeyWalk(*from).each(options.keys, [&](const client::FoundKey& key) -> client::Result<void> {
    if (stop.came()) return client::fail(client::ErrorCode::BadInput, "interrupted; --resume goes on");
    return keys.add(key);
  });
  if (done) done = keys.finish();
  std::printf("%s\n", tally.summary().c_str());
  if (!done) {
    const int status = say(done.error());
    return stop.came() ? kInterrupted : status;
  }
  return tally.failed > 0 ? kSomeFailed : kDone;
}

}  // namespace

void add_copy_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<CopyCommandOptions>();
  CLI::App* command = tool.add_subcommand("copy", "Copy keys from one server to another");
  command->add_option("KEY", options->keys, "keys, by name or pattern")->required();
  command->add_option("--from", options->from, "the server that has them")->type_name("ADDRESS")->required();
  options->to.add_to(*command, "the server that gets them: host:port, redis://, ... (millrace --help)");
  command->add_flag("--replace", options->copy.replaces, "overwrite what is there already");
  command->add_flag("--resume", options->copy.resumes, "leave alone what is there already with the same counts");
  command->add_option("--frames-above", options->largest_mebibytes, "send larger logs and hashes in parts")
      ->type_name("MEGABYTES")
      ->check(CLI::Range(uint64_t{0}, uint64_t{400}))
      ->capture_default_str();
  add_connect_for(*command, options->connect_for);
  command->footer(kCopyFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
