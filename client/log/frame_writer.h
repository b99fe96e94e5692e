// Puts messages into a frame for TWRITE with FRAMED (docs/formats/frame.md): one string instead of two for each
// message.
//
//   client::FrameWriter frame;
//   frame.add("paid", R"({"order":17})");
//   …
//   connection.call({"TWRITE", "orders", "FRAMED", frame.take()});
//
// A tag that repeats is stored once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/record_format.h"

namespace millrace::client {

class FrameWriter {
 public:
  // A server accepts at most this many messages in one frame.
  static constexpr uint64_t kMostMessages = 1'000'000;

  // REQUIRES: tag and entry are at most 512 MiB each, and so is the whole frame
  void add(std::string_view tag, std::string_view entry);

  uint64_t count() const { return count_; }
  // The approximate size of the frame that take() will return.
  size_t size() const { return records_.size(); }
  bool empty() const { return count_ == 0; }

  // Returns the frame; afterwards the writer is empty. REQUIRES: !empty()
  std::string take();

 private:
  std::string records_;
  uint64_t count_ = 0;
  std::map<std::string, TagPosition, std::less<>> tags_;
  TagPosition recent_ = 0;  // where the last message's tag is stored; 0: there is none
};

}  // namespace millrace::client
