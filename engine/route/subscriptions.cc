#include "engine/route/subscriptions.h"

#include <utility>

namespace millrace {

namespace {

// There are many short lists, so the capacity grows by a quarter, not to twice the size.
template <class Value>
void push_back_tightly(std::vector<Value>& list, Value value) {
  if (list.size() == list.capacity()) list.reserve(list.size() + list.size() / 4 + 1);
  list.push_back(value);
}

template <class Value>
void shrink_if_sparse(std::vector<Value>& list) {
  if (list.size() < list.capacity() / 4) list.shrink_to_fit();
}

}  // namespace

// Slots are numbers that the table assigns, so clients cannot choose colliding ones.
uint32_t Subscriptions::hash(DeviceSlot device, TargetSlot target) {
  uint64_t mixed = (uint64_t{device.value()} << 32 | target.value()) * 0x9e3779b97f4a7c15U;
  mixed ^= mixed >> 32;
  mixed *= 0xd6e8feb86659fd93U;
  return static_cast<uint32_t>(mixed >> 32);
}

SubscriptionSlot Subscriptions::find(DeviceSlot device, TargetSlot target) const {
  const auto* found = index_.find(hash(device, target), [&](SubscriptionSlot slot) {
    return slots_[slot].device == device && slots_[slot].target == target;
  });
  return found != nullptr ? *found : SubscriptionSlot::none();
}

SubscriptionSlot Subscriptions::add(DeviceSlot device, TargetSlot target, DeviceSubscriptions& of_device,
                                    Members& of_target) {
  const SubscriptionSlot slot = slots_.add();
  slots_[slot] = {.device = device,
                  .target = target,
                  .at_device = static_cast<uint32_t>(of_device.size()),
                  .at_target = static_cast<uint32_t>(of_target.size()),
                  .terms = TermsSlot::none()};
  push_back_tightly(of_device, slot);
  push_back_tightly(of_target, Member(device, slot));
  index_.insert(hash(device, target), slot);
  return slot;
}

void Subscriptions::remove(SubscriptionSlot slot, DeviceSubscriptions& of_device, Members& of_target) {
  take_terms(slot, of_target);
  const Subscription gone = slots_[slot];
  // The last entries of both lists take its places.
  of_device[gone.at_device] = of_device.back();
  slots_[of_device.back()].at_device = gone.at_device;
  of_device.pop_back();
  of_target[gone.at_target] = of_target.back();
  slots_[of_target.back().subscription()].at_target = gone.at_target;
  of_target.pop_back();
  shrink_if_sparse(of_device);
  shrink_if_sparse(of_target);
  index_.erase(hash(gone.device, gone.target), slot);
  index_.shrink(index_.size(), [](SubscriptionSlot) { return true; });
  slots_.remove(slot);
}

const SubscriptionTerms* Subscriptions::terms(SubscriptionSlot slot) const {
  const TermsSlot terms = slots_[slot].terms;
  return terms.is_none() ? nullptr : &terms_[terms];
}

SubscriptionTerms* Subscriptions::terms(SubscriptionSlot slot) {
  return const_cast<SubscriptionTerms*>(std::as_const(*this).terms(slot));
}

SubscriptionTerms& Subscriptions::give_terms(SubscriptionSlot slot, Members& of_target) {
  Subscription& subscription = slots_[slot];
  if (subscription.terms.is_none()) {
    subscription.terms = terms_.add();
    of_target[subscription.at_target].set_has_terms(true);
  }
  return terms_[subscription.terms];
}

void Subscriptions::take_terms(SubscriptionSlot slot, Members& of_target) {
  Subscription& subscription = slots_[slot];
  if (subscription.terms.is_none()) return;
  terms_.remove(subscription.terms);
  subscription.terms = TermsSlot::none();
  of_target[subscription.at_target].set_has_terms(false);
}

}  // namespace millrace
