// The routing table as a key type of the host.
#pragma once

#include "engine/route/route_table.h"
#include "module/abi/data_type.h"
#include "module/runtime/dated_type.h"

namespace millrace::abi {

template <>
struct TypeTraits<RouteTable> : module::DatedType<RouteTable, UnixMs> {
  static constexpr const char* kName = "millr-rte";
  static constexpr int kEncodingVersion = 1;
  static std::unique_ptr<RouteTable> load(RdbReader& reader, int version);
  static void save(RdbWriter& writer, const RouteTable& table);
  static void rewrite(AofWriter& writer, const RouteTable& table);
  static void digest(DigestWriter& writer, const RouteTable& table);
  static uint64_t memory(const RouteTable& table) { return table.memory(); }
  static uint64_t free_effort(const RouteTable& table) { return 1 + table.parts(); }
  static std::unique_ptr<RouteTable> copy(const RouteTable& table);
};

}  // namespace millrace::abi

namespace millrace::module {

using RouteKey = abi::TypedKey<RouteTable>;

// What the tables of this process hash by: random, neither saved nor replicated.
const HashKey& route_hash_key();

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToRoute = "ROUTE.APPLY";

}  // namespace millrace::module
