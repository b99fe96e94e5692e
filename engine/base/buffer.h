// A growing run of bytes in one allocation. Unlike std::string, it grows to exactly the requested capacity, so that a
// block fills a size class of the allocator. It can also adopt bytes that were allocated elsewhere.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/base/bytes.h"

namespace millrace {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  // Takes over `size` bytes allocated by `new char[]` (in the module that is the
  // host's allocator, so a string the host has loaded is adopted without a copy).
  static Buffer adopt(std::unique_ptr<char[]> bytes, uint32_t size) {
    Buffer buffer;
    buffer.bytes_ = std::move(bytes);
    buffer.size_ = buffer.capacity_ = size;
    return buffer;
  }

  static Buffer copy_of(ByteView bytes) {
    Buffer buffer;
    buffer.reserve(static_cast<uint32_t>(bytes.size()));
    bytes.copy(buffer.extend(static_cast<uint32_t>(bytes.size())), bytes.size());
    return buffer;
  }

  Buffer clone() const {
    Buffer copy;
    copy.reserve(size_);
    if (size_ != 0) std::memcpy(copy.bytes_.get(), bytes_.get(), size_);
    copy.size_ = size_;
    return copy;
  }

  const char* data() const { return bytes_.get(); }
  uint32_t size() const { return size_; }
  uint32_t capacity() const { return capacity_; }
  ByteView view() const { return {bytes_.get(), size_}; }

  // Moves the bytes to an allocation of exactly `capacity` bytes.
  // REQUIRES: capacity >= size()
  void reserve(uint32_t capacity) {
    std::unique_ptr<char[]> larger(capacity == 0 ? nullptr : new char[capacity]);
    if (size_ != 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }

  // Lengthens by `bytes` and returns where to write them.
  // REQUIRES: size() + bytes <= capacity()
  char* extend(uint32_t bytes) {
    char* at = bytes_.get() + size_;
    size_ += bytes;
    return at;
  }

  // Drops all bytes from `size` on; the capacity stays. REQUIRES: size <= size()
  void cut(uint32_t size) { size_ = size; }

 private:
  std::unique_ptr<char[]> bytes_;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

}  // namespace millrace
