// Decodes untrusted bytes: every read is bounded, the first failure latches, and the caller checks once at the end.
#pragma once

#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/varint.h"

namespace millrace {

class Decoder {
 public:
  // Borrows `bytes` for its own lifetime.
  explicit Decoder(ByteView bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // The next number, or 0 once anything has failed.
  uint64_t number() {
    uint64_t value = 0;
    const char* next = ok_ ? get_varint(at_, end_, value) : nullptr;
    if (next == nullptr) {
      ok_ = false;
      return 0;
    }
    at_ = next;
    return value;
  }

  // The next `size` bytes, or none once anything has failed.
  ByteView bytes(uint64_t size) {
    if (!ok_ || size > static_cast<uint64_t>(end_ - at_)) {
      ok_ = false;
      return {};
    }
    ByteView taken(at_, size);
    at_ += size;
    return taken;
  }

  // All that is left, or none once anything has failed.
  ByteView rest() { return bytes(static_cast<uint64_t>(end_ - at_)); }

  bool ok() const { return ok_; }
  // True if no read failed and no bytes are left.
  bool finished() const { return ok_ && at_ == end_; }

 private:
  const char* at_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace millrace
