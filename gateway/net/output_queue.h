// Bytes to send to one client. They may be shared with other clients: a message to thousands is in memory once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::gateway {

using SharedBytes = std::shared_ptr<const std::string>;

class OutputQueue {
 public:
  void add(std::string bytes) {
    const size_t size = bytes.size();
    add(std::make_shared<const std::string>(std::move(bytes)), 0, size);
  }
  // A part of bytes that may be shared with other clients.
  void add(SharedBytes bytes, size_t begin, size_t size) {
    if (size == 0) return;
    waiting_ += size;
    pieces_.push_back({std::move(bytes), begin, size});
  }

  bool is_empty() const { return waiting_ == 0; }
  size_t size() const { return waiting_; }

  // The bytes to send next. REQUIRES: not empty.
  std::string_view front() const {
    const Piece& piece = pieces_[first_];
    return std::string_view(*piece.bytes).substr(piece.begin, piece.size);
  }

  // Removes this many bytes of front(), which were sent.
  void remove(size_t count) {
    waiting_ -= count;
    Piece& piece = pieces_[first_];
    piece.begin += count;
    piece.size -= count;
    if (piece.size == 0) {
      piece.bytes.reset();
      ++first_;
    }
    // A client that always has bytes left does not keep memory for everything it was sent, either.
    if (first_ > kMostSent && first_ * 2 > pieces_.size()) {
      pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    // An idle client keeps no memory for what it was sent.
    if (waiting_ == 0) {
      std::vector<Piece>().swap(pieces_);
      first_ = 0;
    }
  }

 private:
  static constexpr size_t kMostSent = 64;
  struct Piece {
    SharedBytes bytes;
    size_t begin;
    size_t size;
  };
  std::vector<Piece> pieces_;
  size_t first_ = 0;
  size_t waiting_ = 0;
};

}  // namespace millrace::gateway
