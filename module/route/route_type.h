// The routing table as a key type of the host.
#pragma once

#include "engine/route/route_digest.h"
#include "engine/route/route_parts.h"
#include "module/abi/data_type.h"
#include "module/runtime/dated_type.h"
#include "module/runtime/hash_key.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/type_in_parts.h"

namespace millrace::module {

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToRoute = "ROUTE.APPLY";

}  // namespace millrace::module

namespace millrace::abi {

template <>
struct TypeTraits<RouteTable> : module::TypeInParts<RouteTable>, module::DatedType<RouteTable, UnixMs> {
  static constexpr const char* kName = "millr-rte";
  static constexpr int kEncodingVersion = 3;
  static constexpr module::SavedType kSaved{"routing table", "route", module::kApplyToRoute, kRouteParts};
  static RouteRestorer restorer() { return RouteRestorer(module::hash_key()); }
  static uint64_t free_effort(const RouteTable& table) { return 1 + table.parts(); }
  static void release(RouteTable& table) { module::reclaim_parts(table); }
};

}  // namespace millrace::abi

namespace millrace::module {

using RouteKey = abi::TypedKey<RouteTable>;

}  // namespace millrace::module
