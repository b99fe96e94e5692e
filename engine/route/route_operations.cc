#include "engine/route/route_operations.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/decoder.h"
#include "engine/base/prefix_probe.h"
#include "engine/base/quoted.h"
#include "engine/route/route_codec.h"
#include "engine/route/route_effects.h"
#include "engine/route/route_strings.h"

namespace millrace {

namespace {

// How much is swept between two checks of the budget: the time for one depends on how many targets share its filter.
constexpr size_t kSweptAtOnce = 20;
// The same for filters: one with many conditions takes as long as hundreds of others.
constexpr size_t kCompiledAtOnce = 1;

// Moves the table's clock to the present. That is an effect, at most one a millisecond: what has expired follows from
// the clock alone.
void move_clock(RouteTable& table, const Call& call, Effects& effects) {
  if (call.decides && table.tick(call.now.wall)) effects.add(kRouteClock, table.clock().value());
}

// Null if there is none; else its clock shows the present.
RouteTable* existing_table(Place<RouteTable>& place, const Call& call, Consequences& follow) {
  if (place.get() != nullptr) move_clock(*place.get(), call, follow.effects);
  return place.get();
}

// The digest of the filter in a request, if it has one: computed once, because that takes a while for a long filter.
std::optional<FilterDigest> digest_of(const RouteSubscribeRequest& request) {
  return request.filter ? std::optional(filter_digest(request.filter->json)) : std::nullopt;
}

// The target of a request; none() if it does not exist.
TargetSlot find_wanted(const RouteTable& table, const RouteSubscribeRequest& request) {
  if (request.filter_id) return table.find_filter_id(request.channel, *request.filter_id);
  if (request.filter) return table.find_filter(request.channel, request.filter->json);
  return table.find_everything(request.channel);
}

// The same, created if it is missing. REQUIRES: a filter that the request names by its id exists; the digest is that of
// the request
TargetSlot wanted_or_new(RouteTable& table, const RouteSubscribeRequest& request,
                         const std::optional<FilterDigest>& digest) {
  if (request.filter_id) return table.find_filter_id(request.channel, *request.filter_id);
  if (digest) return table.filtered(request.channel, request.filter->filter, *digest);
  return table.everything(request.channel);
}

bool has_filter(const RouteTable& table, const RouteSubscribeRequest& request, UnixMs now) {
  const TargetSlot target = table.find_filter_id(request.channel, *request.filter_id);
  return target.is_some() && table.is_there(target, now);
}

Result<void> may_subscribe(const RouteTable* table, const RouteSubscribeRequest& request, const Call& call) {
  if (table != nullptr && !table->has_room()) {
    return fail(ErrorCode::Full, "the table has all subscriptions it can have");
  }
  if (!request.filter_id) return {};
  if (table == nullptr || !has_filter(*table, request, call.decides ? table->present(call.now.wall) : table->clock())) {
    return fail(ErrorCode::NoFilter,
                "no filter " + quoted(*request.filter_id) + " on " + request.channel.name() +
                    (looks_like_filter_id(*request.filter_id) ? "; subscribe with FILTER and its JSON"
                                                              : "; ROUTE.SETFILTER makes one"));
  }
  return {};
}

std::optional<std::string> wanted_filter_id(const RouteSubscribeRequest& request,
                                            const std::optional<FilterDigest>& digest) {
  if (request.filter_id) return std::string(*request.filter_id);
  if (digest) return filter_id(*digest);
  return std::nullopt;
}

}  // namespace

RouteTable& RouteOperations::table_at(Place<RouteTable>& place, const Call& call, Consequences& follow) {
  RouteTable& table = place.get() != nullptr ? *place.get() : place.put(RouteTable(key_));
  move_clock(table, call, follow.effects);
  return table;
}

// Called after a request that has changed the table.
void RouteOperations::finish(Place<RouteTable>& place, const char* event, const Call& call, const Budget& budget,
                             Consequences& follow) {
  follow.effects.add_request();
  follow.events.add(event);
  settle(place, call, budget, follow);
}

void RouteOperations::settle(Place<RouteTable>& place, const Call& call, const Budget& budget, Consequences& follow) {
  RouteTable& table = *place.get();
  if (call.decides) {
    tell_presence(place, call, follow);
    for (size_t swept = 0; swept < kSweptPerTurn && (swept == 0 || !budget.is_spent()); swept += kSweptAtOnce) {
      const bool is_more = table.sweep(kSweptAtOnce);
      tell_presence(place, call, follow);
      if (!is_more) break;
    }
  } else {
    table.sweep(kSweptPerTurn);
    tell_presence(place, call, follow);
  }
  if (table.empty() && call.decides) {
    place.remove();
    follow.is_removed = true;
    return;
  }
  follow.look_after_at(table.upkeep_date());
}

Outcome<bool> RouteOperations::set_device(Place<RouteTable>& place, const DeviceSetRequest& request, const Call& call,
                                          const Budget& budget) {
  Outcome<bool> done(false);
  done.answer = table_at(place, call, done.consequences).set_device(request.device, request.change);
  finish(place, "route.device-set", call, budget, done.consequences);
  return done;
}

Outcome<uint64_t> RouteOperations::touch_devices(Place<RouteTable>& place, const DeviceTouchRequest& request,
                                                 const Call& call, const Budget& budget) {
  Outcome<uint64_t> done(uint64_t{0});
  RouteTable* table = existing_table(place, call, done.consequences);
  if (table == nullptr) return done;
  uint64_t touched = 0;
  for (ByteView device : request.devices) touched += table->touch(device);
  done.answer = touched;
  if (touched > 0) finish(place, "route.device-touch", call, budget, done.consequences);
  return done;
}

Outcome<std::optional<uint64_t>> RouteOperations::move_device(Place<RouteTable>& place,
                                                              const DeviceMoveRequest& request, const Call& call,
                                                              const Budget& budget) {
  Outcome<std::optional<uint64_t>> done(std::optional<uint64_t>{});
  RouteTable* table = existing_table(place, call, done.consequences);
  if (table == nullptr || table->device(request.from.whole, table->clock()) == nullptr) return done;
  if (table->device(request.to.whole, table->clock()) != nullptr) {
    return {fail(ErrorCode::Exists, "there is a device " + quoted(request.to.whole) + " already"),
            std::move(done.consequences)};
  }
  done.answer = table->move_device(request.from.whole, request.to);
  finish(place, "route.device-move", call, budget, done.consequences);
  return done;
}

Outcome<uint64_t> RouteOperations::delete_device(Place<RouteTable>& place, const DeviceDelRequest& request,
                                                 const Call& call, const Budget& budget) {
  Outcome<uint64_t> done(uint64_t{0});
  Consequences& follow = done.consequences;
  RouteTable* table = existing_table(place, call, follow);
  if (table == nullptr) return done;
  if (request.device) {
    const auto ended = table->delete_device(request.device->whole);
    if (!ended) return done;
    done.answer = *ended;
    finish(place, "route.device-del", call, budget, follow);
    return done;
  }
  done.answer = delete_of_transport(place, request, call, budget, follow);
  return done;
}

uint64_t RouteOperations::delete_of_transport(Place<RouteTable>& place, const DeviceDelRequest& request,
                                              const Call& call, const Budget& budget, Consequences& follow) {
  RouteTable& table = *place.get();
  if (!table.has_devices_of(request.transport)) return 0;
  // Replicas get the names, because their devices may be in another order.
  std::string gone;
  uint64_t count = 0;
  do {
    const uint64_t most = std::min<uint64_t>(kSweptAtOnce, request.count - count);
    const std::vector<std::string> names = table.delete_devices_of(request.transport, most);
    for (const std::string& name : names) append_text(gone, name);
    count += names.size();
    // Each change may be sent to many devices, so it counts towards the budget.
    tell_presence(place, call, follow);
    // The result is 0 only if no device is left: callers rely on that.
  } while (count < request.count && table.has_devices_of(request.transport) && (count == 0 || !budget.is_spent()));
  if (count > 0) {
    follow.effects.add(kRouteGone, std::move(gone));
    follow.events.add("route.device-del");
  }
  settle(place, call, budget, follow);
  return count;
}

Outcome<std::optional<Subscribed>> RouteOperations::subscribe(Place<RouteTable>& place,
                                                              const RouteSubscribeRequest& request, const Call& call,
                                                              const Budget& budget) {
  if (const auto may = may_subscribe(place.get(), request, call); !may) return std::unexpected(may.error());
  Outcome<std::optional<Subscribed>> done(std::optional<Subscribed>{});
  if (request.only_known) {
    RouteTable* known = existing_table(place, call, done.consequences);
    if (known == nullptr || known->device(request.device.whole, known->clock()) == nullptr) return done;
  }
  const auto digest = digest_of(request);
  done.answer = Subscribed{request.channel.name(), wanted_filter_id(request, digest)};
  RouteTable& table = table_at(place, call, done.consequences);
  table.subscribe(request.device, wanted_or_new(table, request, digest), request.ttl_ms);
  finish(place, "route.subscribe", call, budget, done.consequences);
  return done;
}

Outcome<bool> RouteOperations::unsubscribe(Place<RouteTable>& place, const RouteSubscribeRequest& request,
                                           const Call& call, const Budget& budget) {
  Outcome<bool> done(false);
  RouteTable* table = existing_table(place, call, done.consequences);
  const TargetSlot target = table == nullptr ? TargetSlot::none() : find_wanted(*table, request);
  if (target.is_none() || !table->unsubscribe(request.device.whole, target)) return done;
  done.answer = true;
  finish(place, "route.unsubscribe", call, budget, done.consequences);
  return done;
}

Outcome<Done> RouteOperations::set_filter(Place<RouteTable>& place, const SetFilterRequest& request, const Call& call,
                                          const Budget& budget) {
  Outcome<Done> done{Done()};
  RouteTable& table = table_at(place, call, done.consequences);
  table.set_filter(request.channel, request.name, request.filter.filter, request.filter.json);
  finish(place, "route.setfilter", call, budget, done.consequences);
  return done;
}

Outcome<std::optional<uint64_t>> RouteOperations::delete_filter(Place<RouteTable>& place,
                                                                const DelFilterRequest& request, const Call& call,
                                                                const Budget& budget) {
  Outcome<std::optional<uint64_t>> done(std::optional<uint64_t>{});
  RouteTable* table = existing_table(place, call, done.consequences);
  const TargetSlot target = table == nullptr ? TargetSlot::none() : table->find_filter_id(request.channel, request.id);
  if (target.is_none() || !table->is_there(target, table->clock())) return done;
  done.answer = table->delete_target(target);
  finish(place, "route.delfilter", call, budget, done.consequences);
  return done;
}

// Transports are not known yet: any log with this prefix may be written to later, without a user whose rights could be
// checked.
Result<void> RouteOperations::may_use_all(const Place<RouteTable>& place, ByteView prefix) {
  for (const ByteView rest : kPrefixProbes) {
    const auto may = queues_.may_use(place, std::string(prefix).append(rest));
    if (may) continue;
    if (may.error().code != ErrorCode::NoRights) return may;
    return fail(ErrorCode::NoRights, "this user may not TWRITE to all logs that begin with " + quoted(prefix));
  }
  return {};
}

Outcome<std::string> RouteOperations::set_presence(Place<RouteTable>& place, const PresenceRequest& request,
                                                   const Call& call, const Budget& budget) {
  const auto present = [&] { return place.get() == nullptr ? std::string() : place.get()->presence_prefix(); };
  if (!request.prefix || *request.prefix == present()) return present();
  if (call.decides && !request.prefix->empty()) {
    if (const auto may = may_use_all(place, *request.prefix); !may) return std::unexpected(may.error());
  }
  Outcome<std::string> done{std::string(*request.prefix)};
  table_at(place, call, done.consequences).set_presence_prefix(*request.prefix);
  finish(place, "route.presence", call, budget, done.consequences);
  return done;
}

void RouteOperations::tell_presence(Place<RouteTable>& place, const Call& call, Consequences& follow) {
  for (const PresenceChange& change : place.get()->take_presence()) {
    if (follow.named_events == nullptr) follow.named_events = std::make_unique<std::vector<std::string>>();
    follow.named_events->push_back(presence_event(change.kind) + (' ' + change.device));
    if (call.decides) dispatch_presence(place, change, call);
  }
}

Consequences RouteOperations::look_after(Place<RouteTable>& place, const Call& call, const Budget& budget) {
  Consequences follow;
  if (place.get() == nullptr) return follow;
  RouteTable& table = *place.get();
  if (const auto due = table.next_date(); due && *due <= table.present(call.now.wall)) {
    table.tick(call.now.wall);
    // An effect even if the clock has not moved, so that replicas sweep as often as this server.
    follow.effects.add(kRouteClock, table.clock().value());
    follow.events.add("route.sweep");
  }
  while (table.compile_some(kCompiledAtOnce) && !budget.is_spent()) continue;
  settle(place, call, budget, follow);
  return follow;
}

Outcome<Done> RouteOperations::apply(Place<RouteTable>& place, const RouteEffect& effect, const Call& call,
                                     const Budget& budget) {
  // A table that does not exist yet is created only if the effect is valid.
  std::optional<RouteTable> made;
  RouteTable& table = place.get() != nullptr ? *place.get() : made.emplace(key_);
  if (effect.clock) {
    table.tick(*effect.clock);
  } else if (effect.gone) {
    std::vector<ByteView> names;
    for (Decoder in(*effect.gone); !in.finished();) {
      names.push_back(read_text(in));
      if (!in.ok()) return corrupt("names of devices of the wrong length");
    }
    for (const ByteView name : names) table.delete_device(name);
  } else if (effect.dispatched) {
    Decoder in(*effect.dispatched);
    const ByteView id = read_text(in);
    const ByteView answer = read_text(in);
    if (!in.finished() || !is_dispatch(id, answer)) return corrupt("a dispatch that is none");
    if (table.dispatches().find(id) == nullptr) table.dispatches().add(id, answer);
  } else if (const auto restored = restore_route_part(table, effect.part); !restored) {
    return std::unexpected(restored.error());
  }
  if (made) place.put(std::move(*made));
  Outcome<Done> done{Done()};
  finish(place, "route.apply", call, budget, done.consequences);
  return done;
}

}  // namespace millrace
