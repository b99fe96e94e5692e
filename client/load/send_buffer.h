// The bytes of all commands of one connection that are not answered yet. They stay until they are answered, so that
// they can be sent again over another connection.
//
//   | answered | sent, not answered | not sent |
//              ^ begin              ^ sent     ^ end
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

namespace millrace::client {

class SendBuffer {
 public:
  // Room for this many bytes at the end. commit() adds what was written there.
  char* room(size_t bytes) {
    if (bytes_.size() - end_ < bytes) make_room(bytes);
    return bytes_.data() + end_;
  }
  void commit(size_t bytes) { end_ += bytes; }
  void add(std::string_view bytes) {
    std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
    commit(bytes.size());
  }

  std::string_view unsent() const { return {bytes_.data() + sent_, end_ - sent_}; }
  void mark_sent(size_t bytes) { sent_ += bytes; }

  // The oldest bytes that are not answered. REQUIRES: there are this many.
  std::string_view oldest(size_t bytes) const { return {bytes_.data() + begin_, bytes}; }
  void mark_answered(size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) begin_ = sent_ = end_ = 0;
  }

  // Marks everything as not sent, for a new connection.
  void unsend() { sent_ = begin_; }

  size_t size() const { return end_ - begin_; }
  // How many of the unanswered bytes were sent.
  size_t sent() const { return sent_ - begin_; }

 private:
  void make_room(size_t bytes) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, size());
    sent_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
    if (bytes_.size() - end_ < bytes) bytes_.resize(std::max(bytes_.size() * 2, end_ + bytes));
  }

  std::vector<char> bytes_ = std::vector<char>(64 << 10);
  size_t begin_ = 0;
  size_t sent_ = 0;
  size_t end_ = 0;
};

}  // namespace millrace::client
