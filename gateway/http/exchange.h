// One request and its answer. The coroutine that serves the request owns this object; the client may disconnect before
// the coroutine ends.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/http/request.h"
#include "gateway/http/response.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

class HttpConnection;
struct Caller;
struct Route;

class Exchange {
 public:
  Exchange(HttpConnection& connection, Request given, std::string from)
      : request(std::move(given)), peer(std::move(from)), connection_(&connection) {}

  // An internal request without a connection.
  Exchange(Request given, std::string from, std::shared_ptr<const Caller> by)
      : request(std::move(given)), peer(std::move(from)), caller(std::move(by)), connection_(nullptr) {}

  // Sends the answer, if the client is still connected. Called once.
  void respond(Response response);

  // Sends a command that waits at the server. It is given up when the client disconnects or the gateway ends. The
  // result is then an error, or the answer at the end of the time, or what the server had taken before it ended the
  // command. See is_given_up().
  auto ask_waiting(Upstream& upstream, Words words, Milliseconds wait) {
    return told<Answer>([this, &upstream, words = std::move(words), wait](Link::Done done) mutable {
      if (!connection_ || is_drained_) {
        done(client::fail(client::ErrorCode::Closed, "the gateway is shutting down"));
        return;
      }
      upstream.call_waiting(std::move(words), 1, wait, waiting_, std::move(done));
    });
  }

  bool is_gone() const { return connection_ == nullptr; }
  // True if waiting commands were given up: the client has disconnected or has closed its side, or the gateway ends.
  bool is_given_up() const { return connection_ == nullptr || is_drained_; }

  // The same for a wait in the gateway: `cancel` is called when the client disconnects or the gateway shuts down. False
  // if that has already happened.
  bool begin_wait(std::function<void()> cancel) {
    if (!connection_ || is_drained_) return false;
    cancel_ = std::move(cancel);
    return true;
  }
  void end_wait() { cancel_ = nullptr; }

  // Called by the connection: the client has disconnected.
  void leave() {
    connection_ = nullptr;
    stop_waiting();
  }
  // Called by the connection: the gateway shuts down, and waiting requests must end.
  void drain() {
    is_drained_ = true;
    stop_waiting();
  }

  const Request request;
  const std::string peer;                // the address of the client
  std::shared_ptr<const Caller> caller;  // set once it is known
  std::vector<std::string> names;        // names in the path: for "/v1/logs/{log}" the log
  const Route* route = nullptr;          // the route that serves it

 private:
  void stop_waiting() {
    waiting_.give_up();
    if (const auto cancel = std::exchange(cancel_, nullptr)) cancel();
  }

  HttpConnection* connection_;
  Upstream::Waiting waiting_;
  std::function<void()> cancel_;
  bool is_drained_ = false;
};

using ExchangePtr = std::shared_ptr<Exchange>;

}  // namespace millrace::gateway
