// All webhooks of a configuration, in a separate event loop: in `millrace deliver`, or beside the loops of a gateway.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/connection.h"
#include "gateway/config/webhook_rule.h"
#include "gateway/deliver/courier.h"
#include "gateway/deliver/hook_client.h"
#include "gateway/deliver/hook_figures.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

class Deliverer {
 public:
  // BadInput: a file named in a rule cannot be used.
  static client::Result<std::unique_ptr<Deliverer>> make(const std::vector<WebhookRule>& rules,
                                                         const client::ConnectionOptions& server,
                                                         std::function<void(const std::string&)> tell);
  ~Deliverer();

  // Returns when it is drained.
  void run() { loop_.run(); }
  // From any thread: sends no more requests. run() returns when those in progress are over, or at the end of the given
  // time.
  void drain(Milliseconds time);
  // From any thread: ends at once.
  void stop() { loop_.stop(); }

  const std::deque<HookFigures>& figures() const { return figures_; }

 private:
  struct Webhook;
  Deliverer(const client::ConnectionOptions& server, std::function<void(const std::string&)> tell);
  void add(const WebhookRule& rule, std::vector<std::string> secrets);
  void end_if_idle();

  std::function<void(const std::string&)> tell_;
  EventLoop loop_;
  std::unique_ptr<Background> background_;
  std::unique_ptr<Background> look_ups_;
  Upstream upstream_;
  HookClient client_;
  std::deque<HookFigures> figures_;
  std::vector<std::unique_ptr<Webhook>> webhooks_;
};

// Whether make() would refuse.
client::Result<void> check_webhooks(const std::vector<WebhookRule>& rules);

// `millrace deliver`: delivers until SIGTERM or Ctrl-C, and then shuts down in an orderly way.
client::Result<void> deliver(const std::vector<WebhookRule>& rules, const client::ConnectionOptions& server,
                             const std::function<void(const std::string&)>& tell);

}  // namespace millrace::gateway
