// The channel as the runtime knows it.
#pragma once

#include "engine/channel/channel_operations.h"
#include "module/abi/context.h"
#include "module/channel/channel_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"
#include "module/runtime/reclaim.h"

namespace millrace::module {

// This server's. Its limits follow the settings.
ChannelOperations& channel_operations();
const ChannelLimits& channel_limits();

template <>
struct ObjectTraits<Channel> {
  static constexpr const char* kApply = kApplyToChannel;
  static constexpr bool kWaits = true;
  // A client that waits is told when its subscription goes, and so when its channel does.
  static constexpr bool kOtherTypeIsMissing = true;
  static constexpr bool kToldWhenGone = true;
  // Of ten thousand that wait for one publication the others follow.
  static constexpr size_t kServedPerTurn = 250;

  static Now now() { return {.wall = abi::now(), .monotonic = {}, .clock_id = 0, .served = {}, .served_period = 0}; }
  static void settle(KeyPlace<Channel>& place, const Consequences&) {
    if (place.get()->has_evicted()) reclaim(place.get()->take_evicted());
  }
  static Consequences look_after(KeyPlace<Channel>& place, const Call& call);
  // Only clients that wait make it one to be looked after.
  static std::optional<UnixMs> first_date(const Channel&) { return std::nullopt; }
  static Wake wake_all(const Channel*) { return ChannelOperations::wake_all(); }
};

}  // namespace millrace::module
