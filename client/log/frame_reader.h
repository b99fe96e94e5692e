// Reads the messages of a frame, the answer of TREAD with FRAMED (docs/formats/frame.md).
//
//   client::FrameReader frame(reply->text);
//   for (Message message; frame.next(message);) …
//   if (auto failure = frame.failure()) …
//   // continue with TREAD key frame.head().end …
//
// The bytes may be untrusted: an invalid frame is refused, and at most the size of one unpacked block, 128 KiB, is
// allocated.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "client/error.h"
#include "client/log/block_unpacker.h"
#include "engine/base/frame_reader.h"
#include "engine/base/message.h"

namespace millrace::client {

class UnpackAhead;

class FrameReader {
 public:
  // Borrows the bytes of the frame.
  explicit FrameReader(std::string_view frame);
  // `ahead` unpacks the packed blocks of all frames; each frame must be added to it before it is opened.
  explicit FrameReader(UnpackAhead* ahead) : FrameReader(std::string_view()) { ahead_ = ahead; }
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;
  ~FrameReader();

  // Opens another frame, and reuses the allocated memory.
  void open(std::string_view frame);

  // The head of the frame, with information about the log. REQUIRES: no failure
  const FrameHead& head() const { return frame_.head(); }

  // The next message; false at the end and on failure. The views are valid until the next call.
  bool next(Message& message) { return frame_.next(message) || next_in_other_block(message); }

  // Protocol if the frame is invalid; then the messages that it returned may be wrong, too. Call it when next() has
  // returned false.
  std::optional<Error> failure() const;

 private:
  bool next_in_other_block(Message& message);
  bool enter(const FrameBlock& block);

  millrace::FrameReader frame_;
  std::unique_ptr<char[]> unpacked_;  // kMostUnpacked bytes, allocated for the first packed block
  BlockUnpacker unpacker_;
  UnpackAhead* ahead_ = nullptr;
};

}  // namespace millrace::client
