// All operations on a routing table. Only this class decides when its clock moves, what is refused, what is swept, when
// an empty table is removed, and what replicas are told. A caller parses requests and carries out consequences
// (engine/operation/outcome.h); it makes no decisions of its own.
//
//   RouteOperations routes(hash_key, queues);
//   Outcome<bool> is_new = routes.set_device(place, {.device = name, .change = {}}, call, budget);
//
// Replicas and files get effects. A replica calls the same functions with Call::decides false for requests that are
// replicated as they are, and apply() for everything else. Its table then has the same facts (route_codec.h). A
// dispatch changes only the table's list of dispatch ids, and is not replicated as a request: Queues::write()
// replicates what was written.
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

// The most devices and subscriptions that one operation sweeps. The deciding engine stops earlier when its budget is
// spent. A replica does not know that budget, and always sweeps this many if there are; so it sweeps at least as much
// as the deciding engine.
inline constexpr size_t kSweptPerTurn = 1000;

// What a device has subscribed to.
struct Subscribed {
  std::string channel;
  std::optional<std::string> filter_id;  // nullopt: everything on the channel
};

// The devices that must get a change. Borrowed: valid until the next match or dispatch, and until the table changes.
struct MatchedDevices {
  const RouteTable& table;
  const RouteMatcher& matcher;
};

// The answer of a dispatch.
struct Dispatched {
  std::vector<DispatchedTransport> transports;
  std::optional<uint32_t> next_page;  // if the request is for a page; 0: this was the last page
};

class RouteOperations {
 public:
  // New tables hash with this key, which clients must not know. Borrows the queues for its own lifetime.
  RouteOperations(const HashKey& key, Queues& queues) : key_(key), queues_(queues), nothing_(key) {}
  RouteOperations(const RouteOperations&) = delete;
  RouteOperations& operator=(const RouteOperations&) = delete;

  const RouteCounters& counters() const { return counters_; }

  // --- changes. Each ends with sweeping, as long as the budget allows; an empty table is removed ---
  // True if the device is new.
  Outcome<bool> set_device(Place<RouteTable>& place, const DeviceSetRequest& request, const Call& call,
                           const Budget& budget);
  // Returns how many of the devices exist.
  Outcome<uint64_t> touch_devices(Place<RouteTable>& place, const DeviceTouchRequest& request, const Call& call,
                                  const Budget& budget);
  // Returns how many subscriptions moved; nullopt if there is no such device. Failure: Exists, if the new name is in
  // use.
  Outcome<std::optional<uint64_t>> move_device(Place<RouteTable>& place, const DeviceMoveRequest& request,
                                               const Call& call, const Budget& budget);
  // Returns how many subscriptions were deleted with the device, or how many devices of the transport were deleted.
  // These may be fewer than requested if the budget is spent; 0 means that none is left.
  Outcome<uint64_t> delete_device(Place<RouteTable>& place, const DeviceDelRequest& request, const Call& call,
                                  const Budget& budget);
  // nullopt if the device must exist and does not. Failure: Full; NoFilter, if the request names a filter that the
  // channel does not have.
  Outcome<std::optional<Subscribed>> subscribe(Place<RouteTable>& place, const RouteSubscribeRequest& request,
                                               const Call& call, const Budget& budget);
  // True if there was such a subscription.
  Outcome<bool> unsubscribe(Place<RouteTable>& place, const RouteSubscribeRequest& request, const Call& call,
                            const Budget& budget);
  // Replaces the filter with this name, for all devices that subscribe with it, or creates it.
  Outcome<Done> set_filter(Place<RouteTable>& place, const SetFilterRequest& request, const Call& call,
                           const Budget& budget);
  // Returns how many subscriptions were deleted with it; nullopt if there is no such filter.
  Outcome<std::optional<uint64_t>> delete_filter(Place<RouteTable>& place, const DelFilterRequest& request,
                                                 const Call& call, const Budget& budget);
  // Returns the prefix of the logs to which presence is dispatched, after the request; empty: it is not dispatched.
  // Failure: those of Queues::may_use() for the logs with this prefix.
  Outcome<std::string> set_presence(Place<RouteTable>& place, const PresenceRequest& request, const Call& call,
                                    const Budget& budget);

  // --- matching. Failure: Syntax, Range, as in RouteMatcher::match ---
  // A null `table` has no devices.
  Result<MatchedDevices> match(const RouteTable* table, const RouteChange& change, UnixMs now);
  // Writes one message for each transport that has devices and a queue. All queues of the request are checked first,
  // even for transports without devices: so a wrong name fails at once, not when the first device connects.
  // With a prefix instead of queues, there is a queue for every transport. If the id is among the last
  // RouteTable::kMostDispatches dispatches that wrote something, the answer is the same as before, and nothing is
  // written. Failure: also those of Queues::room() and may_use(), and Full; then nothing is written or counted.
  Outcome<Dispatched> dispatch(Place<RouteTable>& place, const DispatchRequest& request, const Call& call);

  // --- background work ---
  // Does the work that is due: sweeps expired devices and subscriptions until the budget is spent, and compiles loaded
  // filters in advance, so that a change does not have to wait for many of them.
  Consequences look_after(Place<RouteTable>& place, const Call& call, const Budget& budget);

  // --- effects from another engine ---
  // Applies what another engine has done or saved. Failure: Corrupt, without any change.
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
    std::optional<std::string> queue;  // nullopt: the request has none for this transport
    std::string entry;                 // dispatch_entry.h
  };
  std::vector<Parcel> pack(const RouteTable& table, const DispatchRequest& request) const;
  Result<void> may_write(const Place<RouteTable>& place, const DispatchRequest& request,
                         const std::vector<Parcel>& parcels);
  std::vector<DispatchedTransport> write(const Place<RouteTable>& place, const DispatchRequest& request,
                                         const std::vector<Parcel>& parcels);
  Result<void> may_use_all(const Place<RouteTable>& place, ByteView prefix);
  // Adds the events of presence changes, and dispatches them.
  void tell_presence(Place<RouteTable>& place, const Call& call, Consequences& follow);
  void dispatch_presence(Place<RouteTable>& place, const PresenceChange& change, const Call& call);

  HashKey key_;
  Queues& queues_;
  RouteTable nothing_;  // used in place of a table that does not exist
  RouteMatcher matcher_;
  RouteCounters counters_;
};

}  // namespace millrace
