#include "client/load/input_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::client {

// A descriptor with a buffer before it, so that its first bytes can be looked at.
class InputStream::File {
 public:
  // A size is known of a file, and not of a pipe.
  File(int opened, std::optional<uint64_t> known_size) : descriptor(opened), size(known_size) {}
  ~File() {
    if (descriptor != STDIN_FILENO) ::close(descriptor);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // What is buffered and not used yet; fetches some if that is nothing. Empty: the end.
  Result<std::string_view> ahead() {
    if (used_ == filled_) {
      const auto got = fetch(buffer_.data(), buffer_.size());
      if (!got) return std::unexpected(got.error());
      used_ = 0;
      filled_ = *got;
    }
    return std::string_view(buffer_).substr(used_, filled_ - used_);
  }
  void use(size_t bytes) { used_ += bytes; }
  bool has_buffered() const { return used_ < filled_; }

  // Past the buffer, which must be empty, into the caller's.
  Result<size_t> fetch(char* to, size_t room) {
    for (;;) {
      const ssize_t got = ::read(descriptor, to, room);
      if (got >= 0) {
        taken += static_cast<uint64_t>(got);
        return static_cast<size_t>(got);
      }
      if (errno != EINTR) return fail(ErrorCode::BadInput, std::string("cannot be read: ") + std::strerror(errno));
    }
  }

  // At least `bytes` of the beginning, unless there are fewer.
  Result<std::string_view> beginning(size_t bytes) {
    while (filled_ < bytes) {
      const auto got = fetch(buffer_.data() + filled_, buffer_.size() - filled_);
      if (!got) return std::unexpected(got.error());
      if (*got == 0) break;
      filled_ += *got;
    }
    return std::string_view(buffer_).substr(0, filled_);
  }

  const int descriptor;
  const std::optional<uint64_t> size;
  uint64_t taken = 0;

 private:
  std::string buffer_ = std::string(64 << 10, '\0');
  size_t used_ = 0;
  size_t filled_ = 0;
};

class InputStream::Decoder {
 public:
  virtual ~Decoder() = default;
  virtual Result<size_t> read(File& file, char* to, size_t room) = 0;
  // Whether there may be content that needs no more of the file.
  virtual bool has_more() const = 0;
  virtual bool is_plain() const { return false; }
};

class InputStream::Plain : public Decoder {
 public:
  Result<size_t> read(File& file, char* to, size_t room) override {
    if (!file.has_buffered()) return file.fetch(to, room);
    const std::string_view bytes = *file.ahead();
    const size_t count = std::min(room, bytes.size());
    std::memcpy(to, bytes.data(), count);
    file.use(count);
    return count;
  }
  bool has_more() const override { return false; }
  bool is_plain() const override { return true; }
};

class InputStream::Gzip : public Decoder {
 public:
  Gzip() { is_ready_ = inflateInit2(&state_, 15 + 16) == Z_OK; }
  ~Gzip() override {
    if (is_ready_) inflateEnd(&state_);
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  Result<size_t> read(File& file, char* to, size_t room) override {
    if (!is_ready_) return fail(ErrorCode::BadInput, "no memory to decompress it");
    for (;;) {
      const auto bytes = file.ahead();
      if (!bytes) return std::unexpected(bytes.error());
      if (bytes->empty() && is_between_members_) return 0;
      if (bytes->empty() && !has_more_) return fail(ErrorCode::BadInput, "the gzip data is cut short");
      state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes->data()));
      state_.avail_in = static_cast<uInt>(bytes->size());
      state_.next_out = reinterpret_cast<Bytef*>(to);
      state_.avail_out = static_cast<uInt>(std::min<size_t>(room, 1 << 30));
      const uInt wanted = state_.avail_out;
      is_between_members_ = false;
      const int result = inflate(&state_, Z_NO_FLUSH);
      file.use(bytes->size() - state_.avail_in);
      has_more_ = state_.avail_out == 0;
      if (result == Z_STREAM_END) {
        // Files that were put behind one another are one file: gzip itself says so.
        is_between_members_ = true;
        inflateReset(&state_);
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return fail(ErrorCode::BadInput, "the gzip data is damaged");
      }
      if (const size_t got = wanted - state_.avail_out; got > 0) return got;
    }
  }
  bool has_more() const override { return has_more_; }

