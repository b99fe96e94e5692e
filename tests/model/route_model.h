// The simplest model of a routing table, written from the specification: maps, no index, no sweeping. Time is an
// argument everywhere.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/filter_model.h"

namespace millrace::testing {

class RouteModel {
 public:
  // A target of a subscription: a channel, and an empty text, "=" and a filter, or "#" and a filter's name.
  using Target = std::pair<std::string, std::string>;

  struct Device {
    std::string user;
    std::string agent;
    uint64_t connected = 0;
    uint64_t seen = 0;
    uint64_t ttl = 0;
  };
  struct Terms {
    uint64_t subscribed = 0;
    uint64_t ttl = 0;
  };

  bool lives(const std::string& device, uint64_t now) const {
    const auto found = devices.find(device);
    return found != devices.end() && (found->second.ttl == 0 || now < found->second.seen + found->second.ttl);
  }
  bool lives(const std::string& device, const Target& target, uint64_t now) const {
    const auto found = subscriptions.find({device, target});
    if (found == subscriptions.end() || !lives(device, now)) return false;
    const Terms& terms = found->second;
    return terms.ttl == 0 || now < std::max(terms.subscribed, devices.at(device).seen) + terms.ttl;
  }

  // Removes what has expired; it does not come back, even if the same name is used again.
  void bury(uint64_t now) {
    std::erase_if(subscriptions, [&](const auto& each) { return !lives(each.first.first, each.first.second, now); });
    std::erase_if(devices, [&](const auto& each) { return !lives(each.first, now); });
  }

  bool set(const std::string& device, uint64_t now, std::optional<std::string> user, std::optional<uint64_t> ttl) {
    bury(now);
    const bool is_new = !devices.contains(device);
    Device& facts = devices[device];
    if (is_new) facts.connected = now;
    facts.seen = now;
    if (user) facts.user = *user;
    if (ttl) facts.ttl = *ttl;
    return is_new;
  }

  bool touch(const std::string& device, uint64_t now) {
    bury(now);
    if (!devices.contains(device)) return false;
    devices[device].seen = now;
    return true;
  }

  std::optional<uint64_t> remove(const std::string& device, uint64_t now) {
    bury(now);
    if (devices.erase(device) == 0) return std::nullopt;
    return std::erase_if(subscriptions, [&](const auto& each) { return each.first.first == device; });
  }

  void subscribe(const std::string& device, const Target& target, uint64_t now, std::optional<uint64_t> ttl) {
    bury(now);
    if (!devices.contains(device)) devices[device] = {.connected = now, .seen = now};
    Terms& terms = subscriptions[{device, target}];
    terms.subscribed = now;
    if (ttl) terms.ttl = *ttl;
  }

  bool unsubscribe(const std::string& device, const Target& target, uint64_t now) {
    bury(now);
    return subscriptions.erase({device, target}) > 0;
  }

  uint64_t remove_target(const Target& target, uint64_t now) {
    bury(now);
    names.erase(target);
    return std::erase_if(subscriptions, [&](const auto& each) { return each.first.second == target; });
  }

  // Which devices get a change on these channels, by a subscription to everything or by a filter. `matches` says
  // whether a filter, given as its JSON, matches.
  template <class Matches>
  std::set<std::string> heard(const std::set<std::string>& channels, uint64_t now, Matches matches) const {
    std::set<std::string> found;
    for (const auto& [key, terms] : subscriptions) {
      const auto& [device, target] = key;
      if (!channels.contains(target.first) || !lives(device, target, now)) continue;
      if (target.second.empty() || matches(json_of_target(target))) found.insert(device);
    }
    return found;
  }

  const std::string& json_of_target(const Target& target) const {
    if (target.second.front() == '#') return names.at(target);
    return filters.at(target.second);
  }

  std::map<std::string, Device> devices;
  std::map<std::pair<std::string, Target>, Terms> subscriptions;
  std::map<Target, std::string> names;         // to the filter's JSON
  std::map<std::string, std::string> filters;  // "=" and the normal form to the JSON
};

}  // namespace millrace::testing
