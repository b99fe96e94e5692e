// Sends requests to receivers of webhooks, and keeps their connections for the next ones. Redirects are not followed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gateway/deliver/hook_connection.h"
#include "gateway/deliver/hook_url.h"
#include "gateway/loop/background.h"
#include "gateway/loop/event_loop.h"

namespace millrace::gateway {

struct HookTarget {
  HookUrl url;
  std::string ca;  // certificates to trust; empty: those of the system
  bool allow_private = false;
};

class HookClient {
 public:
  HookClient(EventLoop& loop, Background& background) : loop_(loop), background_(background) {}
  ~HookClient();

  // Sends the bytes of a request. `done` is called once, not before this returns, and within the time.
  void send(const HookTarget& target, std::string request, Milliseconds timeout, std::function<void(HookOutcome)> done);

 private:
  using Place = std::tuple<bool, std::string, uint16_t, std::string, bool>;  // targets with equal places may share a
                                                                             // connection
  struct Sending;
  using SendingPtr = std::shared_ptr<Sending>;

  void look_up(const SendingPtr& sending);
  void connect(const SendingPtr& sending, const std::vector<SocketAddress>& addresses, const std::string& problem);
  void begin(const SendingPtr& sending, std::unique_ptr<HookConnection> connection, bool is_used);
  void end(const SendingPtr& sending, HookOutcome outcome, bool keeps_alive);

  EventLoop& loop_;
  Background& background_;
  std::map<Place, std::vector<std::unique_ptr<HookConnection>>> idle_;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace millrace::gateway
