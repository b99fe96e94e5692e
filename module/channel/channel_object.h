// How the runtime handles keys with a channel.
#pragma once

#include "engine/channel/channel_operations.h"
#include "module/abi/context.h"
#include "module/channel/channel_type.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"
#include "module/runtime/reclaim.h"

namespace millrace::module {

// The operations object of this server. Its limits follow the settings.
ChannelOperations& channel_operations();
const ChannelLimits& channel_limits();

template <>
struct ObjectTraits<Channel> {
  static constexpr const char* kApply = kApplyToChannel;
  static constexpr bool kWaits = true;
  // A waiting client gets an answer when its subscription or its channel is removed.
  static constexpr bool kOtherTypeIsMissing = true;
  static constexpr bool kToldWhenGone = true;
  // If ten thousand clients wait for one publication, this many are served at once, and the others in later turns.
  static constexpr size_t kServedPerTurn = 120;

  static Now now() { return {.wall = abi::now(), .monotonic = {}, .clock_id = 0, .served = {}, .served_period = 0}; }
  static void settle(KeyPlace<Channel>& place, const Consequences&) {
    if (place.get()->has_evicted()) reclaim(place.get()->take_evicted());
  }
  static Consequences look_after(KeyPlace<Channel>& place, const Call& call);
  // A channel needs to be looked after only because of waiting clients.
  static std::optional<UnixMs> first_date(const Channel&) { return std::nullopt; }
  static Wake wake_all(const Channel*) { return ChannelOperations::wake_all(); }
};

}  // namespace millrace::module
