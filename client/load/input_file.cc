#include "client/load/input_file.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace millrace::client {

InputFile::~InputFile() {
  if (is_owned_) ::close(descriptor_);
}

Result<std::string_view> InputFile::ahead() {
  if (used_ == filled_) {
    const auto got = fetch(buffer_.data(), buffer_.size());
    if (!got) return std::unexpected(got.error());
    used_ = 0;
    filled_ = *got;
  }
  return std::string_view(buffer_).substr(used_, filled_ - used_);
}

Result<size_t> InputFile::fetch(char* to, size_t room) {
  for (;;) {
    const ssize_t got =
        is_regular() ? ::pread(descriptor_, to, room, static_cast<off_t>(offset_)) : ::read(descriptor_, to, room);
    if (got >= 0) {
      offset_ += static_cast<uint64_t>(got);
      return static_cast<size_t>(got);
    }
    if (errno != EINTR) return fail(ErrorCode::BadInput, std::string("cannot be read: ") + std::strerror(errno));
  }
}

Result<std::string_view> InputFile::beginning(size_t bytes) {
  while (filled_ < bytes) {
    const auto got = fetch(buffer_.data() + filled_, buffer_.size() - filled_);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    filled_ += *got;
  }
  return std::string_view(buffer_).substr(0, filled_);
}

bool InputFile::would_wait() const {
  if (is_regular() || has_buffered()) return false;
  pollfd waited{descriptor_, POLLIN, 0};
  return poll(&waited, 1, 0) == 0;
}

}  // namespace millrace::client
