#include "client/load/input_window.h"

#include <cstring>

namespace millrace::client {

Result<InputWindow::Filled> InputWindow::fill() {
  const auto ready = stream_.prepare();
  if (!ready) return std::unexpected(ready.error());
  if (!*ready) return Filled::Waiting;
  if (const size_t kept = passed().size(); begin_ > kept) {
    const size_t dropped = begin_ - kept;
    std::memmove(bytes_.data(), bytes_.data() + dropped, end_ - dropped);
    end_ -= dropped;
    begin_ = kept;
  }
  if (end_ == bytes_.size()) {
    if (end_ - begin_ >= most_) return Filled::Full;
    bytes_.resize(std::min(bytes_.size() * 2, std::max(begin_ + most_, bytes_.size() + 1)));
  }
  const auto got = stream_.read(bytes_.data() + end_, bytes_.size() - end_);
  if (!got) return std::unexpected(got.error());
  end_ += *got;
  return *got == 0 ? Filled::End : Filled::Some;
}

Result<void> InputWindow::skip_to(uint64_t offset) {
  const uint64_t seen = std::min<uint64_t>(offset - offset_, end_ - begin_);
  consume(static_cast<size_t>(seen));
  const uint64_t unseen = offset - offset_;
  if (unseen == 0) return {};
  begin_ = end_ = 0;
  auto skipped = stream_.skip(unseen);
  offset_ += unseen;
  return skipped;
}

}  // namespace millrace::client
