// What a dispatched change looks like in a transport's log: one JSON object, with everything
// that whoever pushes it needs.
//
//   {"event":"task.updated","app":"myapp","model":"task","user":"u7","id":"t1",
//    "devices":[{"device":"d1","change":"enter","channels":["app:myapp:model:task"]}],
//    "document":{"priority":"high"},"old":{"priority":"low"}}
//
// `user`, `id`, `document` and `old` are there if they were given, the documents as they
// came; `change` is there with `old`.
#pragma once

#include <span>
#include <string>

#include "engine/route/route_match.h"
#include "engine/route/route_requests.h"

namespace millrace {

// `devices` are those of one transport.
std::string dispatch_entry(const DispatchRequest& request, const RouteTable& table, const RouteMatcher& matcher,
                           std::span<const RouteMatcher::Found> devices);

}  // namespace millrace
