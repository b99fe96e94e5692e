// The table's channels and their targets.
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
  if (channel.model == kPresenceModel) ++presence_apps_[std::string(channel.app)];
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

TargetSlot RouteTable::find_filter(const RouteChannel& channel, const FilterDigest& digest) const {
  const ChannelSlot slot = find_channel(channel.key());
  if (slot.is_none() || channels_[slot].filters == nullptr) return TargetSlot::none();
  const FilterSlot filter = channels_[slot].filters->find(digest);
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

TargetSlot RouteTable::filtered(const RouteChannel& channel, const Filter& filter, const FilterDigest& digest) {
  const ChannelSlot slot = channel_or_new(channel);
  return target_of(slot, filter_or_new(slot, filter, digest));
}

TargetSlot RouteTable::target_of(ChannelSlot channel, FilterSlot filter) {
  if (const TargetSlot known = without_name(channel, filter); known.is_some()) return known;
  const TargetSlot target = new_target(channel);
  attach(target, filter);
  return target;
}

ChannelSlot RouteTable::filters_of(const RouteChannel& channel) {
  const ChannelSlot slot = channel_or_new(channel);
  if (channels_[slot].filters == nullptr) channels_[slot].filters = std::make_unique<ChannelFilters>(key_);
  return slot;
}

TargetSlot RouteTable::restored_filter(ChannelSlot channel, ByteView name, const SavedFilter& saved, ByteView bytes,
                                       const FilterDigest& digest, bool is_new) {
  ChannelFilters& filters = *channels_[channel].filters;
  FilterSlot filter = is_new ? FilterSlot::none() : filters.find(digest);
  if (filter.is_none()) {
    filter = filters.add_saved(saved, bytes, digest);
    ++filters_;
    is_compiled_ = false;
    compiled_channels_ = std::min(compiled_channels_, channel.value());
  }
  return name.empty() ? target_of(channel, filter) : named_target(channel, name, filter);
}

bool RouteTable::compile_some(size_t most) {
  // Most channels have no filters to compile, and take no time.
  for (size_t looked = 0; compiled_channels_ < channels_.limit(); ++compiled_channels_, ++looked) {
    constexpr size_t kMostLookedAt = 1000;
    if (looked == kMostLookedAt) return true;
    const ChannelSlot slot(compiled_channels_);
    ChannelFilters* filters = std::as_const(channels_)[slot].filters.get();
    if (filters != nullptr && filters->index().compile_some(most)) return true;
  }
  is_compiled_ = true;
  return false;
}

std::string RouteTable::filter_name(const RouteTarget& target) const {
  return target.name != nullptr ? *target.name : channels_[target.channel].filters->id(target.filter);
}

FilterSlot RouteTable::filter_or_new(ChannelSlot channel, const Filter& filter, const FilterDigest& digest) {
  auto& filters = channels_[channel].filters;
  if (filters == nullptr) filters = std::make_unique<ChannelFilters>(key_);
  if (const FilterSlot known = filters->find(digest); known.is_some()) return known;
  ++filters_;
  return filters->add(filter, digest);
}

void RouteTable::attach(TargetSlot slot, FilterSlot filter) {
  RouteTarget& target = targets_[slot];
  target.filter = filter;
  target.next_of_filter = std::exchange(channels_[target.channel].filters->first_target(filter), slot);
}

// The filter is removed with its last target.
void RouteTable::detach(TargetSlot slot) {
  RouteTarget& target = targets_[slot];
  ChannelFilters& filters = *channels_[target.channel].filters;
  TargetSlot* link = &filters.first_target(target.filter);
  while (*link != slot) link = &targets_[*link].next_of_filter;
  *link = std::exchange(target.next_of_filter, TargetSlot::none());
  if (filters.first_target(target.filter).is_none()) {
    failing_.forget(target.channel, target.filter);
    filters.remove(target.filter);
    --filters_;
  }
  target.filter = FilterSlot::none();
}

void RouteTable::set_filter(const RouteChannel& channel, ByteView name, const Filter& filter, ByteView normal_json) {
  const ChannelSlot slot = channel_or_new(channel);
  named_target(slot, name, filter_or_new(slot, filter, filter_digest(normal_json)));
}

TargetSlot RouteTable::named_target(ChannelSlot channel, ByteView name, FilterSlot filter) {
  auto& named = channels_[channel].filters->named();
  auto known = named.find(name);
  if (known == named.end()) {
    known = named.emplace(name, new_target(channel)).first;
    targets_[known->second].name = std::make_unique<std::string>(name);
  } else if (targets_[known->second].filter == filter) {
    return known->second;
  } else {
    detach(known->second);
  }
  attach(known->second, filter);
  return known->second;
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
  failing_.forget(target.channel);
  if (const RouteChannel address = channel_of(channel.key); address.model == kPresenceModel) {
    const auto app = presence_apps_.find(address.app);
    if (--app->second == 0) presence_apps_.erase(app);
  }
  channels_.remove(target.channel);
}

void RouteTable::drop_if_unused(TargetSlot slot) {
  const RouteTarget& target = targets_[slot];
  if (target.is_gone || target.name != nullptr || !target.members.empty()) return;
  leave_channel(slot);
  targets_.remove(slot);
}

// It is no longer visible; sweep() frees it.
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
