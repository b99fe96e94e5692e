// The ids of what a routing table holds. Each is given again after its thing is gone.
#pragma once

#include "engine/base/strong_id.h"

namespace millrace {

using DeviceSlot = StrongId<struct DeviceSlotName>;
using TransportSlot = StrongId<struct TransportSlotName>;
using ChannelSlot = StrongId<struct ChannelSlotName>;
using TargetSlot = StrongId<struct TargetSlotName>;
using SubscriptionSlot = StrongId<struct SubscriptionSlotName>;

}  // namespace millrace
