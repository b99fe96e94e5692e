// Where an object tells everything it holds, in an order that depends on nothing else: two objects are equal if they
// tell the same. A digest of the host is made of it, and tests compare engines by it.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/bytes.h"

namespace millrace {

class DigestSink {
 public:
  virtual void bytes(ByteView bytes) = 0;
  virtual void number(uint64_t value) = 0;

 protected:
  ~DigestSink() = default;
};

// As text that can be compared, and read when it differs.
class DigestText final : public DigestSink {
 public:
  void bytes(ByteView bytes) override { text_.append("[").append(bytes).append("]"); }
  void number(uint64_t value) override { text_.append(" ").append(std::to_string(value)); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace millrace
