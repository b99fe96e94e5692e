// Receives the whole contents of an object, in an order that depends only on the contents: two objects are equal if
// they write the same. The host's digest is made of it, and tests compare engines by it.
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

// Collects the contents as text, so that a difference can be read.
class DigestText final : public DigestSink {
 public:
  void bytes(ByteView bytes) override { text_.append("[").append(bytes).append("]"); }
  void number(uint64_t value) override { text_.append(" ").append(std::to_string(value)); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace millrace
