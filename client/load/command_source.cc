#include "client/load/command_source.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace millrace::client {
namespace {

std::optional<uint64_t> total_size(const std::vector<std::string>& files) {
  uint64_t sum = 0;
  for (const std::string& file : files) {
    struct stat status {};
    const int found = file == "-" ? fstat(STDIN_FILENO, &status) : stat(file.c_str(), &status);
    if (found != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    sum += static_cast<uint64_t>(status.st_size);
  }
  return sum;
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
  }
  return {};
}

Result<void> CommandSource::continue_at(const InputPosition& position) {
  if (position.file >= files_.size()) {
    // A run that got to its end.
    end_ = {.file = files_.size()};
    return {};
  }
  end_ = {.file = position.file};
  if (!open_file()) return fail(ErrorCode::BadInput, problem_);
  if (parser_->needs_beginning() && position.offset > 0) {
    // Up to the first record behind the header, wherever that is: it was read before.
    Step step = next();
    for (; step == Step::Waiting; step = next()) {
      pollfd waited{descriptor(), POLLIN, 0};
      if (poll(&waited, 1, -1) < 0) return fail(ErrorCode::BadInput, "stopped while waiting for the header");
    }
    if (step == Step::End || end_.file != position.file) {
      return fail(ErrorCode::BadInput, files_[position.file] + ": it is shorter than it was");
    }
  }
  if (window_->offset() <= position.offset) {
    if (auto skipped = window_->skip_to(position.offset); !skipped) {
      return fail(ErrorCode::BadInput, files_[position.file] + ": " + skipped.error().text);
    }
    end_ = position;
  }
  return {};
}

CommandSource::Step CommandSource::next() {
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

// What the parser says of the next record, with as much of the file in view as it needs.
// NeedsMore: there is none.
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
  end_.offset += split.size;
  end_.line += static_cast<uint64_t>(std::ranges::count(bytes, '\n'));
  window_->consume(split.size);
  if (split.kind == Split::Kind::Bad) {
    const uint64_t last = end_.line - (bytes.ends_with('\n') ? 1 : 0);
    if (last == begin_.line) return report(split.problem);
    return report(split.problem + "; lines " + std::to_string(begin_.line) + " to " + std::to_string(last) +
                  " are left out");
  }
  protocol_ = split.kind == Split::Kind::Record && parser_->is_protocol() ? bytes : std::string_view();
  return Step::Command;
}

CommandSource::Step CommandSource::report(std::string problem) {
  problem_ = std::move(problem);
  return Step::Bad;
}

// Opens the file at which we are. If it cannot be opened, problem() says why, and we are at
// the next one.
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
