// The log as a key type of the host, and its place on the agenda.
#pragma once

#include "engine/log/log_digest.h"
#include "engine/log/log_parts.h"
#include "module/abi/data_type.h"
#include "module/log/packing.h"
#include "module/runtime/key_date.h"
#include "module/runtime/type_in_parts.h"
#include "module/runtime/watching.h"

namespace millrace::module {

// The command that carries effects to replicas and the AOF; its words are in engine/log/log_effects.h.
inline constexpr const char* kApply = "TAPPLY";

}  // namespace millrace::module

namespace millrace::abi {

template <>
struct TypeTraits<Log> : module::TypeInParts<Log> {
  static constexpr const char* kName = "millr-log";
  static constexpr int kEncodingVersion = 4;
  static constexpr int kFirstInParts = 3;
  static constexpr module::SavedType kSaved{"log", "log", module::kApply, kLogParts};
  static LogRestorer restorer();
  static uint64_t free_effort(const Log& log) {
    return log.block_count() + log.pending_parts() / 32 + (log.extras() != nullptr ? log.extras()->parts() / 64 : 0);
  }
  static void release(Log& log);

  struct Notes {
    module::KeyDates date;  // dates of groups on the monotonic clock, all others on the wall clock
    module::PackingDate packing;
    module::WatchNote watch;
  };
  static void arrived(const KeyPlace& place, Hosted<Log>& value);
  static void left(const KeyPlace& place, Hosted<Log>& value);
};

}  // namespace millrace::abi

namespace millrace::module {

using LogKey = abi::TypedKey<Log>;

}  // namespace millrace::module
