#include "module/commands/route/route_upkeep.h"

#include <algorithm>
#include <string>

#include "module/host/agenda.h"
#include "module/host/counters.h"
#include "module/host/role.h"
#include "module/host/slice.h"

namespace millrace::module {

UnixMs present(const RouteTable& table) { return std::max(abi::now(), table.clock()); }

RouteMatcher& route_matcher() {
  static RouteMatcher matcher;
  return matcher;
}

Result<RouteVisit> RouteVisit::open(abi::Context context, abi::StringRef name) {
  auto key = RouteKey::for_writing(context, name);
  if (!key) return std::unexpected(key.error());
  return RouteVisit(context, name, std::move(*key));
}

RouteTable* RouteVisit::existing() {
  if (key_.get() != nullptr) move_time();
  return key_.get();
}

RouteTable& RouteVisit::table() {
  if (key_.get() == nullptr) key_.set(new_route_table());
  move_time();
  return *key_.get();
}

void RouteVisit::move_time() {
  if (!decides(context_) || !key_.get()->tick(abi::now())) return;
  context_.replicate(kApplyToRoute, name_, kApplyRouteTime, key_.get()->clock().value());
}

void RouteVisit::finish(const char* event) {
  context_.replicate_verbatim();
  context_.changed(name_, event);
  settle(context_, name_, key_);
}

namespace {

// How long one takes depends on what shares its filter.
void sweep_for_a_slice(RouteTable& table) {
  constexpr size_t kAtOnce = 20;
  if (!table.sweep(kAtOnce)) return;
  const Slice slice;
  for (size_t swept = kAtOnce; swept < kSweptPerTurn && !slice.is_over(); swept += kAtOnce) {
    if (!table.sweep(kAtOnce)) return;
  }
}

}  // namespace

void settle(abi::Context context, abi::StringRef name, RouteKey& key) {
  RouteTable& table = *key.get();
  // Who repeats sweeps at least as much as who decides: how long that takes there is not known here.
  decides(context) ? sweep_for_a_slice(table) : void(table.sweep(kSweptPerTurn));
  if (table.empty() && decides(context)) {
    key.remove();
    context.replicate("UNLINK", name);
    context.changed(name, "del");
    return;
  }
  const auto due = table.next_date();
  if (!due || table.promised() <= *due) return;
  table.promise(*due);
  agenda::add({context.database(), std::string(name.view())}, *due);
}

std::optional<UnixMs> look_after_route(abi::Context context, abi::StringRef name, UnixMs now) {
  auto key = RouteKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return std::nullopt;
  RouteTable& table = *key->get();
  table.promise(UnixMs(UINT64_MAX));
  if (const auto due = table.next_date(); due && *due <= std::max(now, table.clock())) {
    table.tick(now);
    // Even if the clock has not moved: replicas sweep as often as we do.
    context.replicate(kApplyToRoute, name, kApplyRouteTime, table.clock().value());
    context.changed(name, "route.sweep");
  }
  settle(context, name, *key);
  if (key->get() == nullptr) return std::nullopt;
  const auto next = table.next_date();
  table.promise(next.value_or(UnixMs(UINT64_MAX)));
  return next;
}

}  // namespace millrace::module
