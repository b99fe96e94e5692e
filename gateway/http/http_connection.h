// One connection of a client: requests, one after the other, until it becomes a stream or ends. A connection without
// traffic has no buffers: bytes are read into a buffer that all connections of a loop share, and a parser exists only
// while a request is being read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/http/connection_note.h"
#include "gateway/http/exchange.h"
#include "gateway/http/request_reader.h"
#include "gateway/http/stream_body.h"
#include "gateway/loop/event_loop.h"
#include "gateway/net/output_queue.h"
#include "gateway/net/transport.h"

namespace millrace::gateway {

class HttpConnection;

struct HttpTimeouts {
  Milliseconds idle{75'000};   // between two requests
  Milliseconds head{10'000};   // from the first byte of a request to the end of its headers
  Milliseconds body{30'000};   // until the body is complete
  Milliseconds write{30'000};  // a client that does not read for this long is considered dead
};

// What connections need of the object that accepts them.
class HttpHost {
 public:
  virtual EventLoop& loop() = 0;
  virtual const RequestLimits& limits() const = 0;
  virtual const HttpTimeouts& timeouts() const = 0;
  // A request is complete; exchange->respond() answers it.
  virtual void serve(ExchangePtr exchange) = 0;
  virtual bool is_draining() const = 0;
  // An answer begins; for counters and the access log.
  virtual void note_response(const Request& request, const std::string& peer, const Response& response,
                             Milliseconds took) = 0;
  // Data about the stream that begins.
  virtual std::unique_ptr<StreamNote> note_stream(const Exchange& exchange, bool is_socket) = 0;
  // The connection is over: destroys it after this turn of the loop.
  virtual void remove(HttpConnection& connection) = 0;

 protected:
  ~HttpHost() = default;
};

class HttpConnection final : IoHandler, StreamSink {
 public:
  HttpConnection(HttpHost& host, int descriptor, std::optional<client::TlsSession> tls, std::string peer);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void respond(Response response);

  // Ends an idle connection at once; tells a stream or a waiting request to end with its own last message.
  void drain();
  // Ends it if a phase took too long.
  void check_deadline(Moment now);
  void keep_alive();
  const std::string& peer() const { return peer_; }
  const ConnectionNote& note() const { return note_; }
  void set_number(uint64_t number) { note_.number = number; }
  // Its token has expired or was revoked, or an administrator ends it.
  void expire();

  size_t index = 0;  // used by the host to find it

 private:
  enum class Phase : uint8_t { Idle, Reading, Serving, Streaming, Ending, Lingering, Over };

  void on_ready(uint32_t events) override;
  void send(const SharedBytes& bytes, size_t begin, size_t size) override;
  size_t unsent() const override { return output_.size(); }
  void finish() override;

  void receive();
  void take(std::string_view bytes);
  bool is_held_up() const;
  void take_end();
  void take_request_bytes(std::string_view bytes);
  void refuse(int status, const std::string& reason);
  void serve();
  void go_on();
  void flush();
  void linger();
  void watch();
  void end();
  void set_deadline(Milliseconds time);

  HttpHost& host_;
  Transport transport_;
  Phase phase_ = Phase::Idle;
  bool is_reading_ = true;   // whether to read bytes of the client
  bool flushes_ = false;     // flush() is on the stack
  bool goes_on_ = false;     // go_on() is on the stack
  bool keeps_alive_ = true;  // after this answer
  bool is_head_ = false;     // the current request is a HEAD
  uint32_t watched_ = 0;     // the epoll events it is registered for
  Moment deadline_ = Moment::max();
  Moment until_ = Moment::max();  // end of a stream
  Moment began_{};                // start of the current request
  OutputQueue output_;
  std::unique_ptr<RequestReader> reader_;
  std::unique_ptr<std::string> ahead_;  // bytes after the current request, until its answer has been sent
  ExchangePtr exchange_;
  std::shared_ptr<StreamBody> stream_;
  std::string peer_;
  ConnectionNote note_;
};

}  // namespace millrace::gateway
