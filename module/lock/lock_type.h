// The lock as a key type of the host.
#pragma once

#include "engine/lock/lock_digest.h"
#include "engine/lock/lock_parts.h"
#include "module/abi/data_type.h"
#include "module/runtime/dated_type.h"
#include "module/runtime/type_in_parts.h"

namespace millrace::module {

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kLockApply = "LOCK.APPLY";

}  // namespace millrace::module

namespace millrace::abi {

template <>
struct TypeTraits<Lock> : module::TypeInParts<Lock>, module::DatedType<Lock, MonotonicMs> {
  static constexpr const char* kName = "millr-lck";
  static constexpr int kEncodingVersion = 3;  // 3: with values
  static constexpr int kFirstInParts = 2;
  static constexpr module::SavedType kSaved{"lock", "lock", module::kLockApply, kLockParts};
  static LockRestorer restorer();
  static void each_part(const Lock& lock, const PartVisit& visit);
  // Never 0, which would make the host free every lock in the background.
  static uint64_t free_effort(const Lock& lock) { return 1 + lock.holding(); }
  // The last fencing token, which 1.0.0 saved beside the keys.
  static bool load_aux(RdbReader& reader, int version);
};

}  // namespace millrace::abi

namespace millrace::module {

using LockKey = abi::TypedKey<Lock>;

}  // namespace millrace::module
