#include "gateway/websocket/frames.h"

#include <openssl/evp.h>
#include <wslay/wslay.h>

#include <algorithm>
#include <cstring>

#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

void append_frame(std::string& out, uint8_t opcode, std::string_view payload) {
  out += static_cast<char>(0x80 | opcode);
  const uint64_t size = payload.size();
  const int width = size < 126 ? 0 : size < 65536 ? 2 : 8;
  out += static_cast<char>(width == 0 ? size : width == 2 ? 126U : 127U);
  for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) out += static_cast<char>(size >> shift & 0xff);
  out += payload;
}

}  // namespace

void append_text_frame(std::string& out, std::string_view text) { append_frame(out, WSLAY_TEXT_FRAME, text); }

std::string ping_frame() {
  std::string out;
  append_frame(out, WSLAY_PING, {});
  return out;
}

std::string close_frame(uint16_t code, std::string_view reason) {
  std::string payload = {static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
  payload += reason;
  std::string out;
  append_frame(out, WSLAY_CONNECTION_CLOSE, payload);
  return out;
}

std::string websocket_accept(std::string_view key) {
  const std::string text = std::string(key) + std::string(kGuid);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha1(), nullptr);
  return base64({reinterpret_cast<const char*>(digest), size});
}

struct FrameReader::Callbacks {
  static FrameReader& of(void* user) { return *static_cast<FrameReader*>(user); }

  static ssize_t read(wslay_event_context_ptr context, uint8_t* to, size_t room, int, void* user) {
    FrameReader& reader = of(user);
    const size_t count = std::min(room, reader.unread_.size());
    if (count == 0) {
      wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
      return -1;
    }
    std::memcpy(to, reader.unread_.data(), count);
    reader.unread_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }

  static ssize_t write(wslay_event_context_ptr, const uint8_t* from, size_t size, int, void* user) {
    of(user).reply_->append(reinterpret_cast<const char*>(from), size);
    return static_cast<ssize_t>(size);
  }

  static void begin_frame(wslay_event_context_ptr context, const wslay_event_on_frame_recv_start_arg* frame,
                          void* user) {
    const uint64_t size = frame->payload_length;
    FrameReader& reader = of(user);
    reader.frame_ = 2 + (size < 126 ? 0 : size < 65536 ? 2 : 8) + 4 + size;
    // Checked before waiting for its bytes.
    if (size > reader.most_bytes_) {
      wslay_event_queue_close(context, WSLAY_CODE_MESSAGE_TOO_BIG, nullptr, 0);
      reader.is_refused_ = true;
    }
    // A control frame may come between the fragments of a message.
    if (!wslay_is_ctrl_frame(frame->opcode)) reader.is_fragmented_ = frame->fin == 0;
  }

  static void end_frame(wslay_event_context_ptr, void* user) { of(user).begun_ -= of(user).frame_; }

  static void take_message(wslay_event_context_ptr context, const wslay_event_on_msg_recv_arg* message, void* user) {
    FrameReader& reader = of(user);
    if (message->opcode == WSLAY_BINARY_FRAME) {
      wslay_event_queue_close(context, WSLAY_CODE_UNSUPPORTED_DATA, nullptr, 0);
      reader.is_refused_ = true;
    }
    if (message->opcode != WSLAY_TEXT_FRAME || reader.is_refused_) return;
    (*reader.take_)({reinterpret_cast<const char*>(message->msg), message->msg_length});
  }
};

FrameReader::FrameReader(size_t most_bytes) : most_bytes_(most_bytes) {
  wslay_event_callbacks callbacks{};
  callbacks.recv_callback = Callbacks::read;
  callbacks.send_callback = Callbacks::write;
  callbacks.on_frame_recv_start_callback = Callbacks::begin_frame;
  callbacks.on_frame_recv_end_callback = Callbacks::end_frame;
  callbacks.on_msg_recv_callback = Callbacks::take_message;
  wslay_event_context_server_init(&context_, &callbacks, this);
  wslay_event_config_set_max_recv_msg_length(context_, most_bytes);
}

FrameReader::~FrameReader() { wslay_event_context_free(context_); }

bool FrameReader::put(std::string_view bytes, const Take& take, std::string& reply) {
  unread_ = bytes;
  take_ = &take;
  reply_ = &reply;
  begun_ += bytes.size();
  if (wslay_event_recv(context_) != 0) {
    reply += close_frame(WSLAY_CODE_PROTOCOL_ERROR, {});
    return false;
  }
  while (wslay_event_want_write(context_) != 0) {
    if (wslay_event_send(context_) != 0) return false;
  }
  return !is_refused_ && wslay_event_get_close_received(context_) == 0 && wslay_event_get_close_sent(context_) == 0;
}

}  // namespace millrace::gateway
