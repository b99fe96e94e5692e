// RouteTable: restoring, copying, memory, freeing, and check().
#include <utility>

#include "engine/route/route_table.h"

namespace millrace {

DeviceSlot RouteTable::restore_device(const DeviceName& name, const DeviceChange& change, UnixMs connected,
                                      UnixMs seen) {
  const DeviceSlot slot = device_or_new(name);
  Device& device = devices_[slot];
  device.connected = connected;
  device.seen = seen;
  if (change.user) device.user = *change.user;
  if (change.agent) device.agent = *change.agent;
  if (change.ttl_ms) change_ttl(slot, *change.ttl_ms);
  return slot;
}

void RouteTable::restore_subscription(DeviceSlot device, TargetSlot target, const SubscriptionTerms& saved) {
  const SubscriptionSlot slot = add_subscription(device, target);
  if (saved.ttl_ms == 0) return;
  set_terms(slot, saved.ttl_ms);
  SubscriptionTerms& terms = *subscriptions_.terms(slot);
  terms.subscribed = saved.subscribed;
  expect_end(of_subscription(slot), terms.due, end_of(terms, devices_[device]));
}

RouteTable RouteTable::clone() const {
  RouteTable copy(key_);
  copy.clock_ = clock_;
  copy.devices_ = devices_.clone([](const Device& each) { return each; });
  copy.marks_ = marks_;
  for (DeviceSlot slot : devices_.all()) {
    DeviceMark& mark = copy.marks_[slot.value()];
    mark.match = 0;
    mark.id = std::as_const(copy.devices_)[slot].name.data();
  }
  copy.by_name_ = by_name_.clone();
  copy.transports_ = transports_.clone();
  copy.channels_ = channels_.clone([](const ChannelEntry& each) {
    return ChannelEntry{each.key,
                        each.everything,
                        each.targets,
                        each.members,
                        each.filters == nullptr ? nullptr : each.filters->clone(),
                        0};
  });
  copy.by_key_ = by_key_.clone();
  copy.targets_ = targets_.clone([](const RouteTarget& each) {
    return RouteTarget{each.channel,        each.filter,
                       each.next_of_filter, each.name == nullptr ? nullptr : std::make_unique<std::string>(*each.name),
                       each.members,        each.is_gone};
  });
  copy.subscriptions_ = subscriptions_.clone();
  copy.endings_ = endings_;
  copy.gone_devices_ = gone_devices_;
  copy.gone_targets_ = gone_targets_;
  copy.buried_subscriptions_ = buried_subscriptions_;
  copy.filters_ = filters_;
  copy.is_compiled_ = is_compiled_;
  copy.compiled_channels_ = compiled_channels_;
  copy.dispatches_ = dispatches_.clone();
  copy.presence_prefix_ = presence_prefix_;
  copy.presence_apps_ = presence_apps_;
  return copy;
}

bool RouteTable::free_some() {
  constexpr size_t kAtOnce = 200;
  for (size_t freed = 0; freed < kAtOnce; ++freed) {
    if (!devices_.free_last() && !targets_.free_last() && !free_channel()) return false;
  }
  return true;
}

bool RouteTable::free_channel() {
  if (channels_.limit() == 0) return false;
  const ChannelSlot last(channels_.limit() - 1);
  const ChannelEntry& entry = std::as_const(channels_)[last];
  if (entry.filters != nullptr && entry.filters->index().free_last()) return true;
  return channels_.free_last();
}

uint64_t RouteTable::memory() const {
  uint64_t bytes = sizeof(*this) + devices_.memory() + by_name_.memory() + transports_.memory() + channels_.memory() +
                   by_key_.memory() + targets_.memory() + subscriptions_.memory() + endings_.memory() +
                   dispatches_.memory();
  for (DeviceSlot slot : devices_.all()) {
    const Device& device = devices_[slot];
    for (const std::string* text : {&device.name, &device.user, &device.agent}) {
      if (text->capacity() > std::string().capacity()) bytes += text->capacity() + 1;
    }
    bytes += device.subscriptions.capacity() * sizeof(SubscriptionSlot);
    bytes += device.silences.capacity() * sizeof(Silence);
  }
  for (TargetSlot slot : targets_.all()) {
    bytes += targets_[slot].members.capacity() * sizeof(Member);
    if (targets_[slot].name != nullptr) bytes += sizeof(std::string) + targets_[slot].name->capacity();
  }
  for (ChannelSlot slot : channels_.all()) {
    if (channels_[slot].key.capacity() > std::string().capacity()) bytes += channels_[slot].key.capacity() + 1;
    if (channels_[slot].filters != nullptr) bytes += channels_[slot].filters->memory();
  }
  bytes += marks_.capacity() * sizeof(DeviceMark);
  return bytes + gone_devices_.capacity() * sizeof(DeviceSlot) + gone_targets_.capacity() * sizeof(TargetSlot);
}

const char* RouteTable::check() const {
  if (const char* broken = by_name_.check()) return broken;
  if (const char* broken = by_key_.check()) return broken;
  if (const char* broken = endings_.check()) return broken;
  if (const char* broken = subscriptions_.check()) return broken;
  uint64_t listed = 0;
  uint64_t endings = 0;
  for (DeviceSlot slot : devices_.all()) {
    const Device& device = devices_[slot];
    if (!device.is_used()) continue;
    if ((find_device(device.name) == slot) == device.is_gone) {
      return "a device is not found by its name, or a gone one is";
    }
    if ((device.ttl_ms != 0 && !device.is_gone) != (device.due != UnixMs())) {
      return "a device will not end when it should";
    }
    if (marks_[slot.value()].can_die != (device.is_gone || device.ttl_ms != 0)) {
      return "a device is wrongly taken for immortal";
    }
    if (!device.is_gone && marks_[slot.value()].transport != device.transport) {
      return "a device is marked with another transport";
    }
    if (device_id(slot).data() != device.id().data() || device_id(slot) != device.id()) {
      return "a device is marked with another id";
    }
    if (device.due > device.seen + device.ttl_ms) return "a device will end too late";
    endings += device.due != UnixMs();
    listed += device.subscriptions.size();
    for (uint32_t i = 0; i < device.subscriptions.size(); ++i) {
      const Subscription& each = subscriptions_[device.subscriptions[i]];
      if (each.device != slot || each.at_device != i) return "a subscription is not where its device lists it";
    }
  }
  for (const auto& [name, transport] : transports_.by_name()) {
    uint64_t devices = 0;
    for (DeviceSlot at = transports_[transport].first; at.is_some(); at = devices_[at].next_of_transport) {
      if (devices_[at].transport != transport || devices_[at].is_gone) return "a transport lists another's device";
      ++devices;
    }
    if (devices != transports_[transport].devices) return "a transport does not list its devices";
  }
  if (const char* broken = dispatches_.check()) return broken;
  if (listed != subscriptions_.size()) return "devices list another number of subscriptions";
  if (by_name_.size() != devices_.size() - gone_devices_.size()) return "the names are not those of the devices";

  std::vector<uint64_t> members(channels_.limit());
  std::vector<uint32_t> targets(channels_.limit());
  listed = 0;
  for (TargetSlot slot : targets_.all()) {
    const RouteTarget& target = targets_[slot];
    if (!target.is_used()) continue;
    listed += target.members.size();
    for (uint32_t i = 0; i < target.members.size(); ++i) {
      const Member& member = target.members[i];
      const Subscription& each = subscriptions_[member.subscription()];
      if (each.target != slot || each.at_target != i || each.device != member.device()) {
        return "a subscription is not where its target lists it";
      }
      const SubscriptionTerms* terms = subscriptions_.terms(member.subscription());
      if ((terms != nullptr) != member.has_terms()) return "a member does not know of its terms";
      if (terms == nullptr) continue;
      ++endings;
      if (terms->due == UnixMs() || terms->due > end_of(*terms, devices_[member.device()])) {
        return "a subscription will not end when it should";
      }
    }
    if (target.is_gone) continue;
    members[target.channel.value()] += target.members.size();
    ++targets[target.channel.value()];
    if (target.members.empty() && target.name == nullptr) return "a target of nobody";
  }
  if (listed != subscriptions_.size()) return "targets list another number of subscriptions";
  if (endings != endings_.size()) return "something ends that is not there";

  uint64_t filters = 0;
  for (ChannelSlot slot : channels_.all()) {
    const ChannelEntry& channel = channels_[slot];
    if (!channel.is_used()) continue;
    if (find_channel(channel.key) != slot) return "a channel is not found";
    if (channel.members != members[slot.value()] || channel.targets != targets[slot.value()]) {
      return "a channel counts wrong";
    }
    if (channel.targets == 0) return "a channel of nobody";
    if (channel.filters == nullptr) continue;
    if (channel.filters->empty()) return "filters of nobody";
    filters += channel.filters->index().size();
    if (const char* broken = channel.filters->check()) return broken;
  }
  return filters == filters_ ? nullptr : "the filters are counted wrong";
}

}  // namespace millrace
