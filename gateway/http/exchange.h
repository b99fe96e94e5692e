// One request on its way to its answer. The coroutine that serves it keeps it; the client may be gone before it ends.
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

  // A request of our own, whose answer nobody waits for at a connection.
  Exchange(Request given, std::string from, std::shared_ptr<const Caller> by)
      : request(std::move(given)), peer(std::move(from)), caller(std::move(by)), connection_(nullptr) {}

  // Sends the answer, if anybody is left to read it. To be called once.
  void respond(Response response);

  // A command that waits at the server, which is given up when the client goes away or the gateway ends: it then gets
  // an error, or what the server answers when the time is over, or what it had taken before it heard of that. See
  // is_given_up().
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
  // The client has gone, or has closed its side, or the gateway ends: what waits has been given up.
  bool is_given_up() const { return connection_ == nullptr || is_drained_; }

  // The same for what waits here: `cancel` is called when the client goes away or the gateway ends, unless that was
  // before. False: it was.
  bool begin_wait(std::function<void()> cancel) {
    if (!connection_ || is_drained_) return false;
    cancel_ = std::move(cancel);
    return true;
  }
  void end_wait() { cancel_ = nullptr; }

  // By the connection: the client went away.
  void leave() {
    connection_ = nullptr;
    stop_waiting();
  }
  // By the connection: the gateway ends, and what waits must end.
  void drain() {
    is_drained_ = true;
    stop_waiting();
  }

  const Request request;
  const std::string peer;                // the address of the client
  std::shared_ptr<const Caller> caller;  // once that is known
  std::vector<std::string> names;        // in the path: of "/v1/logs/{log}" the log
  const Route* route = nullptr;          // that serves it

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
