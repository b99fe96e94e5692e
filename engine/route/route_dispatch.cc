// Matching and dispatching: the part of RouteOperations that changes no table.
#include <algorithm>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/quoted.h"
#include "engine/route/dispatch_entry.h"
#include "engine/route/route_operations.h"

namespace millrace {

namespace {

std::optional<ByteView> queue_of(ByteView transport, const DispatchRequest& request) {
  for (size_t i = 0; i < request.queues.size(); i += 2) {
    if (request.queues[i] == transport) return request.queues[i + 1];
  }
  return std::nullopt;
}

}  // namespace

void RouteOperations::count_match(const RouteTable& table) {
  matcher_.count(table);
  ++counters_.matches;
  counters_.matched += matcher_.found().size();
}

Result<MatchedDevices> RouteOperations::match(const RouteTable* table, const RouteChange& change, UnixMs now) {
  const RouteTable& matched = table != nullptr ? *table : nothing_;
  if (auto good = matcher_.match(matched, change, matched.present(now)); !good) return std::unexpected(good.error());
  count_match(matched);
  return MatchedDevices{matched, matcher_};
}

std::vector<Parcel> RouteOperations::pack(const RouteTable& table, const DispatchRequest& request) const {
  std::vector<Parcel> parcels;
  matcher_.each_transport([&](TransportSlot transport, std::span<const RouteMatcher::Found> devices) {
    Parcel& parcel = parcels.emplace_back();
    parcel.transport = table.transports()[transport].name;
    parcel.devices = devices.size();
    parcel.queue = queue_of(parcel.transport, request);
    if (parcel.queue) parcel.entry = dispatch_entry(request, table, matcher_, devices);
  });
  return parcels;
}

Result<void> RouteOperations::may_write(const Place<RouteTable>& place, const DispatchRequest& request,
                                        const std::vector<Parcel>& parcels) {
  for (size_t i = 1; i < request.queues.size(); i += 2) {
    const auto room = queues_.room(place, request.queues[i]);
    if (!room) return std::unexpected(room.error());
    // Several transports may share a queue.
    const auto messages = std::ranges::count(parcels, std::optional(request.queues[i]), &Parcel::queue);
    if (*room < static_cast<uint64_t>(messages)) {
      return fail(ErrorCode::Full, "the log " + quoted(request.queues[i]) + " has no room for these messages");
    }
  }
  for (const Parcel& parcel : parcels) {
    if (parcel.entry.size() > kMaxPart) {
      return fail(ErrorCode::Range, "what would be dispatched is larger than 512 MiB");
    }
  }
  return {};
}

Outcome<std::vector<Parcel>> RouteOperations::dispatch(const Place<RouteTable>& place, const DispatchRequest& request,
                                                       const Call& call) {
  const RouteTable& table = place.get() != nullptr ? *place.get() : nothing_;
  if (auto good = matcher_.match(table, request.change, table.present(call.now.wall)); !good) {
    return std::unexpected(good.error());
  }
  std::vector<Parcel> parcels = pack(table, request);
  if (const auto may = may_write(place, request, parcels); !may) return std::unexpected(may.error());
  count_match(table);
  for (Parcel& parcel : parcels) {
    if (!parcel.queue) continue;
    parcel.offset = queues_.write(place, *parcel.queue, request.event, parcel.entry);
    ++counters_.dispatched;
  }
  return parcels;
}

}  // namespace millrace
