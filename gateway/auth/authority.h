// Identifies the caller of a request, and decides what it may do.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/auth/access_rules.h"
#include "gateway/auth/browser.h"
#include "gateway/auth/token.h"
#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"

namespace millrace::gateway {

struct Caller {
  std::optional<JsonObject> claims = {};  // claims of a token
  std::string name = {};                  // for limits: the token's subject, or the address
  Moment until = Moment::max();           // when the token expires
  bool has_ticket = false;                // it used a ticket instead of the token itself
  bool is_trusted = false;                // may do everything: a client on this machine, if no access is configured
};

class Authority {
 public:
  // BadInput: a key or a rule of the configuration is invalid.
  static client::Result<std::shared_ptr<const Authority>> make(const Config& config);

  // The caller of a request, or the answer that refuses it. Asks the server whether a token was revoked, and for
  // tickets.
  Task<std::expected<std::shared_ptr<const Caller>, Response>> identify(Upstream& upstream, ExchangePtr exchange) const;

  // NoSuchChannel: access would be allowed, but the rules for channels do not allow this name.
  enum class Access { Allowed, Forbidden, NoSuchChannel };
  Access access(const Caller& caller, Resource resource, std::string_view name, Right right) const;
  bool may(const Caller& caller, Resource resource, std::string_view name, Right right) const {
    return access(caller, resource, name, right) == Access::Allowed;
  }
  // How long messages of the channel live; 0: the server's default.
  Milliseconds channel_expiry(std::string_view name) const {
    return rules_.channel_expiry(name).value_or(Milliseconds(0));
  }
  const BrowserRules& browsers() const { return browsers_; }

  // The server's keys for a revoked token and for a ticket.
  std::string revocation_key(std::string_view id) const { return revocations_ + std::string(id); }
  static std::string ticket_key(std::string_view ticket) { return kOwnKeys + ("ticket:" + std::string(ticket)); }

 private:
  bool allows(const Caller& caller, Resource resource, std::string_view name, Right right) const;

  static constexpr const char* kOwnKeys = "millrace:gateway:";
  using Known = std::expected<std::shared_ptr<const Caller>, Response>;

  // The caller with these claims, unless they were revoked.
  Task<Known> known_caller(Upstream& upstream, ExchangePtr exchange, JsonObject claims, bool has_ticket) const;
  Authority(const Config& config, std::vector<TokenKey> keys, AccessRules rules);

  std::vector<TokenKey> keys_;
  AccessRules rules_;
  BrowserRules browsers_;
  TokenDemands demands_;
  std::string cookie_;
  std::string revocations_;  // prefix before the token's id
  std::string audit_;        // a log that only gateways write to
};

}  // namespace millrace::gateway
