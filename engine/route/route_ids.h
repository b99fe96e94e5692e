// The ids of the parts of a routing table. Each is reused after its object is removed.
#pragma once

#include "engine/base/strong_id.h"

namespace millrace {

using DeviceSlot = StrongId<struct DeviceSlotName>;
using TransportSlot = StrongId<struct TransportSlotName>;
using ChannelSlot = StrongId<struct ChannelSlotName>;
using TargetSlot = StrongId<struct TargetSlotName>;
using SubscriptionSlot = StrongId<struct SubscriptionSlotName>;

}  // namespace millrace
