// Writes the strings of a routing table, and its facts.
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/route/route_codec.h"
#include "engine/route/route_strings.h"

namespace millrace {

namespace {

// Writes the devices, and returns the number of each living device by its slot.
std::vector<uint32_t> encode_devices(const RouteTable& table, const std::function<void(ByteView)>& emit) {
  std::vector<uint32_t> numbers(table.devices().limit(), UINT32_MAX);
  uint32_t next = 0;
  std::string bytes;
  for (DeviceSlot slot : table.devices().all()) {
    const Device& device = table.device_at(slot);
    if (!device.is_used() || device.is_dead(table.clock())) continue;
    numbers[slot.value()] = next++;
    if (bytes.empty()) bytes = kDeviceString;
    append_text(bytes, device.name);
    append_text(bytes, device.user);
    append_text(bytes, device.agent);
    append_varint(bytes, device.connected.value());
    append_varint(bytes, device.seen.value());
    append_varint(bytes, device.ttl_ms);
    if (bytes.size() > kStringBytes) emit(std::exchange(bytes, {}));
  }
  if (!bytes.empty()) emit(bytes);
  return numbers;
}

// The beginning of a target's string.
std::string target_head(const RouteTable& table, const RouteTarget& target) {
  std::string bytes(1, kTargetString);
  const ChannelEntry& channel = table.channel(target.channel);
  bytes += channel.key;
  const TargetKind kind = target.filter.is_none()  ? TargetKind::Everything
                          : target.name != nullptr ? TargetKind::NamedSavedFilter
                                                   : TargetKind::SavedFilter;
  append_varint(bytes, static_cast<uint64_t>(kind));
  if (target.name != nullptr) append_text(bytes, *target.name);
  if (target.filter.is_none()) return bytes;
  bytes.append(channel.filters->digest(target.filter).data(), kDigestBytes);
  append_text(bytes, channel.filters->saved(target.filter));
  return bytes;
}

void append_member(std::string& to, const RouteTable& table, const Member& member,
                   const std::vector<uint32_t>& numbers) {
  append_varint(to, numbers[member.device().value()]);
  const SubscriptionTerms* terms = table.subscriptions().terms(member.subscription());
  append_varint(to, terms == nullptr ? 0 : terms->ttl_ms);
  if (terms != nullptr) append_varint(to, terms->subscribed.value());
}

void encode_target(const RouteTable& table, const RouteTarget& target, const std::vector<uint32_t>& numbers,
                   const std::function<void(ByteView)>& emit) {
  const std::string head = target_head(table, target);
  std::string bytes = head;
  bool has_any = target.name != nullptr;
  for (const Member& member : target.members) {
    if (table.is_member_dead(member, table.clock())) continue;
    has_any = true;
    append_member(bytes, table, member, numbers);
    if (bytes.size() < head.size() + kStringBytes) continue;
    emit(std::exchange(bytes, head));
    has_any = false;
  }
  if (has_any) emit(bytes);
}

void append_filter_item(std::string& to, const RouteTable& table, const RouteTarget& target,
                        const std::vector<uint32_t>& numbers) {
  const ChannelFilters& filters = *table.channel(target.channel).filters;
  std::string members;
  uint64_t count = 0;
  for (const Member& member : target.members) {
    if (table.is_member_dead(member, table.clock())) continue;
    ++count;
    append_member(members, table, member, numbers);
  }
  if (count == 0 && target.name == nullptr) return;
  append_text(to, target.name == nullptr ? ByteView() : ByteView(*target.name));
  to.append(filters.digest(target.filter).data(), kDigestBytes);
  append_text(to, filters.saved(target.filter));
  append_varint(to, count);
  to += members;
}

// Targets grouped by channel, the channels in the order of their first targets. So a table that was loaded is saved in
// the same order again.
std::vector<TargetSlot> targets_by_channel(const RouteTable& table) {
  std::vector<uint32_t> first(table.channels().limit(), UINT32_MAX);  // of each channel
  std::vector<std::pair<uint32_t, TargetSlot>> ordered;
  for (TargetSlot slot : table.targets().all()) {
    const RouteTarget& target = table.target(slot);
    if (!target.is_used() || target.is_gone) continue;
    uint32_t& order = first[target.channel.value()];
    order = std::min(order, slot.value());
    ordered.emplace_back(order, slot);
  }
  std::ranges::sort(ordered);
  std::vector<TargetSlot> slots;
  slots.reserve(ordered.size());
  for (const auto& [order, slot] : ordered) slots.push_back(slot);
  return slots;
}

// Filters with few subscriptions, many of a channel in one string.
class FilterStrings {
 public:
  FilterStrings(const RouteTable& table, const std::vector<uint32_t>& numbers,
                const std::function<void(ByteView)>& emit)
      : table_(table), numbers_(numbers), emit_(emit) {}

