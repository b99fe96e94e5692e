// The table's channels, and what can be subscribed to on them.
#include <algorithm>
#include <utility>

#include "engine/route/route_table.h"

namespace millrace {

ChannelSlot RouteTable::find_channel(ByteView key) const {
  const auto* found = by_key_.find(hash(key), [&](ChannelSlot slot) { return channels_[slot].key == key; });
  return found != nullptr ? *found : ChannelSlot::none();
}

ChannelSlot RouteTable::channel_or_new(const RouteChannel& channel) {
  std::string key = channel.key();
  if (const ChannelSlot known = find_channel(key); known.is_some()) return known;
  const ChannelSlot slot = channels_.add();
  by_key_.insert(hash(key), slot);
  channels_[slot].key = std::move(key);
  return slot;
}

TargetSlot RouteTable::find_everything(const RouteChannel& channel) const {
  const ChannelSlot slot = find_channel(channel.key());
  return slot.is_none() ? TargetSlot::none() : channels_[slot].everything;
}

TargetSlot RouteTable::without_name(ChannelSlot channel, FilterSlot filter) const {
  TargetSlot target = channels_[channel].filters->first_target(filter);
  while (target.is_some() && targets_[target].name != nullptr) target = targets_[target].next_of_filter;
  return target;
}

TargetSlot RouteTable::find_filter(const RouteChannel& channel, ByteView normal_json) const {
  const ChannelSlot slot = find_channel(channel.key());
  if (slot.is_none() || channels_[slot].filters == nullptr) return TargetSlot::none();
  const FilterSlot filter = channels_[slot].filters->find(normal_json);
  return filter.is_none() ? TargetSlot::none() : without_name(slot, filter);
}

TargetSlot RouteTable::find_filter_id(const RouteChannel& channel, ByteView id) const {
  const ChannelSlot slot = find_channel(channel.key());
  if (slot.is_none() || channels_[slot].filters == nullptr) return TargetSlot::none();
  const ChannelFilters& filters = *channels_[slot].filters;
  if (const auto named = filters.named().find(id); named != filters.named().end()) return named->second;
  const FilterSlot filter = filters.find_by_id(id);
  return filter.is_none() ? TargetSlot::none() : without_name(slot, filter);
}

bool RouteTable::is_there(TargetSlot slot, UnixMs now) const {
  const RouteTarget& target = targets_[slot];
  return target.name != nullptr ||
         std::ranges::any_of(target.members, [&](const Member& each) { return !is_member_dead(each, now); });
}

TargetSlot RouteTable::new_target(ChannelSlot channel) {
  const TargetSlot slot = targets_.add();
  targets_[slot].channel = channel;
  ++channels_[channel].targets;
  return slot;
}

TargetSlot RouteTable::everything(const RouteChannel& channel) {
  const ChannelSlot slot = channel_or_new(channel);
  if (channels_[slot].everything.is_none()) channels_[slot].everything = new_target(slot);
  return channels_[slot].everything;
}

TargetSlot RouteTable::filtered(const RouteChannel& channel, const Filter& filter, ByteView normal_json) {
  const ChannelSlot slot = channel_or_new(channel);
  const FilterSlot found = filter_or_new(slot, filter, normal_json);
  if (const TargetSlot known = without_name(slot, found); known.is_some()) return known;
  const TargetSlot target = new_target(slot);
  attach(target, found);
  return target;
}

FilterSlot RouteTable::filter_or_new(ChannelSlot channel, const Filter& filter, ByteView normal_json) {
  auto& filters = channels_[channel].filters;
  if (filters == nullptr) filters = std::make_unique<ChannelFilters>(key_);
  if (const FilterSlot known = filters->find(normal_json); known.is_some()) return known;
  ++filters_;
  return filters->add(filter, normal_json);
}

void RouteTable::attach(TargetSlot slot, FilterSlot filter) {
  RouteTarget& target = targets_[slot];
  target.filter = filter;
  target.next_of_filter = std::exchange(channels_[target.channel].filters->first_target(filter), slot);
}

// The filter goes with its last target.
void RouteTable::detach(TargetSlot slot) {
  RouteTarget& target = targets_[slot];
  ChannelFilters& filters = *channels_[target.channel].filters;
  TargetSlot* link = &filters.first_target(target.filter);
  while (*link != slot) link = &targets_[*link].next_of_filter;
  *link = std::exchange(target.next_of_filter, TargetSlot::none());
  if (filters.first_target(target.filter).is_none()) {
    filters.remove(target.filter);
    --filters_;
  }
  target.filter = FilterSlot::none();
}

void RouteTable::set_filter(const RouteChannel& channel, ByteView name, const Filter& filter, ByteView normal_json) {
  const ChannelSlot slot = channel_or_new(channel);
  const FilterSlot found = filter_or_new(slot, filter, normal_json);
  auto& named = channels_[slot].filters->named();
  auto known = named.find(name);
  if (known == named.end()) {
    known = named.emplace(name, new_target(slot)).first;
    targets_[known->second].name = std::make_unique<std::string>(name);
  } else if (targets_[known->second].filter == found) {
    return;
  } else {
    detach(known->second);
  }
  attach(known->second, found);
}

void RouteTable::leave_channel(TargetSlot slot) {
  RouteTarget& target = targets_[slot];
  ChannelEntry& channel = channels_[target.channel];
  if (target.filter.is_none()) {
    channel.everything = TargetSlot::none();
  } else {
    if (target.name != nullptr) channel.filters->named().erase(*target.name);
    detach(slot);
    if (channel.filters->empty()) channel.filters.reset();
  }
  if (--channel.targets > 0) return;
  by_key_.erase(hash(channel.key), target.channel);
  by_key_.shrink(by_key_.size(), [](ChannelSlot) { return true; });
  top_.forget(target.channel);
  channels_.remove(target.channel);
}

void RouteTable::drop_if_unused(TargetSlot slot) {
  const RouteTarget& target = targets_[slot];
  if (target.is_gone || target.name != nullptr || !target.members.empty()) return;
  leave_channel(slot);
  targets_.remove(slot);
}

// Nobody finds it any more; sweep() does the rest.
uint64_t RouteTable::delete_target(TargetSlot slot) {
  RouteTarget& target = targets_[slot];
  uint64_t count = target.members.size();
  if (count <= kMostCounted) {
    count -= static_cast<uint64_t>(
        std::ranges::count_if(target.members, [&](const Member& each) { return is_member_dead(each, clock_); }));
  }
  channels_[target.channel].members -= target.members.size();
  leave_channel(slot);
  target.is_gone = true;
  buried_subscriptions_ += target.members.size();
  gone_targets_.push_back(slot);
  return count;
}

RouteCounts RouteTable::counts() const {
  const uint64_t buried = std::min<uint64_t>(buried_subscriptions_, subscriptions_.size());
  return {devices_.size() - gone_devices_.size(), subscriptions_.size() - buried, filters_, channels_.size()};
}

}  // namespace millrace
