// The words of ROUTE.APPLY for the effects of operations on routing tables. Do not change: replicas and append-only
// files of other versions use them.
#pragma once

namespace millrace {

inline constexpr const char* kRouteClock = "CLOCK";
inline constexpr const char* kRoutePart = "PART";
inline constexpr const char* kRouteGone = "GONE";
inline constexpr const char* kRouteDispatched = "DISPATCHED";

}  // namespace millrace
