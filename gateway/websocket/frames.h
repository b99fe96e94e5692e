// Frames of WebSocket (RFC 6455). Bytes from clients go through wslay, which checks masks, fragments, control frames,
// sizes and UTF-8.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct wslay_event_context;

namespace millrace::gateway {

// Frames in the form that a server sends: unmasked, not fragmented.
void append_text_frame(std::string& out, std::string_view text);
std::string ping_frame();
std::string close_frame(uint16_t code, std::string_view reason);

// The value of Sec-WebSocket-Accept for a Sec-WebSocket-Key.
std::string websocket_accept(std::string_view key);

// Reads what one client sends. It has 8 KB of buffers, so it may be destroyed between messages and created again.
class FrameReader {
 public:
  using Take = std::function<void(std::string_view text)>;

  explicit FrameReader(size_t most_bytes);
  ~FrameReader();
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // Takes bytes. Complete text messages are passed to `take`; bytes to send, such as the answer to a ping, are appended
  // to `reply`. False: the connection ends once the reply is sent, because the client closed it or violated the
  // protocol.
  bool put(std::string_view bytes, const Take& take, std::string& reply);

  // True if no message is incomplete.
  bool is_between_messages() const { return begun_ == 0 && !is_fragmented_; }

 private:
  struct Callbacks;
  const size_t most_bytes_;
  wslay_event_context* context_ = nullptr;
  std::string_view unread_;
  const Take* take_ = nullptr;
  std::string* reply_ = nullptr;
  uint64_t begun_ = 0;  // bytes of a frame that is not complete yet
  uint64_t frame_ = 0;  // size of the frame that is being read
  bool is_fragmented_ = false;
  bool is_refused_ = false;
};

}  // namespace millrace::gateway
