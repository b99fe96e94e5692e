// How the runtime handles keys with a routing table.
#pragma once

#include <optional>

#include "engine/route/route_operations.h"
#include "module/abi/context.h"
#include "module/route/route_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// The operations object of this server.
RouteOperations& route_operations();

template <>
struct ObjectTraits<RouteTable> {
  static constexpr const char* kApply = kApplyToRoute;
  static constexpr bool kWaits = false;

  static Now now() { return {.wall = abi::now(), .monotonic = {}, .clock_id = 0, .served = {}, .served_period = 0}; }
  static Consequences look_after(KeyPlace<RouteTable>& place, const Call& call);
  static std::optional<UnixMs> first_date(const RouteTable& table) { return table.upkeep_date(); }
};

}  // namespace millrace::module
