// The routing table as the runtime knows it.
#pragma once

#include <optional>

#include "engine/route/route_operations.h"
#include "module/abi/context.h"
#include "module/route/route_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// This server's.
RouteOperations& route_operations();

template <>
struct ObjectTraits<RouteTable> {
  static constexpr const char* kApply = kApplyToRoute;
  static constexpr bool kWaits = false;

  static Now now() { return {.wall = abi::now(), .monotonic = {}, .clock_id = 0, .served = {}, .served_period = 0}; }
  static void settle(KeyPlace<RouteTable>& place, const Consequences& follow);
};

// What the agenda calls.
std::optional<UnixMs> look_after_route(abi::Context context, abi::StringRef name, UnixMs now);

}  // namespace millrace::module