 private:
  z_stream state_{};
  bool is_ready_ = false;
  bool is_between_members_ = false;
  bool has_more_ = false;
};

class InputStream::Zstd : public Decoder {
 public:
  Result<size_t> read(File& file, char* to, size_t room) override {
    for (;;) {
      const auto bytes = file.ahead();
      if (!bytes) return std::unexpected(bytes.error());
      if (bytes->empty() && is_between_frames_) return 0;
      if (bytes->empty() && !has_more_) return fail(ErrorCode::BadInput, "the zstd data is cut short");
      ZSTD_inBuffer in{bytes->data(), bytes->size(), 0};
      ZSTD_outBuffer out{to, room, 0};
      const size_t result = ZSTD_decompressStream(state_.get(), &out, &in);
      file.use(in.pos);
      if (ZSTD_isError(result) != 0) {
        return fail(ErrorCode::BadInput, std::string("the zstd data is damaged: ") + ZSTD_getErrorName(result));
      }
      is_between_frames_ = result == 0;
      has_more_ = out.pos == room && !is_between_frames_;
      if (out.pos > 0) return out.pos;
    }
  }
  bool has_more() const override { return has_more_; }

 private:
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> state_{ZSTD_createDStream(), ZSTD_freeDStream};
  bool is_between_frames_ = false;
  bool has_more_ = false;
};

InputStream::InputStream(std::unique_ptr<File> file) : file_(std::move(file)) {}
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
  auto file = std::make_unique<File>(descriptor, size);
  if (S_ISDIR(status.st_mode)) return fail(ErrorCode::BadInput, "cannot read " + path + ": it is a directory");

  return InputStream(std::move(file));
}

// Looks at the first bytes only when they are asked for: a pipe may not have any yet.
Result<void> InputStream::recognise() {
  const auto beginning = file_->beginning(4);
  if (!beginning) return std::unexpected(beginning.error());
  if (beginning->starts_with("\x1f\x8b")) {
    decoder_ = std::make_unique<Gzip>();
  } else if (beginning->starts_with("\x28\xb5\x2f\xfd")) {
    decoder_ = std::make_unique<Zstd>();
  } else {
    decoder_ = std::make_unique<Plain>();
  }
  return {};
}

Result<size_t> InputStream::read(char* to, size_t room) {
  if (!decoder_) {
    if (auto known = recognise(); !known) return std::unexpected(known.error());
  }
  return decoder_->read(*file_, to, room);
}

Result<void> InputStream::skip(uint64_t bytes) {
  const auto too_few = [&] { return fail(ErrorCode::BadInput, "it is shorter than it was"); };
  if (!decoder_) {
    if (auto known = recognise(); !known) return known;
  }
  std::vector<char> passed(256 << 10);
  while (bytes > 0) {
    if (decoder_->is_plain() && file_->size && !file_->has_buffered()) {
      if (bytes > *file_->size - std::min(*file_->size, file_->taken)) return too_few();
      lseek(file_->descriptor, static_cast<off_t>(bytes), SEEK_CUR);
      file_->taken += bytes;
      return {};
    }
    const auto got = read(passed.data(), std::min<uint64_t>(passed.size(), bytes));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return too_few();
    bytes -= *got;
  }
  return {};
}

bool InputStream::would_wait() const {
  if (file_->size || file_->has_buffered() || (decoder_ && decoder_->has_more())) return false;
  pollfd waited{file_->descriptor, POLLIN, 0};
  return poll(&waited, 1, 0) == 0;
}

int InputStream::descriptor() const { return file_->descriptor; }
uint64_t InputStream::bytes_taken() const { return file_->taken; }
std::optional<uint64_t> InputStream::size() const { return file_->size; }

}  // namespace millrace::client
