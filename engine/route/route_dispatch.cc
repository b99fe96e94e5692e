// Matching and dispatching: the part of RouteOperations that changes only the table's list of dispatch ids.
#include <algorithm>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/quoted.h"
#include "engine/route/dispatch_entry.h"
#include "engine/route/route_effects.h"
#include "engine/route/route_operations.h"
#include "engine/route/route_strings.h"

namespace millrace {

namespace {

std::optional<std::string> queue_of(ByteView transport, const DispatchRequest& request) {
  if (request.prefix) return std::string(*request.prefix).append(transport);
  for (size_t i = 0; i < request.queues.size(); i += 2) {
    if (request.queues[i] == transport) return std::string(request.queues[i + 1]);
  }
  return std::nullopt;
}

// Each page of a dispatch has its own id.
std::string id_of_page(const DispatchRequest& request) {
  std::string id(*request.id);
  if (request.change.after != 0) id.append(1, '\0').append(std::to_string(request.change.after));
  return id;
}

bool is_written(const std::vector<DispatchedTransport>& transports) {
  for (const DispatchedTransport& each : transports) {
    if (each.offset) return true;
  }
  return false;
}

}  // namespace

void RouteOperations::count_match(const RouteTable& table, UnixMs now) {
  matcher_.count(table, now);
  ++counters_.matches;
  counters_.matched += matcher_.found().size();
  counters_.failures += matcher_.failures();
}

Result<MatchedDevices> RouteOperations::match(const RouteTable* table, const RouteChange& change, UnixMs now) {
  const RouteTable& matched = table != nullptr ? *table : nothing_;
  const UnixMs present = matched.present(now);
  if (auto good = matcher_.match(matched, change, present); !good) return std::unexpected(good.error());
  count_match(matched, present);
  return MatchedDevices{matched, matcher_};
}

std::vector<RouteOperations::Parcel> RouteOperations::pack(const RouteTable& table,
                                                           const DispatchRequest& request) const {
  std::vector<Parcel> parcels;
  const DispatchEntries entries(request, table, matcher_);
  matcher_.each_transport([&](TransportSlot transport, std::span<const RouteMatcher::Found> devices) {
    Parcel& parcel = parcels.emplace_back();
    parcel.transport = table.transports()[transport].name;
    parcel.devices = devices.size();
    parcel.queue = queue_of(parcel.transport, request);
    if (parcel.queue) parcel.entry = entries.entry(devices);
  });
  return parcels;
}

Result<void> RouteOperations::may_write(const Place<RouteTable>& place, const DispatchRequest& request,
                                        const std::vector<Parcel>& parcels) {
  // All queues of the request: named ones, and those with its prefix.
  std::vector<std::string> queues;
  for (size_t i = 1; i < request.queues.size(); i += 2) queues.emplace_back(request.queues[i]);
  for (const Parcel& parcel : parcels) {
    if (!request.prefix) break;
    queues.push_back(*parcel.queue);
    if (const auto may = queues_.may_use(place, queues.back()); !may) return may;
  }
  for (const std::string& queue : queues) {
    const auto room = queues_.room(place, queue);
    if (!room) return std::unexpected(room.error());
    // Several transports may share a queue.
    const auto messages = std::ranges::count_if(parcels, [&](const Parcel& parcel) { return parcel.queue == queue; });
    if (*room < static_cast<uint64_t>(messages)) {
      return fail(ErrorCode::Full, "the log " + millrace::quoted(queue) + " has no room for these messages");
    }
  }
  for (const Parcel& parcel : parcels) {
    if (parcel.entry.size() > kMaxPart) {
      return fail(ErrorCode::Range, "what would be dispatched is larger than 512 MiB");
    }
  }
  return {};
}

std::vector<DispatchedTransport> RouteOperations::write(const Place<RouteTable>& place, const DispatchRequest& request,
                                                        const std::vector<Parcel>& parcels) {
  std::vector<DispatchedTransport> transports;
  for (const Parcel& parcel : parcels) {
    DispatchedTransport& each = transports.emplace_back(parcel.transport, parcel.devices);
    if (!parcel.queue) continue;
    each.offset = queues_.write(place, *parcel.queue, request.event, parcel.entry);
    ++counters_.dispatched;
  }
  return transports;
}

Outcome<Dispatched> RouteOperations::dispatch(Place<RouteTable>& place, const DispatchRequest& request,
                                              const Call& call) {
  const RouteTable& table = place.get() != nullptr ? *place.get() : nothing_;
  const std::string* known = request.id ? table.dispatches().find(id_of_page(request)) : nullptr;
  if (known != nullptr && !request.change.limit) {
    ++counters_.repeated;
    return Dispatched{read_dispatch_answer(*known), std::nullopt};
  }
  const UnixMs now = table.present(call.now.wall);
  if (auto good = matcher_.match(table, request.change, now); !good) return std::unexpected(good.error());
  // For a page that was written before, only the beginning of the next page is computed again.
  if (known != nullptr) {
    ++counters_.repeated;
    return Dispatched{read_dispatch_answer(*known), matcher_.next_page()};
  }
  const std::vector<Parcel> parcels = pack(table, request);
  if (const auto may = may_write(place, request, parcels); !may) return std::unexpected(may.error());
  count_match(table, now);
  const auto next_page = request.change.limit ? std::optional(matcher_.next_page()) : std::nullopt;
  Outcome<Dispatched> done{Dispatched{write(place, request, parcels), next_page}};
  if (!request.id || !is_written(done.answer->transports)) return done;
  const std::string id = id_of_page(request);
  const std::string answer = dispatch_answer(done.answer->transports);
  place.get()->dispatches().add(id, answer);
  std::string effect;
  append_text(effect, id);
  append_text(effect, answer);
  done.consequences.effects.add(kRouteDispatched, std::move(effect));
  done.consequences.events.add("route.dispatch");
  return done;
}

// A presence change that cannot be written is lost: the request that caused it must not fail because of it.
void RouteOperations::dispatch_presence(Place<RouteTable>& place, const PresenceChange& change, const Call& call) {
  const RouteTable& table = *place.get();
  if (change.kind == PresenceChange::Kind::Moved || table.presence_prefix().empty()) return;
  const bool has_come = change.kind == PresenceChange::Kind::Connected;
  const std::string document = presence_document(change);
  const auto name = parse_device_name(change.device);
  DispatchRequest request;
  request.event = presence_event(change.kind);
  request.prefix = table.presence_prefix();
  request.change.document = has_come ? ByteView(document) : "null";
  request.change.old = has_come ? "null" : ByteView(document);
  request.change.origin = change.device;
  for (const auto& [app, channels] : table.presence_apps()) {
    request.change.about = {app, kPresenceModel, std::nullopt, name->id};
    if (!change.user.empty()) request.change.about.user = change.user;
    if (!matcher_.match(table, request.change, table.present(call.now.wall))) continue;
    const std::vector<Parcel> parcels = pack(table, request);
    for (const Parcel& parcel : parcels) {
      const auto room = queues_.room(place, *parcel.queue);
      if (!room || *room == 0) continue;
      queues_.write(place, *parcel.queue, request.event, parcel.entry);
      ++counters_.dispatched;
    }
  }
}

}  // namespace millrace
