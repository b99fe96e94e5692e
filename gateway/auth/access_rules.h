// Who may do what: the rules of the configuration, compiled.
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

// What a request is about, and what it does with it.
enum class Resource { None, Channel, Log, Route, Lock, Index, Suggest, Admin, Metrics, Ticket, Connect };
enum class Right { Read, Write };

std::string_view resource_name(Resource resource);

class AccessRules {
 public:
  // BadInput, with the place: a pattern that is none, a resource or a right that there is not.
  static client::Result<AccessRules> compile(const Config& config);
  AccessRules(AccessRules&&) noexcept;
  ~AccessRules();

  // Whether somebody with these claims, or without a token, may do it.
  bool allows(Resource resource, std::string_view name, Right right, const JsonObject* claims) const;
  // Whether there are rules at all.
  bool is_empty() const;

  // Whether the rules for channels let this name exist, and how long its messages live; the longest of all that match,
  // 0: as the server has it. Nothing: no rule has this name.
  std::optional<Milliseconds> channel_expiry(std::string_view name) const;
  // Whether the claims are what all rules for this channel ask for.
  bool channel_allows(std::string_view name, const JsonObject* claims) const;

 private:
  struct Compiled;
  AccessRules();
  std::vector<Compiled> allow_;
  std::vector<Compiled> channels_;
};

}  // namespace millrace::gateway
