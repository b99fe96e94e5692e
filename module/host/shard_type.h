// The worker pool as a key type of the host.
#pragma once

#include "engine/shard/pool.h"
#include "module/abi/data_type.h"

namespace millrace::abi {

template <>
struct TypeTraits<Pool> {
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

// An empty one.
std::unique_ptr<Pool> new_pool();

// The command that carries effects to replicas and the AOF, and its words.
inline constexpr const char* kApplyToPool = "SHARD.APPLY";
inline constexpr const char* kApplyPoolTime = "CLOCK";
inline constexpr const char* kApplySeen = "SEEN";
inline constexpr const char* kApplySettle = "SETTLE";
// In the order of PoolPart.
inline constexpr const char* kApplyPoolParts[] = {"POOL", "WORKER", "RECIPIENTS", "BLOCK", "QUEUE"};

}  // namespace millrace::module
