// A WebSocket of /v1/connect: requests as JSON texts, each with an id that its answer repeats, and events of followed
// topics.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gateway/auth/authority.h"
#include "gateway/http/stream_body.h"
#include "gateway/routes/services.h"
#include "gateway/websocket/frames.h"
#include "gateway/websocket/socket_device.h"
#include "gateway/websocket/socket_follow.h"

namespace millrace::gateway {

class SocketStream final : public StreamBody,
                           public FollowingSocket,
                           public std::enable_shared_from_this<SocketStream> {
 public:
  // REQUIRES: `services` outlives the connection.
  SocketStream(Services& services, std::shared_ptr<const Caller> caller)
      : services_(services), caller_(std::move(caller)) {}

  void begin(StreamSink& sink) override;
  bool on_bytes(std::string_view bytes) override;
  void on_sent() override;
  void drain() override { close(kServiceRestart, "come again"); }
  void expire() override { close(kPolicyViolation, "the token has expired"); }
  bool keep_alive() override;
  void on_end() override;

 private:
  static constexpr uint16_t kPolicyViolation = 1008;
  static constexpr uint16_t kServiceRestart = 1012;
  using FollowMap = std::map<TopicKey, std::shared_ptr<SocketFollow>>;

  using DeviceMap = std::map<std::string, std::shared_ptr<SocketDevice>>;  // by their tables

  void send_frames(const SharedBytes& bytes, size_t begin, size_t size, size_t messages) override;
  void send_text(std::string_view json) override;
  bool is_full() const override;
  void drop(const TopicKey& key) override;

  void close(uint16_t code, std::string_view why);
  void answer(std::string_view json);
  Detached serve(std::string text);
  // The rest of an answer: "ok":true,… or "error":{…}
  Task<std::string> answer_to(JsonObject request);
  Task<std::string> follow(JsonObject request);
  Task<std::string> publish(JsonObject request);
  Task<std::string> acknowledge(JsonObject request);
  Task<std::string> connect_device(JsonObject request);
  Task<std::string> use_device(JsonObject request);
  void forget_device(const std::string& table, const std::shared_ptr<SocketDevice>& device);
  std::string unfollow(const JsonObject& request);
  // Why the caller may not do this; nullopt: it may.
  std::optional<std::string> refusal(const TopicKey& topic, Right right) const;

  Services& services_;
  std::shared_ptr<const Caller> caller_;
  StreamSink* sink_ = nullptr;
  std::unique_ptr<FrameReader> reader_;  // while a message is being read
  std::unique_ptr<FollowMap> follows_;
  std::unique_ptr<DeviceMap> devices_;
  size_t unanswered_ = 0;
  size_t unanswered_bytes_ = 0;  // of these requests
  size_t untaken_ = 0;           // bytes of answers since the client last received everything
  bool is_closing_ = false;
  uint8_t unfinished_ = 0;  // keep-alives since an incomplete message began
};

}  // namespace millrace::gateway
