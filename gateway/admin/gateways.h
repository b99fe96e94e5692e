// Gateways in front of one server find each other through keys of that server. Each gateway keeps a key that describes
// it, and waits at a list for orders (requests from other gateways).
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

// The registration of a gateway; belongs to one of its loops.
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
  Detached take_orders();
  Detached make_up_for_orders();
  Task<bool> carry_out(std::string order);

  // Outlives the registration for as long as a command waits.
  struct State {
    bool is_alive = true;
    Upstream::Waiting for_orders;
  };

  Services& services_;
  bool has_left_ = false;
  bool may_have_missed_ = false;  // an order to revoke a token
  bool is_making_up_ = false;     // for such orders
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

Task<Response> list_gateways(Services& services, ExchangePtr exchange);
Task<Response> list_connections(Services& services, ExchangePtr exchange);
Task<Response> disconnect(Services& services, ExchangePtr exchange);
Task<Response> revoke_token(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
