// Everything that can be done with a routing table: the one place that decides when its clock moves, what is refused,
// what is swept, when an empty table goes, and what replicas are told. A caller parses requests and carries out
// consequences (engine/operation/outcome.h); it makes no decisions of its own.
//
//   RouteOperations routes(hash_key, queues);
//   Outcome<bool> is_new = routes.set_device(place, {.device = name, .change = {}}, call, budget);
//
// Replicas and files get effects. A replica calls the same functions with Call::decides false for requests that are
// repeated, and apply() for everything else; it comes to hold a table with equal facts (route_codec.h). A dispatch
// changes nothing of a table but the ids it knows, and is not repeated: Queues::write() tells what was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/keyed_hash.h"
#include "engine/operation/budget.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"
#include "engine/route/dispatch_answer.h"
#include "engine/route/queues.h"
#include "engine/route/route_counters.h"
#include "engine/route/route_match.h"
#include "engine/route/route_requests.h"

namespace millrace {

// Most devices and subscriptions that one operation gives back; an engine that decides stops earlier when its budget is
// spent. An engine that repeats always sweeps this many, if there are: then it sweeps at least as much as the one that
// decided, whose budget it does not know.
inline constexpr size_t kSweptPerTurn = 1000;

// What a device has subscribed to.
struct Subscribed {
  std::string channel;
  std::optional<std::string> filter_id;  // nothing: everything on the channel
};

// The devices that must hear of a change. Borrowed: good until the next match or dispatch, and until the table changes.
struct MatchedDevices {
  const RouteTable& table;
  const RouteMatcher& matcher;
};

// What a dispatch has answered.
struct Dispatched {
  std::vector<DispatchedTransport> transports;
  std::optional<uint32_t> next_page;  // if the request is for a page; 0: it is the last one
};

class RouteOperations {
 public:
  // New tables hash by this key, which clients must not know. Borrows the queues for its own lifetime.
  RouteOperations(const HashKey& key, Queues& queues) : key_(key), queues_(queues), nothing_(key) {}
  RouteOperations(const RouteOperations&) = delete;
  RouteOperations& operator=(const RouteOperations&) = delete;

  const RouteCounters& counters() const { return counters_; }

  // --- changes. Each ends with sweeping, as long as the budget allows; a table in which nothing is left goes ---
  // True if the device is new.
  Outcome<bool> set_device(Place<RouteTable>& place, const DeviceSetRequest& request, const Call& call,
                           const Budget& budget);
  // How many of the devices there are.
  Outcome<uint64_t> touch_devices(Place<RouteTable>& place, const DeviceTouchRequest& request, const Call& call,
                                  const Budget& budget);
  // How many subscriptions moved; nothing if there is no such device. Failure: Exists, if there is one of the new name.
  Outcome<std::optional<uint64_t>> move_device(Place<RouteTable>& place, const DeviceMoveRequest& request,
                                               const Call& call, const Budget& budget);
  // How many subscriptions went with the device, or how many devices of the transport went: fewer than asked for once
  // the budget is spent, and none only if none is left.
  Outcome<uint64_t> delete_device(Place<RouteTable>& place, const DeviceDelRequest& request, const Call& call,
                                  const Budget& budget);
  // Nothing if the device must be known and is not. Failure: Full; NoFilter, if the request names a filter that the
  // channel does not have.
  Outcome<std::optional<Subscribed>> subscribe(Place<RouteTable>& place, const RouteSubscribeRequest& request,
                                               const Call& call, const Budget& budget);
  // True if there was such a subscription.
  Outcome<bool> unsubscribe(Place<RouteTable>& place, const RouteSubscribeRequest& request, const Call& call,
                            const Budget& budget);
  // Gives the filter of this name another text, for all that subscribe with it, or makes it.
  Outcome<Done> set_filter(Place<RouteTable>& place, const SetFilterRequest& request, const Call& call,
                           const Budget& budget);
  // How many subscriptions went with it; nothing if there is no such filter.
  Outcome<std::optional<uint64_t>> delete_filter(Place<RouteTable>& place, const DelFilterRequest& request,
                                                 const Call& call, const Budget& budget);
  // The prefix of the logs to which presence is dispatched, after the request; empty: it is not. Failure: what
  // Queues::may_use() says of the logs with this prefix.
  Outcome<std::string> set_presence(Place<RouteTable>& place, const PresenceRequest& request, const Call& call,
                                    const Budget& budget);

  // --- which devices must be told of a change. Failure: Syntax, Range, as RouteMatcher::match says ---
  // `table` may be null: it has no devices then.
  Result<MatchedDevices> match(const RouteTable* table, const RouteChange& change, UnixMs now);
  // Writes one message for each transport that has devices and a queue. All queues of the request are looked at first,
  // those of transports without devices among them: a wrong name shows at once, not when the first device comes.
  // With a prefix instead of queues, there is one for every transport. A dispatch whose id is among the last
  // RouteTable::kMostDispatches that have written something gets the same answer, and nothing is written. Failure: also
  // what Queues::room() and may_use() say, and Full; nothing is written then, and nothing counted.
  Outcome<Dispatched> dispatch(Place<RouteTable>& place, const DispatchRequest& request, const Call& call);

  // --- background work ---
  // What is due: devices and subscriptions whose time is over are swept until the budget is spent, and filters that
  // were loaded are compiled, so that no change has to wait for all that it leads to.
  Consequences look_after(Place<RouteTable>& place, const Call& call, const Budget& budget);

  // --- effects from another engine ---
  // What another engine has done or saved. Failure: Corrupt, and nothing has changed.
  Outcome<Done> apply(Place<RouteTable>& place, const RouteEffect& effect, const Call& call, const Budget& budget);

 private:
  RouteTable& table_at(Place<RouteTable>& place, const Call& call, Consequences& follow);
  void finish(Place<RouteTable>& place, const char* event, const Call& call, const Budget& budget,
              Consequences& follow);
  void settle(Place<RouteTable>& place, const Call& call, const Budget& budget, Consequences& follow);
  void count_match(const RouteTable& table, UnixMs now);
  uint64_t delete_of_transport(Place<RouteTable>& place, const DeviceDelRequest& request, const Call& call,
                               const Budget& budget, Consequences& follow);

  // What a dispatch has for one transport.
  struct Parcel {
    std::string transport;
    uint64_t devices = 0;
    std::optional<std::string> queue;  // nothing: the request has none for this transport
    std::string entry;                 // dispatch_entry.h
  };
  std::vector<Parcel> pack(const RouteTable& table, const DispatchRequest& request) const;
  Result<void> may_write(const Place<RouteTable>& place, const DispatchRequest& request,
                         const std::vector<Parcel>& parcels);
  std::vector<DispatchedTransport> write(const Place<RouteTable>& place, const DispatchRequest& request,
                                         const std::vector<Parcel>& parcels);
  Result<void> may_use_all(const Place<RouteTable>& place, ByteView prefix);
  // The events of what has come and gone, and its dispatch.
  void tell_presence(Place<RouteTable>& place, const Call& call, Consequences& follow);
  void dispatch_presence(Place<RouteTable>& place, const PresenceChange& change, const Call& call);

  HashKey key_;
  Queues& queues_;
  RouteTable nothing_;  // stands for a table that does not exist
  RouteMatcher matcher_;
  RouteCounters counters_;
};

}  // namespace millrace
