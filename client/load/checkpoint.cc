#include "client/load/checkpoint.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace millrace::client {
namespace {

constexpr std::string_view kFirstLine = "millrace checkpoint 1";
constexpr size_t kLargestFile = 1 << 20;
// Syncing to disk at every step would cost more than the load itself. After a power failure, at most this much time is
// loaded again.
constexpr std::chrono::seconds kBetweenSyncs{1};

// The names of the numbers in the file, in their order.
auto numbers_of(auto& checkpoint) {
  return std::array{std::pair{"file", &checkpoint.position.file},
                    std::pair{"offset", &checkpoint.position.offset},
                    std::pair{"line", &checkpoint.position.line},
                    std::pair{"sent", &checkpoint.counts.sent},
                    std::pair{"succeeded", &checkpoint.counts.succeeded},
                    std::pair{"failed", &checkpoint.counts.failed},
                    std::pair{"bad", &checkpoint.counts.bad}};
}

// Takes "<name> <rest>\n" off the front.
bool take_line(std::string_view& text, std::string_view name, std::string_view& rest) {
  const size_t end = text.find('\n');
  if (end == text.npos) return false;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ' ') return false;
  rest = line.substr(name.size() + 1);
  return true;
}

template <class Number>
bool take_number(std::string_view& text, std::string_view name, Number& number) {
  std::string_view rest;
  if (!take_line(text, name, rest)) return false;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return problem == std::errc() && end == rest.data() + rest.size();
}

}  // namespace

std::string Checkpoint::text() const {
  std::string text = std::string(kFirstLine) + "\nload " + load + '\n';
  for (const auto& [name, number] : numbers_of(*this)) text += std::string(name) + ' ' + std::to_string(*number) + '\n';
  text += "database " + std::to_string(database) + '\n';
  if (!server.empty()) text += "server " + server + '\n';
  if (const auto& trace = position.trace) {
    text += "beginning " + std::to_string(trace->beginning) + "\nbefore " + std::to_string(trace->before) + '\n';
  }
  return text + "end\n";
}

Result<Checkpoint> parse_checkpoint(std::string_view text) {
  Checkpoint checkpoint;
  const auto parse = [&] {
    if (!text.starts_with(kFirstLine)) return false;
    text.remove_prefix(kFirstLine.size());
    if (!text.starts_with('\n')) return false;
    text.remove_prefix(1);
    std::string_view load;
    if (!take_line(text, "load", load)) return false;
    checkpoint.load = load;
    for (const auto& [name, number] : numbers_of(checkpoint)) {
      if (!take_number(text, name, *number)) return false;
    }
    if (!take_number(text, "database", checkpoint.database)) return false;
    if (text.starts_with("server ")) {
      std::string_view server;
      if (!take_line(text, "server", server)) return false;
      checkpoint.server = server;
    }
    auto& trace = checkpoint.position.trace;
    if (text == "end\n") {
      trace.reset();
      return true;
    }
    return take_number(text, "beginning", trace->beginning) && take_number(text, "before", trace->before) &&
           text == "end\n";
  };
  if (!parse()) return fail(ErrorCode::BadInput, "it is not a checkpoint of millrace, or not a whole one");
  return checkpoint;
}

Result<std::optional<Checkpoint>> CheckpointFile::read() const {
  if (access(path_.c_str(), F_OK) != 0 && errno == ENOENT) return std::nullopt;
  std::ifstream file(path_, std::ios::binary);
  std::string text(kLargestFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (file.bad() || !file.is_open()) return fail(ErrorCode::BadInput, "cannot read " + path_);
  auto checkpoint = parse_checkpoint(text);
  if (!checkpoint) return fail(ErrorCode::BadInput, path_ + ": " + checkpoint.error().text);
  return std::move(*checkpoint);
}

Result<void> CheckpointFile::write(const Checkpoint& checkpoint) {
  const std::string beside = path_ + ".new";
  const auto cannot = [&] {
    const std::string why = std::strerror(errno);
    unlink(beside.c_str());
    return fail(ErrorCode::Output, "cannot write " + path_ + ": " + why);
  };
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return cannot();
  const std::string text = checkpoint.text();
  const ssize_t written = ::write(file, text.data(), text.size());
  bool is_good = written == static_cast<ssize_t>(text.size());
  if (written >= 0 && !is_good) errno = ENOSPC;
  const auto now = std::chrono::steady_clock::now();
  if (is_good && now - last_sync_ >= kBetweenSyncs) {
    is_good = fsync(file) == 0;
    last_sync_ = now;
  }
  const int problem = errno;
  close(file);
  errno = problem;
  if (!is_good || rename(beside.c_str(), path_.c_str()) != 0) return cannot();
  return {};
}

}  // namespace millrace::client
