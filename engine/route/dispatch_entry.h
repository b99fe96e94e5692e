// The entry of a dispatched change in a transport's log: one JSON object with everything that the worker needs to push
// it.
//
//   {"event":"task.updated","app":"myapp","model":"task","user":"u7","id":"t1",
//    "devices":[{"device":"d1","change":"enter","channels":["app:myapp:model:task"],
//                "subscriptions":[["app:myapp:model:task","853d…",  "enter"]]}],
//    "document":{"priority":"high"},"old":{"priority":"low"},"data":[{"op":"replace"}]}
//
// A subscription is the channel, the name or id of its filter or null, and what the change means to it. `user`, `id`,
// `document`, `old` and `data` are present if they were given, the last three unchanged. `change` is present if `old`
// is; without `old`, it is null in a subscription.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/route/route_match.h"
#include "engine/route/route_requests.h"

namespace millrace {

// The parts of an entry that are the same for all transports, written once.
class DispatchEntries {
 public:
  // Borrows the table and the matcher for its own lifetime.
  DispatchEntries(const DispatchRequest& request, const RouteTable& table, const RouteMatcher& matcher);
  // `devices` are those of one transport.
  std::string entry(std::span<const RouteMatcher::Found> devices) const;

 private:
  size_t size_of(std::span<const RouteMatcher::Found> devices) const;
  void append_device(std::string& to, const RouteMatcher::Found& found) const;

  const RouteTable& table_;
  const RouteMatcher& matcher_;
  std::string head_;
  std::string tail_;
  std::vector<std::string> channels_;       // of the patterns, each as JSON
  std::vector<std::string> subscriptions_;  // of the hits, each as JSON
  // By hit: the rest of the JSON for a device that has only this hit. Empty if few devices have it.
  std::vector<std::string> alone_;
};

}  // namespace millrace
