// Subscriptions of devices to targets; a device subscribes to a target once. Both ends list the
// other: a match reads the devices of a target from adjacent memory, and when a device is removed,
// its subscriptions are found.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/hash_index.h"
#include "engine/base/slots.h"
#include "engine/base/strong.h"
#include "engine/base/strong_id.h"
#include "engine/route/route_ids.h"

namespace millrace {

using TermsSlot = StrongId<struct TermsSlotName>;

// The lifetime of a subscription. Most subscriptions last until they are ended, and have no terms.
struct SubscriptionTerms {
  UnixMs subscribed;  // or last renewed
  uint64_t ttl_ms = 0;
  UnixMs due;  // its date in the list of subscriptions that will end
};

struct Subscription {
  DeviceSlot device;
  TargetSlot target;
  uint32_t at_device = 0;  // its place in the device's list
  uint32_t at_target = 0;  // and in the target's
  TermsSlot terms;

  bool is_used() const { return device.is_some(); }
};

// One device of a target.
class Member {
 public:
  Member(DeviceSlot device, SubscriptionSlot subscription) : device_(device), bits_(subscription.value() << 1) {}

  DeviceSlot device() const { return device_; }
  SubscriptionSlot subscription() const { return SubscriptionSlot(bits_ >> 1); }
  // If it has no terms, a match need not look at the subscription.
  bool has_terms() const { return (bits_ & 1) != 0; }
  void set_has_terms(bool has) { bits_ = (bits_ & ~uint32_t{1}) | static_cast<uint32_t>(has); }

 private:
  DeviceSlot device_;
  uint32_t bits_;
};
static_assert(sizeof(Member) == 8);

inline constexpr uint32_t kMaxSubscriptions = (uint32_t{1} << 31) - 1;

using Members = std::vector<Member>;
using DeviceSubscriptions = std::vector<SubscriptionSlot>;

class Subscriptions {
 public:
  size_t size() const { return slots_.size(); }
  uint32_t limit() const { return slots_.limit(); }
  const Subscription& operator[](SubscriptionSlot slot) const { return slots_[slot]; }

  Subscriptions clone() const {
    Subscriptions copy;
    copy.slots_ = slots_.clone([](const Subscription& each) { return each; });
    copy.terms_ = terms_.clone([](const SubscriptionTerms& each) { return each; });
    copy.index_ = index_.clone();
    return copy;
  }

  SubscriptionSlot find(DeviceSlot device, TargetSlot target) const;

  // The two lists are those of the device and the target. REQUIRES: there is none yet; size() < kMaxSubscriptions
  SubscriptionSlot add(DeviceSlot device, TargetSlot target, DeviceSubscriptions& of_device, Members& of_target);
  void remove(SubscriptionSlot slot, DeviceSubscriptions& of_device, Members& of_target);

  // Null if it has none.
  const SubscriptionTerms* terms(SubscriptionSlot slot) const;
  SubscriptionTerms* terms(SubscriptionSlot slot);
  // Gives it terms, if it has none. The target's list says so too.
  SubscriptionTerms& give_terms(SubscriptionSlot slot, Members& of_target);
  void take_terms(SubscriptionSlot slot, Members& of_target);

  uint64_t memory() const { return slots_.memory() + terms_.memory() + index_.memory(); }
  const char* check() const { return index_.size() == size() ? index_.check() : "the index has another size"; }

 private:
  static uint32_t hash(DeviceSlot device, TargetSlot target);

  Slots<Subscription, SubscriptionSlot> slots_;
  Slots<SubscriptionTerms, TermsSlot> terms_;
  HashIndex<SubscriptionSlot> index_;
};

}  // namespace millrace
