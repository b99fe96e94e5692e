// The channel as a key type of the host.
#pragma once

#include "engine/channel/channel.h"
#include "module/abi/data_type.h"
#include "module/runtime/dated_type.h"

namespace millrace::abi {

template <>
struct TypeTraits<Channel> : module::DatedType<Channel, UnixMs> {
  static constexpr const char* kName = "millr-chn";
  static constexpr int kEncodingVersion = 1;
  static std::unique_ptr<Channel> load(RdbReader& reader, int version);
  static void save(RdbWriter& writer, const Channel& channel);
  static void rewrite(AofWriter& writer, const Channel& channel);
  static void digest(DigestWriter& writer, const Channel& channel);
  static uint64_t memory(const Channel& channel) { return channel.memory(); }
  static uint64_t free_effort(const Channel& channel) {
    return channel.messages().block_count() + channel.subscribers().size();
  }
  static std::unique_ptr<Channel> copy(const Channel& channel) { return std::make_unique<Channel>(channel.clone()); }
};

}  // namespace millrace::abi

namespace millrace::module {

using ChannelKey = abi::TypedKey<Channel>;

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToChannel = "CHAN.APPLY";

}  // namespace millrace::module
