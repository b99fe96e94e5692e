#include "client/load/verified_archive.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace millrace::client {
namespace {

// A part whose content is at most this large is decompressed only once.
constexpr size_t kMostHeld = size_t{8} << 20;
// How often prepare() reads from the file before it returns to its caller.
constexpr int kFetchesAtATime = 32;

// A file without a name, so that it disappears with the program, in whatever way that ends.
int unnamed_file() {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) + "/millrace-load-XXXXXX";
  const int made = mkostemp(path.data(), O_CLOEXEC);
  if (made >= 0) unlink(path.c_str());
  return made;
}

}  // namespace

VerifiedArchive::VerifiedArchive(InputFile& file, std::string_view beginning)
    : file_(file), beginning_(beginning), checker_(Decompressor::recognise(beginning)) {}

VerifiedArchive::~VerifiedArchive() {
  if (spool_ >= 0) ::close(spool_);
}

Result<bool> VerifiedArchive::prepare() {
  for (int fetches = 0; !has_content() && !is_at_end_;) {
    if (!has_more_ && !file_.has_buffered()) {
      if (++fetches > kFetchesAtATime || file_.would_wait()) return false;
    }
    const auto bytes = file_.ahead();
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty() && !has_more_) {
      if (is_within_part_) {
        return fail(ErrorCode::BadInput, std::string("the ") + checker_->name() + " data is cut short");
      }
      is_at_end_ = true;
      break;
    }
    if (auto checked = check_some(*bytes); !checked) return std::unexpected(checked.error());
  }
  return true;
}

Result<void> VerifiedArchive::check_some(std::string_view bytes) {
  if (!std::exchange(is_within_part_, true)) {
    part_begin_ = file_.used();
    part_size_ = 0;
    is_held_ = true;
    held_.clear();
    packed_.clear();
    given_ = 0;
  }
  char content[64 << 10];
  const auto step = checker_->step(bytes, content, sizeof content);
  if (!step) return std::unexpected(step.error());
  has_more_ = step->has_more;
  part_size_ += step->made;
  if (is_held_) held_.append(content, step->made);
  if (!file_.is_regular()) {
    const std::string_view used = bytes.substr(0, step->used);
    if (is_held_) packed_ += used;
    if (auto spooled = is_held_ ? Result<void>() : spool(used); !spooled) return spooled;
  }
  file_.use(step->used);
  if (is_held_ && held_.size() > kMostHeld) {
    if (auto stopped = stop_holding(); !stopped) return stopped;
  }
  if (step->is_end) end_part();
  return {};
}

// Called when the content is too large to be kept. What was decompressed so far will be decompressed again.
Result<void> VerifiedArchive::stop_holding() {
  is_held_ = false;
  held_ = {};
  if (file_.is_regular()) return {};
  if (spool_ < 0) spool_ = unnamed_file();
  if (spool_ < 0) {
    return fail(ErrorCode::BadInput, std::string("cannot make a temporary file to check it: ") + std::strerror(errno));
  }
  if (ftruncate(spool_, 0) != 0 || lseek(spool_, 0, SEEK_SET) != 0) {
    return fail(ErrorCode::BadInput, std::string("cannot write a temporary file: ") + std::strerror(errno));
  }
  return spool(std::exchange(packed_, {}));
}

Result<void> VerifiedArchive::spool(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(spool_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return fail(ErrorCode::BadInput, std::string("cannot write a temporary file: ") + std::strerror(errno));
    }
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

void VerifiedArchive::end_part() {
  is_within_part_ = false;
  if (is_held_) return;
  left_to_repeat_ = part_size_;
  repeater_ = Decompressor::recognise(beginning_);
  const bool is_regular = file_.is_regular();
  const uint64_t size = is_regular ? *file_.size() : static_cast<uint64_t>(lseek(spool_, 0, SEEK_CUR));
  repeated_ =
      std::make_unique<InputFile>(is_regular ? file_.descriptor() : spool_, false, size, is_regular ? part_begin_ : 0);
}

Result<size_t> VerifiedArchive::read(char* to, size_t room) {
  if (left_to_repeat_ > 0) return read_again(to, room);
  const size_t count = std::min(room, held_.size() - given_);
  std::memcpy(to, held_.data() + given_, count);
  given_ += count;
  return count;
}

Result<size_t> VerifiedArchive::read_again(char* to, size_t room) {
  for (;;) {
    const auto bytes = repeated_->ahead();
    if (!bytes) return std::unexpected(bytes.error());
    const auto step = repeater_->step(*bytes, to, static_cast<size_t>(std::min<uint64_t>(room, left_to_repeat_)));
    if (!step) return std::unexpected(step.error());
    if (bytes->empty() && step->made == 0) return fail(ErrorCode::BadInput, "it was changed while it was read");
    repeated_->use(step->used);
    left_to_repeat_ -= step->made;
    if (step->made > 0) return step->made;
  }
}

uint64_t VerifiedArchive::bytes_read() const {
  if (!has_content()) return is_within_part_ ? part_begin_ : file_.used();
  if (left_to_repeat_ == 0) return file_.used();
  return file_.is_regular() ? repeated_->used() : part_begin_ + repeated_->used();
}

}  // namespace millrace::client
