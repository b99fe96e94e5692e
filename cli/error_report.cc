#include "cli/error_report.h"

#include <cerrno>
#include <cstring>

#include "client/escape.h"

namespace millrace::cli {
namespace {

constexpr uint64_t kShown = 10;

}  // namespace

client::Result<void> ErrorReport::open(const std::string& path, bool goes_on) {
  path_ = path;
  file_.reset(std::fopen(path.c_str(), goes_on ? "ae" : "we"));
  if (!file_) return cannot_write();
  return {};
}

client::Result<void> ErrorReport::note(const std::string& file, uint64_t line, std::string_view why) {
  std::string text = file + ':' + std::to_string(line) + ": ";
  client::append_printable(text, why);
  if (shown_ < kShown) std::fprintf(stderr, "%s: %s\n", command_.c_str(), text.c_str());
  if (++shown_ == kShown + 1) {
    const std::string where = file_ ? "they are in " + path_ : "--errors FILE keeps them all";
    std::fprintf(stderr, "%s: there are more errors; %s\n", command_.c_str(), where.c_str());
  }
  if (!file_) return {};
  text += '\n';
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) return cannot_write();
  return {};
}

client::Result<void> ErrorReport::flush() {
  if (file_ && std::fflush(file_.get()) != 0) return cannot_write();
  return {};
}

client::Result<void> ErrorReport::cannot_write() {
  return client::fail(client::ErrorCode::Output, "cannot write " + path_ + ": " + std::strerror(errno));
}

}  // namespace millrace::cli
