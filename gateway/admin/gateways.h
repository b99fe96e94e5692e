// Gateways in front of one server find each other through keys of that server. Each gateway keeps a key that describes
// it, and waits for orders (requests from other gateways) in a list, as long as there are other gateways.
//
//   millrace:gateway:names           a set of names
//   millrace:gateway:at:NAME         its description, as JSON; it expires if the gateway is gone
//   millrace:gateway:orders:NAME     a list of orders to it
//   millrace:gateway:answer:ID       a list with the answer to one
#pragma once

#include <memory>
#include <string>

#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

// Of one loop of a gateway.
class Registration {
 public:
  // REQUIRES: `services` outlives it.
  explicit Registration(Services& services);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  // Called when the gateway ends: removes its key, so that the others need not wait until it expires.
  void leave();

 private:
  Detached register_again();
  Detached look_for_orders();
  Task<bool> carry_out(std::string order);
  // [key, order], or null if none has come.
  auto wait_for_order(const std::string& key);

  Services& services_;
  Upstream::Waiting waiting_;
  bool has_others_ = false;
  bool has_left_ = false;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

Task<Response> list_gateways(Services& services, ExchangePtr exchange);
Task<Response> list_connections(Services& services, ExchangePtr exchange);
Task<Response> disconnect(Services& services, ExchangePtr exchange);
Task<Response> revoke_token(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
