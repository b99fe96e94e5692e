#include "gateway/auth/access_rules.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "gateway/auth/token.h"

namespace millrace::gateway {
namespace {

constexpr std::pair<std::string_view, Resource> kResources[] = {
    {"channel", Resource::Channel}, {"log", Resource::Log},         {"route", Resource::Route},
    {"lock", Resource::Lock},       {"index", Resource::Index},     {"suggest", Resource::Suggest},
    {"admin", Resource::Admin},     {"metrics", Resource::Metrics},
};

using Claims = std::vector<std::pair<std::string, std::string>>;

// "{room}", or in DSPS's syntax "{{.channel.room}}", is replaced by what this group of the pattern has matched.
std::string filled_in(std::string_view text, const std::map<std::string, std::string>& groups) {
  std::string out;
  while (!text.empty()) {
    const size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == text.npos) break;
    text.remove_prefix(open);
    const std::string_view end = text.starts_with("{{") ? "}}" : "}";
    const size_t close = text.find(end);
    if (close == text.npos) return out + std::string(text);
    std::string_view name = text.substr(end.size(), close - end.size());
    if (name.starts_with(".channel.")) name.remove_prefix(9);
    const auto group = groups.find(std::string(name));
    out += group == groups.end() ? text.substr(0, close + end.size()) : std::string_view(group->second);
    text.remove_prefix(close + end.size());
  }
  return out;
}

}  // namespace

struct AccessRules::Compiled {
  std::unique_ptr<re2::RE2> pattern;
  std::optional<Resource> resource = {};  // nothing: any value
  bool reads = true;
  bool writes = true;
  bool is_anonymous = false;
  Claims claims = {};
  Milliseconds expire{0};

  // What the named groups of the pattern match in the name; nullopt: it does not match.
  std::optional<std::map<std::string, std::string>> groups_in(std::string_view name) const {
    const auto count = static_cast<size_t>(pattern->NumberOfCapturingGroups()) + 1;
    std::vector<re2::StringPiece> matched(count);
    const re2::StringPiece text(name.data(), name.size());
    if (!pattern->Match(text, 0, name.size(), re2::RE2::ANCHOR_BOTH, matched.data(), static_cast<int>(count))) {
      return std::nullopt;
    }
    std::map<std::string, std::string> groups;
    for (const auto& [group, number] : pattern->NamedCapturingGroups()) {
      groups[group] = std::string(matched[static_cast<size_t>(number)]);
    }
    return groups;
  }

  bool accepts(const JsonObject* token, const std::map<std::string, std::string>& groups) const {
    if (token == nullptr) return is_anonymous || claims.empty();
    return std::ranges::all_of(
        claims, [&](const auto& claim) { return claim_has(*token, claim.first, filled_in(claim.second, groups)); });
  }
};

AccessRules::AccessRules() = default;
AccessRules::AccessRules(AccessRules&&) noexcept = default;
AccessRules::~AccessRules() = default;

bool AccessRules::is_empty() const { return allow_.empty(); }

std::string_view resource_name(Resource resource) {
  const auto* const found = std::ranges::find(kResources, resource, &std::pair<std::string_view, Resource>::second);
  return found == std::end(kResources) ? "" : found->first;
}

client::Result<AccessRules> AccessRules::compile(const Config& config) {
  const auto refuse = [](const std::string& where, const std::string& what) {
    return client::fail(client::ErrorCode::BadInput, where + ": " + what);
  };
  const auto compiled = [](const std::string& pattern) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    return std::make_unique<re2::RE2>(pattern, options);
  };
  AccessRules rules;
  for (const AllowRule& rule : config.allow) {
    Compiled one{.pattern = compiled(rule.pattern), .is_anonymous = rule.is_anonymous, .claims = rule.claims};
    if (!one.pattern->ok()) return refuse(rule.where, "the pattern is none: " + one.pattern->error());
    if (rule.resource != "any" && !rule.resource.empty()) {
      const auto* const found =
          std::ranges::find(kResources, rule.resource, &std::pair<std::string_view, Resource>::first);
      if (found == std::end(kResources)) return refuse(rule.where, "there is no resource '" + rule.resource + "'");
      one.resource = found->second;
    }
    for (const std::string& right : rule.rights) {
      if (right != "read" && right != "write") return refuse(rule.where, "rights are read and write, not " + right);
    }
    if (!rule.rights.empty()) {
      one.reads = std::ranges::find(rule.rights, "read") != rule.rights.end();
      one.writes = std::ranges::find(rule.rights, "write") != rule.rights.end();
    }
    if (rule.is_anonymous && !rule.claims.empty()) return refuse(rule.where, "a rule has claims or is anonymous");
    rules.allow_.push_back(std::move(one));
  }
  for (const ChannelRule& rule : config.channels) {
    Compiled one{.pattern = compiled(rule.pattern), .claims = rule.claims, .expire = rule.expire};
    if (!one.pattern->ok()) return refuse(rule.where, "the pattern is none: " + one.pattern->error());
    rules.channels_.push_back(std::move(one));
  }
  return rules;
}

bool AccessRules::allows(Resource resource, std::string_view name, Right right, const JsonObject* claims) const {
  return std::ranges::any_of(allow_, [&](const Compiled& rule) {
    if (rule.resource && *rule.resource != resource) return false;
    if (!(right == Right::Read ? rule.reads : rule.writes)) return false;
    if (claims == nullptr && !rule.is_anonymous) return false;
    const auto groups = rule.groups_in(name);
    return groups && rule.accepts(claims, *groups);
  });
}

std::optional<Milliseconds> AccessRules::channel_expiry(std::string_view name) const {
  if (channels_.empty()) return Milliseconds(0);
  std::optional<Milliseconds> longest;
  for (const Compiled& rule : channels_) {
    if (rule.groups_in(name)) longest = std::max(longest.value_or(Milliseconds(0)), rule.expire);
  }
  return longest;
}

bool AccessRules::channel_allows(std::string_view name, const JsonObject* claims) const {
  return std::ranges::all_of(channels_, [&](const Compiled& rule) {
    const auto groups = rule.groups_in(name);
    return !groups || rule.claims.empty() || (claims != nullptr && rule.accepts(claims, *groups));
  });
}

}  // namespace millrace::gateway
