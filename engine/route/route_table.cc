#include "engine/route/route_table.h"

#include <algorithm>
#include <utility>

namespace millrace {

std::optional<DeviceName> parse_device_name(ByteView name) {
  const size_t bar = name.rfind('|');
  if (bar == ByteView::npos || bar == 0 || bar + 1 == name.size()) return std::nullopt;
  return DeviceName{name, name.substr(0, bar), name.substr(bar + 1)};
}

bool RouteTable::tick(UnixMs now) {
  if (now <= clock_) return false;
  clock_ = now;
  return true;
}

// --- devices ---

DeviceSlot RouteTable::find_device(ByteView name) const {
  const auto* found = by_name_.find(hash(name), [&](DeviceSlot slot) { return devices_[slot].name == name; });
  return found != nullptr ? *found : DeviceSlot::none();
}

const Device* RouteTable::device(ByteView name, UnixMs now) const {
  const DeviceSlot slot = find_device(name);
  return slot.is_none() || devices_[slot].is_dead(now) ? nullptr : &devices_[slot];
}

DeviceSlot RouteTable::device_or_new(const DeviceName& name) {
  if (const DeviceSlot known = find_device(name.whole); known.is_some()) {
    if (!devices_[known].is_dead(clock_)) return known;
    bury(known, PresenceChange::Kind::Expired);
  }
  const DeviceSlot slot = devices_.add();
  Device& device = devices_[slot];
  device.name = name.whole;
  device.id_size = static_cast<uint32_t>(name.id.size());
  device.connected = device.seen = clock_;
  if (slot.value() >= marks_.size()) marks_.resize(slot.value() + 1);
  marks_[slot.value()] = {.id_size = device.id_size, .id = device.name.data()};
  join_transport(slot, name.transport);
  by_name_.insert(hash(name.whole), slot);
  return slot;
}

void RouteTable::join_transport(DeviceSlot slot, ByteView transport) {
  Device& device = devices_[slot];
  device.transport = marks_[slot.value()].transport = transports_.use(transport);
  DeviceSlot& first = transports_[device.transport].first;
  if (first.is_some()) devices_[first].previous_of_transport = slot;
  device.next_of_transport = std::exchange(first, slot);
}

void RouteTable::leave_transport(DeviceSlot slot) {
  Device& device = devices_[slot];
  if (device.next_of_transport.is_some()) {
    devices_[device.next_of_transport].previous_of_transport = device.previous_of_transport;
  }
  if (device.previous_of_transport.is_some()) {
    devices_[device.previous_of_transport].next_of_transport = device.next_of_transport;
  } else {
    transports_[device.transport].first = device.next_of_transport;
  }
  device.next_of_transport = device.previous_of_transport = DeviceSlot::none();
  transports_.release(device.transport);
}

void RouteTable::note_presence(PresenceChange::Kind kind, const Device& device) {
  presence_.push_back({kind, device.name, device.user});
}

std::optional<uint64_t> RouteTable::move_device(ByteView name, const DeviceName& to) {
  const DeviceSlot slot = find_device(name);
  if (slot.is_none() || devices_[slot].is_dead(clock_)) return std::nullopt;
  if (const DeviceSlot dead = find_device(to.whole); dead.is_some()) bury(dead, PresenceChange::Kind::Expired);
  Device& device = devices_[slot];
  by_name_.erase(hash(device.name), slot);
  leave_transport(slot);
  device.name = to.whole;
  device.id_size = static_cast<uint32_t>(to.id.size());
  marks_[slot.value()].id = device.name.data();
  marks_[slot.value()].id_size = device.id_size;
  join_transport(slot, to.transport);
  by_name_.insert(hash(device.name), slot);
  show(device);
  note_presence(PresenceChange::Kind::Moved, device);
  return count_subscriptions(device, clock_);
}

std::vector<std::string> RouteTable::delete_devices_of(ByteView transport, size_t most) {
  std::vector<std::string> names;
  for (size_t looked = 0; looked < most; ++looked) {
    const DeviceSlot slot = first_of(transport);
    if (slot.is_none()) break;
    if (devices_[slot].is_dead(clock_)) {
      bury(slot, PresenceChange::Kind::Expired);
    } else {
      names.push_back(devices_[slot].name);
      bury(slot, PresenceChange::Kind::Left);
    }
  }
  return names;
}

DeviceSlot RouteTable::first_of(ByteView transport) const {
  const TransportSlot slot = transports_.find(transport);
  return slot.is_none() ? DeviceSlot::none() : transports_[slot].first;
}

bool RouteTable::set_device(const DeviceName& name, const DeviceChange& change) {
  const bool is_new = device(name.whole, clock_) == nullptr;
  const DeviceSlot slot = device_or_new(name);
  Device& device = devices_[slot];
  show(device);
  if (change.user) device.user = *change.user;
  if (change.agent) device.agent = *change.agent;
  if (change.ttl_ms) change_ttl(slot, *change.ttl_ms);
  if (is_new) note_presence(PresenceChange::Kind::Connected, device);
  return is_new;
}

bool RouteTable::touch(ByteView name) {
  const DeviceSlot slot = find_device(name);
  if (slot.is_none() || devices_[slot].is_dead(clock_)) return false;
  show(devices_[slot]);
  return true;
}

void RouteTable::show(Device& device) {
  // Subscriptions that ended in a silence are swept in the order of endings.
  const UnixMs swept = endings_.empty() ? UnixMs(UINT64_MAX) : endings_.front().date;
  std::erase_if(device.silences, [&](const Silence& silence) { return silence.end < swept; });
  if (clock_ - device.seen >= device.shortest_ttl_ms) device.silences.push_back({device.seen, clock_});
  device.seen = clock_;
}

void RouteTable::change_ttl(DeviceSlot slot, uint64_t ttl_ms) {
  Device& device = devices_[slot];
  device.ttl_ms = ttl_ms;
  marks_[slot.value()].can_die = ttl_ms != 0;
  if (ttl_ms == 0) {
    expect_no_end(of_device(slot), device.due);
  } else {
    expect_end(of_device(slot), device.due, device.seen + ttl_ms);
  }
}

std::optional<uint64_t> RouteTable::delete_device(ByteView name) {
  const DeviceSlot slot = find_device(name);
  if (slot.is_none() || devices_[slot].is_dead(clock_)) return std::nullopt;
  const uint64_t count = count_subscriptions(devices_[slot], clock_);
  bury(slot, PresenceChange::Kind::Left);
  return count;
}

uint64_t RouteTable::count_subscriptions(const Device& device, UnixMs now) const {
  if (device.subscriptions.size() > kMostCounted) return device.subscriptions.size();
  return static_cast<uint64_t>(
      std::ranges::count_if(device.subscriptions, [&](SubscriptionSlot each) { return !is_dead(each, now); }));
}

// It is no longer visible; sweep() frees it.
void RouteTable::bury(DeviceSlot slot, PresenceChange::Kind why) {
  Device& device = devices_[slot];
  note_presence(why, device);
  by_name_.erase(hash(device.name), slot);
  by_name_.shrink(by_name_.size(), [](DeviceSlot) { return true; });
  leave_transport(slot);
  expect_no_end(of_device(slot), device.due);
  device.is_gone = marks_[slot.value()].can_die = true;
  buried_subscriptions_ += device.subscriptions.size();
  gone_devices_.push_back(slot);
}

// --- subscriptions ---

void RouteTable::subscribe(const DeviceName& name, TargetSlot target, std::optional<uint64_t> ttl_ms) {
  const bool is_new = this->device(name.whole, clock_) == nullptr;
  const DeviceSlot device = device_or_new(name);
  if (is_new) note_presence(PresenceChange::Kind::Connected, devices_[device]);
  SubscriptionSlot slot = subscriptions_.find(device, target);
  if (slot.is_none()) {
    slot = add_subscription(device, target);
  } else if (is_dead(slot, clock_)) {
    set_terms(slot, 0);
  }
  if (ttl_ms) {
    set_terms(slot, *ttl_ms);
  } else if (SubscriptionTerms* terms = subscriptions_.terms(slot)) {
    terms->subscribed = clock_;
  }
}

bool RouteTable::unsubscribe(ByteView name, TargetSlot target) {
  const DeviceSlot device = find_device(name);
  if (device.is_none() || devices_[device].is_dead(clock_)) return false;
  const SubscriptionSlot slot = subscriptions_.find(device, target);
  if (slot.is_none() || is_dead(slot, clock_)) return false;
  remove_subscription(slot);
  return true;
}

SubscriptionSlot RouteTable::add_subscription(DeviceSlot device, TargetSlot target) {
  ++channels_[targets_[target].channel].members;
  return subscriptions_.add(device, target, devices_[device].subscriptions, targets_[target].members);
}

void RouteTable::remove_subscription(SubscriptionSlot slot) {
  const Subscription gone = subscriptions_[slot];
  set_terms(slot, 0);
  Device& device = devices_[gone.device];
  RouteTarget& target = targets_[gone.target];
  subscriptions_.remove(slot, device.subscriptions, target.members);
  buried_subscriptions_ -= device.is_gone + target.is_gone;
  if (!target.is_gone) --channels_[target.channel].members;
  drop_if_unused(gone.target);
}

void RouteTable::set_terms(SubscriptionSlot slot, uint64_t ttl_ms) {
  Members& members = targets_[subscriptions_[slot].target].members;
  if (ttl_ms == 0) {
    if (SubscriptionTerms* terms = subscriptions_.terms(slot)) expect_no_end(of_subscription(slot), terms->due);
    subscriptions_.take_terms(slot, members);
    return;
  }
  SubscriptionTerms& terms = subscriptions_.give_terms(slot, members);
  terms.subscribed = clock_;
  terms.ttl_ms = ttl_ms;
  Device& device = devices_[subscriptions_[slot].device];
  device.shortest_ttl_ms = std::min(device.shortest_ttl_ms, ttl_ms);
  expect_end(of_subscription(slot), terms.due, clock_ + ttl_ms);
}

// A device that is seen renews its subscriptions.
UnixMs RouteTable::end_of(const SubscriptionTerms& terms, const Device& device) {
  return std::max(terms.subscribed, device.seen) + terms.ttl_ms;
}

bool RouteTable::is_over(const SubscriptionTerms& terms, const Device& device, UnixMs now) {
  if (now >= end_of(terms, device)) return true;
  return std::ranges::any_of(device.silences, [&](const Silence& silence) {
    return terms.subscribed < silence.end && std::max(terms.subscribed, silence.begin) + terms.ttl_ms <= silence.end;
  });
}

std::optional<UnixMs> RouteTable::end_of(SubscriptionSlot slot) const {
  const SubscriptionTerms* terms = subscriptions_.terms(slot);
  if (terms == nullptr) return std::nullopt;
  return end_of(*terms, devices_[subscriptions_[slot].device]);
}

bool RouteTable::is_dead(SubscriptionSlot slot, UnixMs now) const {
  const Subscription& subscription = subscriptions_[slot];
  const Device& device = devices_[subscription.device];
  if (device.is_dead(now) || targets_[subscription.target].is_gone) return true;
  const SubscriptionTerms* terms = subscriptions_.terms(slot);
  return terms != nullptr && is_over(*terms, device, now);
}

bool RouteTable::is_member_dead(const Member& member, UnixMs now) const {
  if (!marks_[member.device().value()].can_die && !member.has_terms()) return false;
  const Device& device = devices_[member.device()];
  if (device.is_dead(now)) return true;
  return member.has_terms() && is_over(*subscriptions_.terms(member.subscription()), device, now);
}

// --- time ---

void RouteTable::expect_end(uint64_t what, UnixMs& due, UnixMs date) {
  expect_no_end(what, due);
  due = date;
  endings_.insert({date, what});
}

void RouteTable::expect_no_end(uint64_t what, UnixMs& due) {
  if (due != UnixMs()) endings_.erase({due, what});
  due = UnixMs();
}

bool RouteTable::sweep(size_t most) {
  while (most > 0) {
    if (!gone_devices_.empty()) {
      sweep_device(gone_devices_.back(), most);
    } else if (!gone_targets_.empty()) {
      sweep_target(gone_targets_.back(), most);
    } else if (!endings_.empty() && endings_.front().date <= clock_) {
      sweep_ending();
      --most;
    } else {
      return false;
    }
  }
  const auto next = next_date();
  return !empty() && next && *next <= clock_;
}

void RouteTable::sweep_device(DeviceSlot slot, size_t& left) {
  DeviceSubscriptions& subscriptions = devices_[slot].subscriptions;
  for (; left > 0 && !subscriptions.empty(); --left) remove_subscription(subscriptions.back());
  if (left == 0) return;
  gone_devices_.pop_back();
  devices_.remove(slot);
  if (devices_.size() == 0) marks_ = {};
  --left;
}

void RouteTable::sweep_target(TargetSlot slot, size_t& left) {
  Members& members = targets_[slot].members;
  for (; left > 0 && !members.empty(); --left) remove_subscription(members.back().subscription());
  if (left == 0) return;
  gone_targets_.pop_back();
  targets_.remove(slot);
  --left;
}

// An entry that was renewed meanwhile is moved to its new date.
void RouteTable::sweep_ending() {
  const uint64_t what = endings_.front().what;
  if (what % 2 == 0) {
    const DeviceSlot slot(static_cast<uint32_t>(what / 2));
    Device& device = devices_[slot];
    if (device.is_dead(clock_)) return bury(slot, PresenceChange::Kind::Expired);
    return expect_end(what, device.due, device.seen + device.ttl_ms);
  }
  const SubscriptionSlot slot(static_cast<uint32_t>(what / 2));
  SubscriptionTerms& terms = *subscriptions_.terms(slot);
  const Device& device = devices_[subscriptions_[slot].device];
  if (is_over(terms, device, clock_)) return remove_subscription(slot);
  expect_end(what, terms.due, end_of(terms, device));
}

std::optional<UnixMs> RouteTable::next_date() const {
  if (!gone_devices_.empty() || !gone_targets_.empty() || empty()) return clock_;
  if (endings_.empty()) return std::nullopt;
  return endings_.front().date;
}

}  // namespace millrace
