// A body that continues after the head of an answer: events, or another protocol. Its connection owns it.
#pragma once

#include <string_view>

#include "gateway/loop/event_loop.h"
#include "gateway/net/output_queue.h"

namespace millrace::gateway {

// What a stream may do with its connection.
class StreamSink {
 public:
  // Sends the bytes, or queues them until the client reads. A part of shared bytes costs only a pointer.
  virtual void send(const SharedBytes& bytes, size_t begin, size_t size) = 0;
  void send(std::string bytes) {
    const auto shared = std::make_shared<const std::string>(std::move(bytes));
    send(shared, 0, shared->size());
  }
  // Bytes that the client has not taken yet.
  virtual size_t unsent() const = 0;
  // Ends the connection once everything is sent. Then on_end() is called.
  virtual void finish() = 0;

 protected:
  ~StreamSink() = default;
};

class StreamBody {
 public:
  virtual ~StreamBody() = default;

  // The head has been sent. The sink lives until on_end().
  virtual void begin(StreamSink& sink) = 0;
  // The client sent bytes. False: it must not send these, or any; then the connection ends.
  virtual bool on_bytes(std::string_view) { return false; }
  // The client has received everything that was sent.
  virtual void on_sent() {}
  // The gateway shuts down: tells the client, and calls finish().
  virtual void drain() = 0;
  // The client's token has expired or was revoked: the same.
  virtual void expire() { drain(); }
  // Called about every 15 seconds: sends bytes so that proxies do not close an idle connection. False: the client is
  // dead.
  virtual bool keep_alive() = 0;
  // The connection is closed. No other call follows.
  virtual void on_end() = 0;
};

}  // namespace millrace::gateway
