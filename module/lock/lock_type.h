// The lock as a key type of the host.
#pragma once

#include "engine/lock/lock.h"
#include "module/abi/data_type.h"
#include "module/runtime/dated_type.h"

namespace millrace::abi {

template <>
struct TypeTraits<Lock> : module::DatedType<Lock, MonotonicMs> {
  static constexpr const char* kName = "millr-lck";
  static constexpr int kEncodingVersion = 1;
  static std::unique_ptr<Lock> load(RdbReader& reader, int version);
  static void save(RdbWriter& writer, const Lock& lock);
  static void rewrite(AofWriter& writer, const Lock& lock);
  static void digest(DigestWriter& writer, const Lock& lock);
  static uint64_t memory(const Lock& lock) { return lock.memory(); }
  // Never 0, which would have every one freed in the background.
  static uint64_t free_effort(const Lock& lock) { return 1 + lock.holding(); }
  static std::unique_ptr<Lock> copy(const Lock& lock) { return std::make_unique<Lock>(lock.clone()); }
  // The last fencing token.
  static bool has_aux();
  static void save_aux(RdbWriter& writer);
  static bool load_aux(RdbReader& reader, int version);
};

}  // namespace millrace::abi

namespace millrace::module {

using LockKey = abi::TypedKey<Lock>;

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kLockApply = "LOCK.APPLY";

}  // namespace millrace::module
