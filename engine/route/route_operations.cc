#include "engine/route/route_operations.h"

#include <optional>
#include <utility>

#include "engine/base/quoted.h"
#include "engine/route/route_codec.h"
#include "engine/route/route_effects.h"

namespace millrace {

namespace {

// How much is swept between two looks at the budget: how long one takes depends on what shares its filter.
constexpr size_t kSweptAtOnce = 20;

void sweep_within(RouteTable& table, const Budget& budget) {
  for (size_t swept = 0; swept < kSweptPerTurn && (swept == 0 || !budget.is_spent()); swept += kSweptAtOnce) {
    if (!table.sweep(kSweptAtOnce)) return;
  }
}

// Moves the table's clock to the present. That is an effect, at most one a millisecond: who lives follows from the
// clock alone.
void move_clock(RouteTable& table, const Call& call, Effects& effects) {
  if (call.decides && table.tick(call.now.wall)) effects.add(kRouteClock, table.clock().value());
}

// Null if there is none; else its clock shows the present.
RouteTable* existing_table(Place<RouteTable>& place, const Call& call, Consequences& follow) {
  if (place.get() != nullptr) move_clock(*place.get(), call, follow.effects);
  return place.get();
}

// What a request subscribes to; none() if the table does not have it.
TargetSlot find_wanted(const RouteTable& table, const RouteSubscribeRequest& request) {
  if (request.filter_id) return table.find_filter_id(request.channel, *request.filter_id);
  if (request.filter) return table.find_filter(request.channel, request.filter->json);
  return table.find_everything(request.channel);
}

// The same, made if it is missing. REQUIRES: a filter that the request names by its id is there
TargetSlot wanted_or_new(RouteTable& table, const RouteSubscribeRequest& request) {
  if (request.filter_id) return table.find_filter_id(request.channel, *request.filter_id);
  if (request.filter) return table.filtered(request.channel, request.filter->filter, request.filter->json);
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

std::optional<std::string> wanted_filter_id(const RouteSubscribeRequest& request) {
  if (request.filter_id) return std::string(*request.filter_id);
  if (request.filter) return filter_id(request.filter->json);
  return std::nullopt;
}

}  // namespace

RouteTable& RouteOperations::table_at(Place<RouteTable>& place, const Call& call, Consequences& follow) {
  RouteTable& table = place.get() != nullptr ? *place.get() : place.put(RouteTable(key_));
  move_clock(table, call, follow.effects);
  return table;
}

// After a request that has changed the table.
void RouteOperations::finish(Place<RouteTable>& place, const char* event, const Call& call, const Budget& budget,
                             Consequences& follow) {
  follow.effects.add_request();
  follow.events.add(event);
  settle(place, call, budget, follow);
}

void RouteOperations::settle(Place<RouteTable>& place, const Call& call, const Budget& budget, Consequences& follow) {
  RouteTable& table = *place.get();
  call.decides ? sweep_within(table, budget) : void(table.sweep(kSweptPerTurn));
  if (table.empty() && call.decides) {
    place.remove();
    follow.is_removed = true;
    return;
  }
  follow.look_after_at(table.next_date());
}

Outcome<bool> RouteOperations::set_device(Place<RouteTable>& place, const DeviceSetRequest& request, const Call& call,
                                          const Budget& budget) {
  Outcome<bool> done(false);
  done.answer = table_at(place, call, done.consequences).set_device(request.device, request.change);
  finish(place, "route.device-set", call, budget, done.consequences);
  return done;
}

Outcome<bool> RouteOperations::touch_device(Place<RouteTable>& place, const DeviceName& device, const Call& call,
                                            const Budget& budget) {
  Outcome<bool> done(false);
  RouteTable* table = existing_table(place, call, done.consequences);
  if (table == nullptr || !table->touch(device.whole)) return done;
  done.answer = true;
  finish(place, "route.device-touch", call, budget, done.consequences);
  return done;
}

Outcome<uint64_t> RouteOperations::delete_device(Place<RouteTable>& place, const DeviceName& device, const Call& call,
                                                 const Budget& budget) {
  Outcome<uint64_t> done(uint64_t{0});
  RouteTable* table = existing_table(place, call, done.consequences);
  const auto ended = table == nullptr ? std::nullopt : table->delete_device(device.whole);
  if (!ended) return done;
  done.answer = *ended;
  finish(place, "route.device-del", call, budget, done.consequences);
  return done;
}

Outcome<Subscribed> RouteOperations::subscribe(Place<RouteTable>& place, const RouteSubscribeRequest& request,
                                               const Call& call, const Budget& budget) {
  if (const auto may = may_subscribe(place.get(), request, call); !may) return std::unexpected(may.error());
  Outcome<Subscribed> done(Subscribed{request.channel.name(), wanted_filter_id(request)});
  RouteTable& table = table_at(place, call, done.consequences);
  table.subscribe(request.device, wanted_or_new(table, request), request.ttl_ms);
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

Outcome<uint64_t> RouteOperations::delete_filter(Place<RouteTable>& place, const DelFilterRequest& request,
                                                 const Call& call, const Budget& budget) {
  Outcome<uint64_t> done(uint64_t{0});
  RouteTable* table = existing_table(place, call, done.consequences);
  const TargetSlot target = table == nullptr ? TargetSlot::none() : table->find_filter_id(request.channel, request.id);
  if (target.is_none()) return done;
  done.answer = table->delete_target(target);
  finish(place, "route.delfilter", call, budget, done.consequences);
  return done;
}

Consequences RouteOperations::look_after(Place<RouteTable>& place, const Call& call, const Budget& budget) {
  Consequences follow;
  if (place.get() == nullptr) return follow;
  RouteTable& table = *place.get();
  if (const auto due = table.next_date(); due && *due <= table.present(call.now.wall)) {
    table.tick(call.now.wall);
    // Told even if the clock has not moved: then those who repeat sweep as often as this engine.
    follow.effects.add(kRouteClock, table.clock().value());
    follow.events.add("route.sweep");
  }
  settle(place, call, budget, follow);
  return follow;
}

Outcome<Done> RouteOperations::apply(Place<RouteTable>& place, const RouteEffect& effect, const Call& call,
                                     const Budget& budget) {
  // A table that is not there yet is made only if the effect is good.
  std::optional<RouteTable> made;
  RouteTable& table = place.get() != nullptr ? *place.get() : made.emplace(key_);
  if (effect.clock) {
    table.tick(*effect.clock);
  } else if (const auto restored = restore_route_part(table, effect.part); !restored) {
    return std::unexpected(restored.error());
  }
  if (made) place.put(std::move(*made));
  Outcome<Done> done{Done()};
  finish(place, "route.apply", call, budget, done.consequences);
  return done;
}

}  // namespace millrace
