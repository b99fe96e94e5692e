// A log or a channel that a WebSocket follows.
#pragma once

#include <memory>
#include <string>

#include "gateway/stream/topic.h"

namespace millrace::gateway {

// The interface of a socket for the topics that it follows.
class FollowingSocket {
 public:
  virtual void send_frames(const SharedBytes& bytes, size_t begin, size_t size, size_t messages) = 0;
  virtual void send_text(std::string_view json) = 0;
  virtual bool is_full() const = 0;
  // A topic has ended by itself: the socket drops it.
  virtual void drop(const TopicKey& key) = 0;

 protected:
  ~FollowingSocket() = default;
};

class SocketFollow final : public Listener {
 public:
  SocketFollow(FollowingSocket& socket, Topic& topic) : socket_(&socket), topic_(topic) {}

  Topic& topic() { return topic_; }
  // The socket is closed.
  void forget() { socket_ = nullptr; }

 private:
  void deliver(Batch& batch, size_t first) override;
  void tell_reset(const Reset& reset) override;
  void tell_position(const Position& position) override;
  bool is_full() const override { return socket_ == nullptr || socket_->is_full(); }
  void fail(const std::string& why) override;

  // {"event":"…","log":"…"
  std::string beginning(std::string_view event) const;

  FollowingSocket* socket_;
  Topic& topic_;
};

}  // namespace millrace::gateway
