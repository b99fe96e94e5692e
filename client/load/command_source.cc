#include "client/load/command_source.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace millrace::client {
namespace {

// The number of bytes that the trace's `beginning` covers. Reading them again costs almost nothing. Two files that
// agree in these bytes and in those directly before a place are treated as the same file.
constexpr uint64_t kBeginning = 4096;

// A CRC, because it can be continued with further bytes.
uint32_t checksum(uint32_t of_bytes_before, std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(of_bytes_before, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

// Computed for every record: a CRC would more than double the cost of a record.
uint32_t quick_checksum(std::string_view bytes) {
  uint64_t sum = bytes.size();
  for (size_t at = 0; at < bytes.size(); at += sizeof sum) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(bytes.size() - at, sizeof word));
    sum = (sum ^ word) * 0x9e3779b97f4a7c15;
    sum ^= sum >> 32;
  }
  return static_cast<uint32_t>(sum);
}

bool status_of(const std::string& file, struct stat& status) {
  return (file == "-" ? fstat(STDIN_FILENO, &status) : stat(file.c_str(), &status)) == 0;
}

std::optional<uint64_t> total_size(const std::vector<std::string>& files) {
  uint64_t sum = 0;
  for (const std::string& file : files) {
    struct stat status {};
    if (!status_of(file, status) || !S_ISREG(status.st_mode)) return std::nullopt;
    sum += static_cast<uint64_t>(status.st_size);
  }
  return sum;
}

// Waits until there is something to read; false if a signal came first.
bool wait_for(int descriptor) {
  pollfd waited{descriptor, POLLIN, 0};
  return poll(&waited, 1, -1) >= 0;
}

}  // namespace

CommandSource::CommandSource(std::vector<std::string> files, std::unique_ptr<CommandParser> parser,
                             size_t longest_record)
    : files_(std::move(files)),
      parser_(std::move(parser)),
      longest_record_(longest_record),
      size_(total_size(files_)) {}

Result<void> CommandSource::check_files() const {
  for (const std::string& file : files_) {
    if (file != "-" && access(file.c_str(), R_OK) != 0) {
      return fail(ErrorCode::BadInput, "cannot read " + file + ": " + std::strerror(errno));
    }
    struct stat status {};
    if (status_of(file, status) && S_ISDIR(status.st_mode)) {
      return fail(ErrorCode::BadInput, "cannot read " + file + ": it is a directory");
    }
  }
  return {};
}

Result<void> CommandSource::continue_at(const InputPosition& position) {
  if (position.file >= files_.size()) {
    // The earlier run reached the end.
    end_ = {.file = files_.size()};
    return {};
  }
  end_ = {.file = position.file};
  if (!open_file()) return fail(ErrorCode::BadInput, problem_);
  if (position.offset == 0) return {};
  // The beginning and the last bytes are read again, so that the trace is known; what lies
  // between them need not be.
  const uint64_t before = position.offset - std::min<uint64_t>(position.offset, InputWindow::kPassed);
  const auto go = [&]() -> Result<void> {
    if (auto passed = pass_header(); !passed) return passed;
    if (auto passed = pass_to(std::min(position.offset, kBeginning)); !passed) return passed;
    if (end_.offset < before) {
      if (auto skipped = window_->skip_to(before); !skipped) return skipped;
      end_.offset = before;
    }
    return pass_to(position.offset);
  };
  const std::string& name = files_[position.file];
  if (auto gone = go(); !gone) return fail(ErrorCode::BadInput, name + ": " + gone.error().text);
  // If the header or the first record ends after the place, the file is not that of the first run.
  if (end_.offset != position.offset || (position.trace && position.trace != end_.trace)) {
    return fail(ErrorCode::BadInput, name + " is not the file it was: before byte " + std::to_string(position.offset) +
                                         ", where the checkpoint is, it has another content");
  }
  end_.line = position.line;
  return {};
}

// Reads up to the first record after the header, if there must be a header.
Result<void> CommandSource::pass_header() {
  if (!parser_->needs_beginning()) return {};
  const uint64_t file = end_.file;
  Step step = next();
  for (; step == Step::Waiting; step = next()) {
    if (!wait_for(descriptor())) return fail(ErrorCode::BadInput, "stopped while waiting for the header");
  }
  if (step == Step::End || end_.file != file) return fail(ErrorCode::BadInput, "it is shorter than it was");
  has_another_ = false;
  return {};
}

