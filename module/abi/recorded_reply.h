// An answer that is written now and sent later: what a waiting client gets is decided at
// the write that serves it, but the host takes the answer a little later, when other
// commands may have changed the key again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "module/abi/context.h"

namespace millrace::abi {

// Takes the same calls as Reply.
class RecordedReply {
 public:
  void integer(int64_t value) { parts_.push_back({Kind::Integer, static_cast<uint64_t>(value)}); }
  void bytes(ByteView value) {
    parts_.push_back({Kind::Bytes, value.size()});
    bytes_ += value;
  }
  void array(uint64_t size) { parts_.push_back({Kind::Array, size}); }
  // Arrays whose size comes later do not nest.
  void array_later() {
    later_ = parts_.size();
    array(0);
  }
  void array_was(uint64_t size) { parts_[later_].number = size; }
  void null() { parts_.push_back({Kind::Null, 0}); }

  void send(Reply reply) const {
    size_t at = 0;
    for (const Part& part : parts_) {
      switch (part.kind) {
        case Kind::Integer:
          reply.integer(static_cast<int64_t>(part.number));
          break;
        case Kind::Bytes:
          reply.bytes(ByteView(bytes_).substr(at, part.number));
          at += part.number;
          break;
        case Kind::Array:
          reply.array(part.number);
          break;
        case Kind::Null:
          reply.null();
          break;
      }
    }
  }

 private:
  enum class Kind : uint8_t { Integer, Bytes, Array, Null };
  struct Part {
    Kind kind;
    uint64_t number;
  };

  std::vector<Part> parts_;
  std::string bytes_;  // of all byte strings, one behind the other
  size_t later_ = 0;
};

}  // namespace millrace::abi
