#include "gateway/websocket/socket_follow.h"

#include "gateway/json/json_text.h"

namespace millrace::gateway {

void SocketFollow::deliver(Batch& batch, size_t first) {
  if (socket_ == nullptr) return;
  const Encoded& frames = batch.frames();
  const size_t begin = frames.begin_of(first);
  socket_->send_frames(frames.bytes, begin, frames.bytes->size() - begin, batch.messages().size() - first);
}

std::string SocketFollow::beginning(std::string_view event) const {
  std::string json = "{\"event\":\"" + std::string(event) + "\",";
  append_topic(json, topic_.key());
  return json;
}

void SocketFollow::tell_reset(const Reset& reset) {
  if (socket_ == nullptr) return;
  socket_->send_text(beginning("reset") + ",\"position\":\"" + reset.position.text + "\",\"missing\":" + reset.json +
                     '}');
}

void SocketFollow::tell_position(const Position& position) {
  if (socket_ != nullptr) socket_->send_text(beginning("position") + ",\"position\":\"" + position.text + "\"}");
}

void SocketFollow::fail(const std::string& why) {
  if (socket_ == nullptr) return;
  std::string json = beginning("error") + ",\"error\":";
  append_string(json, why);
  socket_->send_text(json + '}');
  // The topic is destroyed as soon as it has no listeners, and must not be used afterwards. Sending the text may have
  // ended the socket.
  if (socket_ != nullptr) socket_->drop(topic_.key());
}

}  // namespace millrace::gateway
