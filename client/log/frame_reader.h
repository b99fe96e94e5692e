// Reads the messages of a frame, which TREAD … FRAMED answers (docs/formats/frame.md).
//
//   client::FrameReader frame(reply->text);
//   for (Message message; frame.next(message);) …
//   if (auto failure = frame.failure()) …
//   // go on with TREAD key frame.head().end …
//
// The bytes need not be trusted: what is no frame is refused, and no more is allocated than a block of messages takes
// unpacked, 128 KiB.
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
  // Frames will be opened whose packed blocks come from there, to which each is added before it is opened.
  explicit FrameReader(UnpackAhead* ahead) : FrameReader(std::string_view()) { ahead_ = ahead; }
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;
  ~FrameReader();

  // Another frame. What it has allocated is used again.
  void open(std::string_view frame);

  // What the frame says of the log and of itself. REQUIRES: no failure
  const FrameHead& head() const { return frame_.head(); }

  // The next message; false at the end, and if the frame is wrong. The views live until the next call.
  bool next(Message& message) { return frame_.next(message) || next_in_other_block(message); }

  // Protocol: the frame is wrong, and so may be what came before. To be asked when next() has returned false.
  std::optional<Error> failure() const;

 private:
  bool next_in_other_block(Message& message);
  bool enter(const FrameBlock& block);

  millrace::FrameReader frame_;
  std::unique_ptr<char[]> unpacked_;  // kMostUnpacked bytes, once a packed block has come
  BlockUnpacker unpacker_;
  UnpackAhead* ahead_ = nullptr;
};

}  // namespace millrace::client