// Skips everything before this offset, whether it contains records or not.
Result<void> CommandSource::pass_to(uint64_t offset) {
  while (end_.offset < offset) {
    consume(static_cast<size_t>(std::min<uint64_t>(window_->view().size(), offset - end_.offset)));
    if (end_.offset == offset) break;
    const auto filled = window_->fill();
    if (!filled) return std::unexpected(filled.error());
    if (*filled == InputWindow::Filled::End) return fail(ErrorCode::BadInput, "it is shorter than it was");
    if (*filled == InputWindow::Filled::Waiting && !wait_for(descriptor())) {
      return fail(ErrorCode::BadInput, "stopped while waiting for what was read before");
    }
  }
  return {};
}

void CommandSource::consume(size_t bytes) {
  InputTrace& trace = *end_.trace;
  if (end_.offset < kBeginning) {
    const uint64_t rest = std::min<uint64_t>(bytes, kBeginning - end_.offset);
    trace.beginning = checksum(trace.beginning, window_->view().substr(0, static_cast<size_t>(rest)));
  }
  window_->consume(bytes);
  end_.offset += bytes;
  trace.before = quick_checksum(window_->passed());
}

CommandSource::Step CommandSource::next() {
  if (has_another_) {
    parser_->next_command();
    has_another_ = parser_->commands_left() > 0;
    return Step::Command;
  }
  for (;;) {
    if (!window_) {
      if (end_.file >= files_.size()) return Step::End;
      if (!open_file()) return report(std::move(problem_));
    }
    const Split split = look();
    if (is_waiting_) return Step::Waiting;
    if (split.kind == Split::Kind::NeedsMore) {
      close_file();
      continue;
    }
    const Step step = take(split);
    if (split.kind != Split::Kind::Nothing) return step;
  }
}

// Parses the next record, with as much of the file in view as the parser needs. NeedsMore: there is no further record.
Split CommandSource::look() {
  is_waiting_ = false;
  for (;;) {
    Split split = parser_->take(window_->view(), is_all_);
    if (split.kind != Split::Kind::NeedsMore || is_all_) return split;
    const auto filled = window_->fill();
    if (!filled) return Split::lost(filled.error().text);
    switch (*filled) {
      case InputWindow::Filled::Some:
        break;
      case InputWindow::Filled::End:
        is_all_ = true;
        break;
      case InputWindow::Filled::Full:
        return parser_->too_long(window_->view());
      case InputWindow::Filled::Waiting:
        is_waiting_ = true;
        return split;
    }
  }
}

CommandSource::Step CommandSource::take(const Split& split) {
  if (split.kind == Split::Kind::Lost) {
    begin_ = end_;
    close_file();
    return report(split.problem + "; the rest of this file is left out");
  }
  const std::string_view bytes = window_->view().substr(0, split.size);
  begin_ = end_;
  end_.line += static_cast<uint64_t>(std::ranges::count(bytes, '\n'));
  consume(split.size);
  if (split.kind == Split::Kind::Bad) {
    const uint64_t last = end_.line - (bytes.ends_with('\n') ? 1 : 0);
    if (last == begin_.line) return report(split.problem);
    return report(split.problem + "; lines " + std::to_string(begin_.line) + " to " + std::to_string(last) +
                  " are left out");
  }
  has_another_ = split.kind == Split::Kind::Record && parser_->commands_left() > 0;
  protocol_ = split.kind == Split::Kind::Record && parser_->is_protocol() ? bytes : std::string_view();
  return Step::Command;
}

CommandSource::Step CommandSource::report(std::string problem) {
  problem_ = std::move(problem);
  return Step::Bad;
}

// Opens the current file. If it cannot be opened, problem() says why, and the next file becomes the current one.
bool CommandSource::open_file() {
  parser_->begin_file();
  is_all_ = false;
  auto stream = InputStream::open(files_[end_.file]);
  if (stream) {
    window_.emplace(std::move(*stream), longest_record_);
    return true;
  }
  problem_ = stream.error().text;
  begin_ = end_;
  end_ = {.file = end_.file + 1};
  return false;
}

void CommandSource::close_file() {
  closed_bytes_ += window_->stream().bytes_taken();
  window_.reset();
  end_ = {.file = end_.file + 1};
}

uint64_t CommandSource::bytes_taken() const { return closed_bytes_ + (window_ ? window_->stream().bytes_taken() : 0); }

}  // namespace millrace::client
