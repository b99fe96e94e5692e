// Access control: the rules of the configuration, compiled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/config/config.h"
#include "gateway/json/json_object.h"

namespace re2 {
class RE2;
}

namespace millrace::gateway {

// The kind of object that a request accesses, and the right it needs.
enum class Resource { None, Channel, Log, Route, Lock, Index, Suggest, Admin, Metrics, Ticket, Connect };
enum class Right { Read, Write };

std::string_view resource_name(Resource resource);

class AccessRules {
 public:
  // BadInput, with the place in the configuration: an invalid pattern, or an unknown resource or right.
  static client::Result<AccessRules> compile(const Config& config);
  AccessRules(AccessRules&&) noexcept;
  ~AccessRules();

  // Whether a caller with these claims, or without a token, has the right.
  bool allows(Resource resource, std::string_view name, Right right, const JsonObject* claims) const;
  // Whether there are rules at all.
  bool is_empty() const;

  // How long messages of this channel live: the longest time of all rules that match the name; 0: the server's default.
  // nullopt: no rule allows a channel with this name.
  std::optional<Milliseconds> channel_expiry(std::string_view name) const;
  // Whether the claims meet all rules for this channel.
  bool channel_allows(std::string_view name, const JsonObject* claims) const;

 private:
  struct Compiled;
  AccessRules();
  std::vector<Compiled> allow_;
  std::vector<Compiled> channels_;
};

}  // namespace millrace::gateway
