// One event loop of the gateway with everything that it needs to serve clients. Loops share only counters and limits.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gateway/admin/connections.h"
#include "gateway/admin/console_state.h"
#include "gateway/admin/gateways.h"
#include "gateway/admin/monitor.h"
#include "gateway/auth/authority.h"
#include "gateway/auth/request_rate.h"
#include "gateway/config/config.h"
#include "gateway/http/http_connection.h"
#include "gateway/net/acceptor.h"
#include "gateway/net/tls_server.h"
#include "gateway/routes/figures.h"
#include "gateway/routes/router.h"
#include "gateway/routes/services.h"
#include "gateway/stream/feed_followers.h"
#include "gateway/stream/topic.h"

namespace millrace::gateway {

// What all loops of a gateway share.
struct Shared {
  const Config& config;
  client::ConnectionOptions server;
  Background& background;
  Figures& figures;
  std::shared_ptr<const Authority> authority;
  RequestRate& rate;
  Board& board;
  std::vector<ConnectionHost*> loops = {};  // all loops, complete before the first one runs
};

class Worker final : HttpHost, public ConnectionHost {
 public:
  // With a certificate, it serves only TLS.
  Worker(Shared& shared, TlsContext certificate);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Returns the addresses it listens at, with the ports that the system chose. REQUIRES: called before run().
  client::Result<std::vector<client::Endpoint>> listen(const std::vector<client::Endpoint>& at, bool is_first);

  // This worker watches the server for consoles. REQUIRES: called before run(), for one worker only.
  void watch_server();

  // Runs until it is drained.
  void run() { loop_.run(); }

  // From any thread: accepts no more clients, ends waiting requests and streams with a last answer, then run() returns.
  void drain();
  // From any thread: ends at once.
  void stop() { loop_.stop(); }
  // From any thread: sets the certificate for new connections.
  void use_certificate(TlsContext context);

 private:
  EventLoop& loop() override { return loop_; }
  const RequestLimits& limits() const override { return shared_.config.requests; }
  const HttpTimeouts& timeouts() const override { return shared_.config.timeouts; }
  void serve(ExchangePtr exchange) override;
  bool is_draining() const override { return is_draining_; }
  void note_response(const Request& request, const std::string& peer, const Response& response,
                     Milliseconds took) override;
  void remove(HttpConnection& connection) override;
  std::unique_ptr<StreamNote> note_stream(const Exchange& exchange, bool is_socket) override;

  void post(std::function<void()> job) override { loop_.post(std::move(job)); }
  std::vector<ConnectionLine> connections(const ConnectionQuestion& question, size_t loop) override;
  bool disconnect(uint64_t number) override;
  size_t end_token(const std::string& id) override;
  std::set<std::string> tokens() override;

  void accept(int descriptor, std::string peer);
  void look_after();
  void keep_alive();
  void begin_drain();
  void end_drain();
  Detached answer(ExchangePtr exchange);
  Task<Response> response_to(ExchangePtr exchange);
  Task<std::optional<Response>> refusal_of(ExchangePtr exchange, const Route* route);

  Shared& shared_;
  EventLoop loop_;
  Upstream upstream_;
  FeedFollowers followers_;
  Topics topics_;
  bool is_draining_ = false;
  ConsoleState console_;
  Services services_;
  Router router_;
  TlsContext certificate_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::vector<std::unique_ptr<HttpConnection>> connections_;
  // Tokens that were revoked just now: a stream may have been about to begin, after its token was checked.
  std::map<std::string, Moment> ended_tokens_;
  EventLoop::Timer tick_;
  EventLoop::Timer keep_alive_;
  std::unique_ptr<Monitor> monitor_;
  std::unique_ptr<Registration> registration_;
  uint64_t next_number_ = 1;  // number of the next connection
};

}  // namespace millrace::gateway
