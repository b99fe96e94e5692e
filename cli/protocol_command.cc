#include "cli/protocol_command.h"

#include <poll.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "cli/error_report.h"
#include "cli/exit_status.h"
#include "cli/input_options.h"
#include "client/protocol.h"

namespace millrace::cli {
namespace {

using client::CommandSource;

constexpr const char* kProtocolFooter = R"(
The commands go to stdout in the Redis protocol, each word with its length before it: what
redis-cli --pipe takes, and millrace load --format resp. Records that are no commands are
reported on stderr with their line, and left out.

Exit status: 0 all converted, 1 something is no command, 2 wrong call or unreadable file,
4 the output cannot be written.

Example:
  millrace protocol --as 'SET user:{id} {line}' users.csv | redis-cli --pipe)";

bool write_command(const CommandSource& source, std::vector<char>& buffer) {
  if (!source.protocol().empty()) {
    return std::fwrite(source.protocol().data(), 1, source.protocol().size(), stdout) == source.protocol().size();
  }
  const size_t most = client::most_protocol_bytes(source.words());
  if (buffer.size() < most) buffer.resize(most);
  const auto size = static_cast<size_t>(client::write_protocol(buffer.data(), source.words()) - buffer.data());
  return std::fwrite(buffer.data(), 1, size, stdout) == size;
}

void wait_for_input(const CommandSource& source) {
  std::fflush(stdout);
  pollfd waited{source.descriptor(), POLLIN, 0};
  poll(&waited, 1, -1);
}

int run(const InputOptions& options) {
  auto source = options.open();
  if (!source) {
    std::fprintf(stderr, "millrace protocol: %s\n", source.error().text.c_str());
    return kWrongCall;
  }
  ErrorReport errors("millrace protocol");
  std::vector<char> buffer;
  bool is_good = true, can_write = true;
  for (CommandSource::Step step; can_write && (step = source->next()) != CommandSource::Step::End;) {
    if (step == CommandSource::Step::Waiting) wait_for_input(*source);
    if (step == CommandSource::Step::Command) can_write = write_command(*source, buffer);
    if (step == CommandSource::Step::Bad) {
      is_good = false;
      // Without an output file it cannot fail.
      (void)errors.note(source->file_name(source->begin().file), source->begin().line, source->problem());
    }
  }
  if (std::fflush(stdout) != 0 || !can_write) {
    std::fprintf(stderr, "millrace protocol: cannot write: %s\n", std::strerror(errno));
    return kCannotWrite;
  }
  return is_good ? kDone : kSomeFailed;
}

}  // namespace

void add_protocol_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<InputOptions>();
  CLI::App* command = tool.add_subcommand("protocol", "Write the Redis protocol instead of sending it");
  options->add_to(*command);
  command->footer(std::string(kInputHelp) + "\n" + kProtocolFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace millrace::cli
