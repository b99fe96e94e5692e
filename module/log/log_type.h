// The log as a key type of the host, and its place on the agenda.
#pragma once

#include "engine/log/log.h"
#include "module/abi/data_type.h"
#include "module/log/packing.h"
#include "module/runtime/agenda.h"
#include "module/runtime/dated_type.h"

namespace millrace::abi {

template <>
struct TypeTraits<Log> : module::DatedType<Log, UnixMs> {
  static constexpr const char* kName = "millr-log";
  static constexpr int kEncodingVersion = 2;  // since 2, blocks may be packed or have gaps
  static std::unique_ptr<Log> load(RdbReader& reader, int version);
  static void save(RdbWriter& writer, const Log& log);
  static void rewrite(AofWriter& writer, const Log& log);
  static void digest(DigestWriter& writer, const Log& log);
  static uint64_t memory(const Log& log) { return log.memory(); }
  static uint64_t free_effort(const Log& log) { return log.block_count(); }
  static std::unique_ptr<Log> copy(const Log& log) { return std::make_unique<Log>(log.clone()); }
  static void release(Log& log);

  using Dated = module::DatedType<Log, UnixMs>;
  struct Notes : Dated::Notes {
    module::PackingDate packing;
  };
  static void arrived(const KeyPlace& place, Hosted<Log>& value);
  static void left(const KeyPlace& place, Hosted<Log>& value);
};

}  // namespace millrace::abi

namespace millrace::module {

using LogKey = abi::TypedKey<Log>;

// The command that carries effects to replicas and the AOF; its words are in engine/log/log_effects.h.
inline constexpr const char* kApply = "TAPPLY";

}  // namespace millrace::module