  // Starts the filters of this channel.
  void go_to(ChannelSlot channel) {
    if (channel_ != channel) end();
    channel_ = channel;
  }
  void add(const RouteTarget& target) {
    if (bytes_.size() > kStringBytes) end();
    if (bytes_.empty()) {
      bytes_ = kFilterString + table_.channel(channel_).key;
      head_ = bytes_.size();
    }
    append_filter_item(bytes_, table_, target, numbers_);
  }
  void end() {
    if (bytes_.size() > head_) emit_(bytes_);
    bytes_.clear();
    head_ = 0;
  }

 private:
  const RouteTable& table_;
  const std::vector<uint32_t>& numbers_;
  const std::function<void(ByteView)>& emit_;
  ChannelSlot channel_;
  std::string bytes_;
  size_t head_ = 0;
};

void encode_dispatches(const RouteTable& table, const std::function<void(ByteView)>& emit) {
  std::string bytes;
  table.dispatches().each([&](ByteView id, ByteView answer) {
    if (bytes.empty()) bytes = kDispatchString;
    append_text(bytes, id);
    append_text(bytes, answer);
    if (bytes.size() > kStringBytes) emit(std::exchange(bytes, {}));
  });
  if (!bytes.empty()) emit(bytes);
}

}  // namespace

void encode_route_table(const RouteTable& table, const std::function<void(ByteView)>& emit) {
  std::string head(1, kHeadString);
  append_varint(head, kTableVersion);
  append_varint(head, table.clock().value());
  append_text(head, table.presence_prefix());
  emit(head);
  const std::vector<uint32_t> numbers = encode_devices(table, emit);
  FilterStrings together(table, numbers, emit);
  for (TargetSlot slot : targets_by_channel(table)) {
    const RouteTarget& target = table.target(slot);
    together.go_to(target.channel);
    if (target.filter.is_some() && target.members.size() <= kMostTogether) {
      together.add(target);
    } else {
      encode_target(table, target, numbers, emit);
    }
  }
  together.end();
  encode_dispatches(table, emit);
}

namespace {

// The beginning of a target's fact: a filter is represented by the digest of its normal form.
std::string fact_head(const RouteTable& table, const RouteTarget& target) {
  const ChannelEntry& channel = table.channel(target.channel);
  std::string bytes(1, kTargetString);
  bytes += channel.key;
  bytes += target.filter.is_none() ? '0' : target.name == nullptr ? '1' : '2';
  if (target.name != nullptr) append_text(bytes, *target.name);
  if (target.filter.is_none()) return bytes;
  const FilterDigest& digest = channel.filters->digest(target.filter);
  return bytes.append(digest.data(), digest.size());
}

}  // namespace

void each_fact(const RouteTable& table, const std::function<void(ByteView)>& visit) {
  std::string fact;
  for (DeviceSlot slot : table.devices().all()) {
    const Device& device = table.device_at(slot);
    if (!device.is_used() || device.is_dead(table.clock())) continue;
    fact = kDeviceString;
    for (ByteView text : {ByteView(device.name), ByteView(device.user), ByteView(device.agent)}) {
      append_text(fact, text);
    }
    for (uint64_t number : {device.connected.value(), device.seen.value(), device.ttl_ms}) append_varint(fact, number);
    visit(fact);
  }
  for (TargetSlot slot : table.targets().all()) {
    const RouteTarget& target = table.target(slot);
    if (!target.is_used() || target.is_gone) continue;
    const std::string head = fact_head(table, target);
    if (target.name != nullptr) visit(head);
    for (const Member& member : target.members) {
      if (table.is_member_dead(member, table.clock())) continue;
      fact = head;
      append_text(fact, table.device_at(member.device()).name);
      const SubscriptionTerms* terms = table.subscriptions().terms(member.subscription());
      append_varint(fact, terms == nullptr ? 0 : terms->ttl_ms);
      if (terms != nullptr) append_varint(fact, terms->subscribed.value());
      visit(fact);
    }
  }
  // In their order, which decides what is dropped first.
  uint64_t number = 0;
  table.dispatches().each([&](ByteView id, ByteView answer) {
    fact = kDispatchString;
    append_varint(fact, number++);
    append_text(fact, id);
    append_text(fact, answer);
    visit(fact);
  });
  if (!table.presence_prefix().empty()) visit(kHeadString + table.presence_prefix());
}

}  // namespace millrace
