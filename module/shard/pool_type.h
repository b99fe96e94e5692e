// The worker pool as a key type of the host.
#pragma once

#include "engine/shard/pool.h"
#include "module/abi/data_type.h"
#include "module/runtime/dated_type.h"

namespace millrace::abi {

template <>
struct TypeTraits<Pool> : module::DatedType<Pool, MonotonicMs> {
  static constexpr const char* kName = "millr-shd";
  static constexpr int kEncodingVersion = 1;
  static std::unique_ptr<Pool> load(RdbReader& reader, int version);
  static void save(RdbWriter& writer, const Pool& pool);
  static void rewrite(AofWriter& writer, const Pool& pool);
  static void digest(DigestWriter& writer, const Pool& pool);
  static uint64_t memory(const Pool& pool) { return pool.memory(); }
  static uint64_t free_effort(const Pool& pool) { return pool.recipients().size(); }
  static std::unique_ptr<Pool> copy(const Pool& pool);
};

}  // namespace millrace::abi

namespace millrace::module {

using PoolKey = abi::TypedKey<Pool>;

// For the names in all pools of this process: see PoolOperations.
const HashKey& pool_hash_key();

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToPool = "SHARD.APPLY";

}  // namespace millrace::module
