// The channel as a key type of the host.
#pragma once

#include "engine/channel/channel_digest.h"
#include "engine/channel/channel_parts.h"
#include "module/abi/data_type.h"
#include "module/runtime/dated_type.h"
#include "module/runtime/type_in_parts.h"
#include "module/runtime/watching.h"

namespace millrace::module {

// The command that carries effects to replicas and the AOF.
inline constexpr const char* kApplyToChannel = "CHAN.APPLY";

}  // namespace millrace::module

namespace millrace::abi {

template <>
struct TypeTraits<Channel> : module::TypeInParts<Channel>, module::DatedType<Channel, UnixMs> {
  static constexpr const char* kName = "millr-chn";
  static constexpr int kEncodingVersion = 2;
  static constexpr module::SavedType kSaved{"channel", "channel", module::kApplyToChannel, kChannelParts};
  static ChannelRestorer restorer() { return {}; }
  struct Notes : module::DatedType<Channel, UnixMs>::Notes {
    module::WatchNote watch;
  };
  static uint64_t free_effort(const Channel& channel) {
    return channel.messages().block_count() + channel.subscribers().size();
  }
};

}  // namespace millrace::abi

namespace millrace::module {

using ChannelKey = abi::TypedKey<Channel>;

}  // namespace millrace::module
