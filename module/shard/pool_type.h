// The worker pool as a key type of the host.
#pragma once

#include "engine/shard/pool_digest.h"
#include "engine/shard/pool_parts.h"
#include "module/abi/data_type.h"
#include "module/runtime/dated_type.h"
#include "module/runtime/hash_key.h"
#include "module/runtime/type_in_parts.h"

namespace millrace::module {

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToPool = "SHARD.APPLY";

}  // namespace millrace::module

namespace millrace::abi {

template <>
struct TypeTraits<Pool> : module::TypeInParts<Pool>, module::DatedType<Pool, MonotonicMs> {
  static constexpr const char* kName = "millr-shd";
  static constexpr int kEncodingVersion = 2;  // with attempts, delays, dead payloads, ids and their settings
  static constexpr int kFirstInParts = 1;
  static constexpr module::SavedType kSaved{"pool", "pool", module::kApplyToPool, kPoolParts};
  static PoolRestorer restorer() { return PoolRestorer(module::hash_key()); }
  static uint64_t free_effort(const Pool& pool) {
    return pool.recipients().size() + (pool.pushed_ids() != nullptr ? pool.pushed_ids()->size() : 0) +
           pool.dead_payloads().size();
  }
};

}  // namespace millrace::abi

namespace millrace::module {

using PoolKey = abi::TypedKey<Pool>;

}  // namespace millrace::module
