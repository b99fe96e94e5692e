// A connection to a receiver of webhooks: one request after the other.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/tls.h"
#include "gateway/deliver/hook_response.h"
#include "gateway/loop/event_loop.h"
#include "gateway/net/transport.h"

namespace millrace::gateway {

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;
};

// The result of a request.
struct HookOutcome {
  int status = 0;                               // 0: there was no answer
  std::optional<std::string> retry_after = {};  // value of the header
  std::string why = {};                         // if there was no answer: what went wrong
  bool is_private = false;                      // it was not sent, because its address is not public
};

class HookConnection final : IoHandler {
 public:
  // `untouched`: the connection ended before a byte of an answer came.
  using Done = std::function<void(HookOutcome outcome, bool keeps_alive, bool untouched)>;

  // Connects to the first of the addresses that answers.
  HookConnection(EventLoop& loop, std::vector<SocketAddress> addresses, client::TlsOptions tls, std::string host);
  ~HookConnection();
  HookConnection(const HookConnection&) = delete;
  HookConnection& operator=(const HookConnection&) = delete;

  // Sends a request. `done` is called once, later or at once; it may destroy the connection. REQUIRES: no other request
  // is in progress.
  void send(std::string request, Done done);
  // Whether the receiver has closed it, or has sent bytes, while it was idle.
  bool is_broken() const { return step_ == Step::Broken; }

 private:
  enum class Step { Connecting, ShakingHands, Open, Broken };

  void on_ready(uint32_t events) override;
  void connect_next();
  void finish_connecting();
  void shake_hands();
  void exchange();
  bool write();
  bool read();
  void watch(uint32_t events);
  void close();
  void fail(std::string why);
  void finish(HookOutcome outcome, bool keeps_alive, bool untouched);

  EventLoop& loop_;
  std::vector<SocketAddress> addresses_;
  size_t next_address_ = 0;
  client::TlsOptions tls_;
  std::string host_;
  Step step_ = Step::Connecting;
  int descriptor_ = -1;  // until the transport owns it
  std::optional<client::TlsSession> session_;
  std::unique_ptr<Transport> transport_;
  uint32_t watched_ = 0;
  std::string request_;
  size_t sent_ = 0;
  std::unique_ptr<HookResponseReader> reader_;  // while a request is in progress
  Done done_;
  std::string last_problem_;
};

}  // namespace millrace::gateway
