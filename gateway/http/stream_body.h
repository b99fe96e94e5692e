// A body that goes on after the head of an answer: events, or another protocol. It belongs to its connection.
#pragma once

#include <string_view>

#include "gateway/loop/event_loop.h"
#include "gateway/net/output_queue.h"

namespace millrace::gateway {

// What a stream may do with its connection.
class StreamSink {
 public:
  // Sends, or keeps until the client reads. A part of shared bytes costs a pointer.
  virtual void send(const SharedBytes& bytes, size_t begin, size_t size) = 0;
  void send(std::string bytes) {
    const auto shared = std::make_shared<const std::string>(std::move(bytes));
    send(shared, 0, shared->size());
  }
  // Bytes that the client has not taken yet.
  virtual size_t unsent() const = 0;
  // Ends the connection once everything is sent. The stream is told by on_end().
  virtual void finish() = 0;

 protected:
  ~StreamSink() = default;
};

class StreamBody {
 public:
  virtual ~StreamBody() = default;

  // The head has been sent. The sink lives until on_end().
  virtual void begin(StreamSink& sink) = 0;
  // Bytes of the client. False: it must not send any, or not these; the connection ends.
  virtual bool on_bytes(std::string_view) { return false; }
  // The client has taken everything that was sent.
  virtual void on_sent() {}
  // The gateway ends: say so to the client, and finish().
  virtual void drain() = 0;
  // The token of the client counts no longer: the same.
  virtual void expire() { drain(); }
  // About every 15 seconds: what keeps proxies from ending a connection without traffic. False: the client is dead.
  virtual bool keep_alive() = 0;
  // The connection is gone. Nothing is called after it.
  virtual void on_end() = 0;
};

}  // namespace millrace::gateway
