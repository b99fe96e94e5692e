#include "client/load/input_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "client/load/input_file.h"
#include "client/load/verified_archive.h"

namespace millrace::client {

InputStream::InputStream(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}
InputStream::InputStream(InputStream&&) noexcept = default;
InputStream& InputStream::operator=(InputStream&&) noexcept = default;
InputStream::~InputStream() = default;

Result<InputStream> InputStream::open(const std::string& path) {
  const bool is_stdin = path == "-";
  const int descriptor = is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    return fail(ErrorCode::BadInput, "cannot read " + path + ": " + std::strerror(errno));
  }
  std::optional<uint64_t> size;
  if (S_ISREG(status.st_mode)) size = static_cast<uint64_t>(status.st_size);
  // Standard input may be a file whose beginning another program has read.
  const off_t begin = size && is_stdin ? lseek(descriptor, 0, SEEK_CUR) : 0;
  auto file =
      std::make_unique<InputFile>(descriptor, !is_stdin, size, static_cast<uint64_t>(std::max<off_t>(begin, 0)));
  if (S_ISDIR(status.st_mode)) return fail(ErrorCode::BadInput, "cannot read " + path + ": it is a directory");
  return InputStream(std::move(file));
}

Result<bool> InputStream::prepare() {
  if (!is_recognised_) {
    // Looks at the first bytes only when there are some: a pipe may not have any yet.
    if (file_->would_wait()) return false;
    const auto beginning = file_->beginning(4);
    if (!beginning) return std::unexpected(beginning.error());
    if (Decompressor::recognise(*beginning)) {
      archive_ = std::make_unique<VerifiedArchive>(*file_, beginning->substr(0, 4));
    }
    is_recognised_ = true;
  }
  if (archive_) return archive_->prepare();
  return !file_->would_wait();
}

Result<size_t> InputStream::read(char* to, size_t room) {
  if (archive_) return archive_->read(to, room);
  if (!file_->has_buffered()) return file_->fetch(to, room);
  const std::string_view bytes = *file_->ahead();
  const size_t count = std::min(room, bytes.size());
  std::memcpy(to, bytes.data(), count);
  file_->use(count);
  return count;
}

Result<void> InputStream::skip(uint64_t bytes) {
  const auto too_few = [&] { return fail(ErrorCode::BadInput, "it is shorter than it was"); };
  std::vector<char> passed(256 << 10);
  while (bytes > 0) {
    const auto ready = prepare();
    if (!ready) return std::unexpected(ready.error());
    if (!*ready) {
      pollfd waited{file_->descriptor(), POLLIN, 0};
      if (poll(&waited, 1, -1) < 0) return fail(ErrorCode::BadInput, "stopped while waiting for what was read before");
      continue;
    }
    if (!archive_ && file_->is_regular() && !file_->has_buffered()) {
      if (bytes > *file_->size() - std::min(*file_->size(), file_->fetched())) return too_few();
      file_->skip(bytes);
      return {};
    }
    const auto got = read(passed.data(), std::min<uint64_t>(passed.size(), bytes));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return too_few();
    bytes -= *got;
  }
  return {};
}

int InputStream::descriptor() const { return file_->descriptor(); }
uint64_t InputStream::bytes_taken() const { return archive_ ? archive_->bytes_read() : file_->fetched(); }
std::optional<uint64_t> InputStream::size() const { return file_->size(); }

}  // namespace millrace::client
