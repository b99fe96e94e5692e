// Reads the strings of a routing table.
#include "engine/route/route_codec.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/route/dispatch_answer.h"
#include "engine/route/route_strings.h"

namespace millrace {

namespace {

Result<void> restore_head(RouteTable& table, Decoder& in) {
  const uint64_t version = in.number();
  const UnixMs clock(in.number());
  const ByteView prefix = version == 1 ? ByteView() : read_text(in);
  if (!in.finished() || clock.value() > INT64_MAX) return corrupt("a routing table's head that is none");
  if (version == 0 || version > kTableVersion) return corrupt("a routing table of a version this module does not know");
  if (prefix.size() > kMaxQueuePrefix) return corrupt("a prefix of logs that is too long");
  table.tick(clock);
  table.set_presence_prefix(prefix);
  return {};
}

struct SavedDevice {
  DeviceName name;
  RouteTable::DeviceChange facts;
  UnixMs connected;
  UnixMs seen;
};

Result<SavedDevice> read_device(const RouteTable& table, Decoder& in) {
  const ByteView whole = read_text(in);
  const ByteView user = read_text(in);
  const ByteView agent = read_text(in);
  const UnixMs connected(in.number());
  const UnixMs seen(in.number());
  const uint64_t ttl_ms = in.number();
  const auto name = parse_device_name(whole);
  if (!in.ok()) return corrupt("devices of the wrong length");
  if (!name || !is_name(name->id) || !is_name(name->transport)) return corrupt("a device's name that is none");
  if ((!user.empty() && !is_name(user)) || agent.size() > kMaxAgent) {
    return corrupt("a device with a user or agent that is none");
  }
  // The head comes first, and nothing in a table is younger than its clock.
  if (connected > table.clock() || seen > table.clock() || ttl_ms > kMaxDurationMs) {
    return corrupt("a device beyond its table's time");
  }
  return SavedDevice{*name, {user, agent, ttl_ms}, connected, seen};
}

Result<void> restore_devices(RouteTable& table, Decoder& in) {
  std::vector<SavedDevice> devices;
  std::vector<ByteView> names;
  while (!in.finished()) {
    auto device = read_device(table, in);
    if (!device) return std::unexpected(device.error());
    devices.push_back(*device);
    names.push_back(device->name.whole);
  }
  std::ranges::sort(names);
  const auto is_known = [&](ByteView name) { return table.device(name, UnixMs()) != nullptr; };
  if (std::ranges::adjacent_find(names) != names.end() || std::ranges::any_of(names, is_known)) {
    return corrupt("a device that is there twice");
  }
  for (const SavedDevice& each : devices) table.restore_device(each.name, each.facts, each.connected, each.seen);
  return {};
}

// A filter as it was saved: parsed when it is first needed.
struct SavedBytes {
  ByteView bytes;
  SavedFilter saved;
  FilterDigest digest{};
};

Result<SavedBytes> read_saved(Decoder& in) {
  const ByteView digest = in.bytes(kDigestBytes);
  SavedBytes read;
  read.bytes = read_text(in);
  if (!in.ok()) return corrupt("a filter that is none");
  auto saved = SavedFilter::read(read.bytes);
  if (!saved) return std::unexpected(saved.error());
  read.saved = std::move(*saved);
  read.digest = filter_digest(read.saved.json());
  if (ByteView(read.digest.data(), kDigestBytes) != digest) return corrupt("a filter that is not what was saved");
  return read;
}

bool is_filter_name(ByteView name) { return is_name(name) && !looks_like_filter_id(name); }

struct SavedTarget {
  RouteChannel channel;
  TargetKind kind = TargetKind::Everything;
  ByteView name;
  // For a filter: its saved bytes, or the parsed filter.
  SavedBytes saved;
  Filter filter;
};

bool is_channel(const RouteChannel& channel) {
  return is_name(channel.app) && is_name(channel.model) && is_name(channel.user.value_or("-")) &&
         is_name(channel.id.value_or("-"));
}

Result<void> read_json(Decoder& in, SavedTarget& target) {
  auto read = parse_and_write_filter(read_text(in), kNormalFormLimits);
  if (!in.ok() || !read) return corrupt("a filter that is none");
  target.filter = std::move(read->filter);
  target.saved.digest = filter_digest(read->json);
  return {};
}

Result<SavedTarget> read_target(Decoder& in) {
  SavedTarget target;
  target.channel = read_channel(in);
  const uint64_t kind = in.number();
  if (!in.ok() || kind > static_cast<uint64_t>(TargetKind::NamedSavedFilter)) return corrupt("a target that is none");
  if (!is_channel(target.channel)) return corrupt("a channel's name that is none");
  target.kind = static_cast<TargetKind>(kind);
  if (is_named(target.kind)) target.name = read_text(in);
  if (is_named(target.kind) && !is_filter_name(target.name)) return corrupt("a filter's name that is none");
  if (target.kind == TargetKind::Everything) return target;
  if (is_saved(target.kind)) {
    auto saved = read_saved(in);
    if (!saved) return std::unexpected(saved.error());
    target.saved = std::move(*saved);
  } else if (const auto read = read_json(in, target); !read) {
    return std::unexpected(read.error());
  }
  return target;
}

struct SavedSubscription {
  DeviceSlot device;
  SubscriptionTerms terms;
};

bool is_there(const Device& device) { return device.is_used() && !device.is_gone; }

Result<SavedSubscription> read_subscription(const RouteTable& table, Decoder& in) {
  const uint64_t number = in.number();
  SubscriptionTerms terms;
  terms.ttl_ms = in.number();
  if (terms.ttl_ms != 0) terms.subscribed = UnixMs(in.number());
  if (!in.ok()) return corrupt("subscriptions of the wrong length");
  const DeviceSlot device(static_cast<uint32_t>(number));
  if (number >= table.devices().limit() || !is_there(table.device_at(device))) {
    return corrupt("a subscription of a device that is not there");
  }
  if (terms.ttl_ms > kMaxDurationMs || terms.subscribed > table.clock()) {
    return corrupt("a subscription beyond its table's time");
  }
  return SavedSubscription{device, terms};
}

Result<std::vector<SavedSubscription>> read_subscriptions(const RouteTable& table, Decoder& in) {
  std::vector<SavedSubscription> subscriptions;
  std::set<DeviceSlot> devices;
  while (!in.finished()) {
    const auto subscription = read_subscription(table, in);
    if (!subscription) return std::unexpected(subscription.error());
    if (!devices.insert(subscription->device).second) return corrupt("a subscription that is there twice");
    subscriptions.push_back(*subscription);
  }
  return subscriptions;
}

TargetSlot find_target(const RouteTable& table, const SavedTarget& saved) {
  if (saved.kind == TargetKind::Everything) return table.find_everything(saved.channel);
  if (is_named(saved.kind)) return table.find_filter_id(saved.channel, saved.name);
  return table.find_filter(saved.channel, saved.saved.digest);
}

TargetSlot make_target(RouteTable& table, const SavedTarget& saved) {
  switch (saved.kind) {
    case TargetKind::Everything:
      return table.everything(saved.channel);
    case TargetKind::Filter:
      return table.filtered(saved.channel, saved.filter, filter_json(saved.filter));
    case TargetKind::NamedFilter:
      table.set_filter(saved.channel, saved.name, saved.filter, filter_json(saved.filter));
      return table.find_filter_id(saved.channel, saved.name);
    case TargetKind::SavedFilter:
    case TargetKind::NamedSavedFilter:
      return table.restored_filter(saved.channel, saved.name, saved.saved.saved, saved.saved.bytes, saved.saved.digest);
  }
  return TargetSlot::none();
}

Result<void> restore_target(RouteTable& table, Decoder& in) {
  const auto target = read_target(in);
  if (!target) return std::unexpected(target.error());
  const auto subscriptions = read_subscriptions(table, in);
  if (!subscriptions) return std::unexpected(subscriptions.error());
  if (subscriptions->empty() && !is_named(target->kind)) return corrupt("a target of nobody");
  const TargetSlot known = find_target(table, *target);
  for (const SavedSubscription& each : *subscriptions) {
    if (known.is_some() && table.subscriptions().find(each.device, known).is_some()) {
      return corrupt("a subscription that is there twice");
    }
  }
  const TargetSlot slot = make_target(table, *target);
  for (const SavedSubscription& each : *subscriptions) table.restore_subscription(each.device, slot, each.terms);
  return {};
}

// One of the filters that are saved together.
struct FilterItem {
  ByteView name;
  SavedBytes filter;
  size_t first = 0;  // index of its first subscription
  size_t end = 0;
};

Result<FilterItem> read_filter_item(const RouteTable& table, Decoder& in,
                                    std::vector<SavedSubscription>& subscriptions) {
  FilterItem item;
  item.name = read_text(in);
  if (!item.name.empty() && !is_filter_name(item.name)) return corrupt("a filter's name that is none");
  auto filter = read_saved(in);
  if (!filter) return std::unexpected(filter.error());
  item.filter = std::move(*filter);
  const uint64_t count = in.number();
  if (!in.ok()) return corrupt("filters of the wrong length");
  if (count > kMostTogether || (count == 0 && item.name.empty())) return corrupt("a target of nobody, or of too many");
  item.first = subscriptions.size();
  for (uint64_t i = 0; i < count; ++i) {
    const auto each = read_subscription(table, in);
    if (!each) return std::unexpected(each.error());
    const auto is_same = [&](const SavedSubscription& other) { return other.device == each->device; };
    if (std::any_of(subscriptions.begin() + static_cast<ptrdiff_t>(item.first), subscriptions.end(), is_same)) {
      return corrupt("a subscription that is there twice");
    }
    subscriptions.push_back(*each);
  }
  item.end = subscriptions.size();
  return item;
}

// Whether a filter without a name occurs twice, or a name occurs twice.
bool has_twice(const std::vector<FilterItem>& items) {
  std::vector<std::pair<ByteView, FilterDigest>> seen;
  seen.reserve(items.size());
  for (const FilterItem& item : items) {
    seen.emplace_back(item.name, item.name.empty() ? item.filter.digest : FilterDigest());
  }
  std::ranges::sort(seen);
  return std::ranges::adjacent_find(seen) != seen.end();
}

Result<void> restore_filters(RouteTable& table, Decoder& in) {
  const RouteChannel channel = read_channel(in);
  if (!in.ok() || !is_channel(channel)) return corrupt("a channel's name that is none");
  std::vector<FilterItem> items;
  std::vector<SavedSubscription> subscriptions;
  while (!in.finished()) {
    auto item = read_filter_item(table, in, subscriptions);
    if (!item) return std::unexpected(item.error());
    items.push_back(std::move(*item));
  }
  if (items.empty()) return corrupt("filters of the wrong length");
  const ChannelSlot known_channel = table.find_channel(channel.key());
  const ChannelFilters* known = known_channel.is_none() ? nullptr : table.channel(known_channel).filters.get();
  bool shares_filters = false;
  if (known != nullptr) {
    for (const FilterItem& item : items) known->prefetch(item.filter.digest);
    for (const FilterItem& item : items) known->prefetch_found(item.filter.digest);
  }
  for (const FilterItem& item : items) {
    // Each name of a filter, and the filter without a name, may occur only once.
    const bool is_known = known != nullptr && known->find(item.filter.digest).is_some();
    shares_filters |= is_known || !item.name.empty();
    if (item.name.empty() ? is_known && table.find_filter(channel, item.filter.digest).is_some()
                          : known != nullptr && known->named().contains(item.name)) {
      return corrupt("a filter that is there twice");
    }
  }
  if (has_twice(items)) return corrupt("a filter that is there twice");
  const ChannelSlot slot = table.filters_of(channel);
  for (const FilterItem& item : items) {
    const TargetSlot target = table.restored_filter(slot, item.name, item.filter.saved, item.filter.bytes,
                                                    item.filter.digest, !shares_filters);
    for (size_t i = item.first; i < item.end; ++i) {
      table.restore_subscription(subscriptions[i].device, target, subscriptions[i].terms);
    }
  }
  return {};
}

Result<void> restore_dispatches(RouteTable& table, Decoder& in) {
  std::vector<std::pair<ByteView, ByteView>> dispatches;
  std::set<ByteView> ids;
  while (!in.finished()) {
    const ByteView id = read_text(in);
    const ByteView answer = read_text(in);
    if (!in.ok()) return corrupt("dispatches of the wrong length");
    if (!is_dispatch(id, answer)) return corrupt("a dispatch that is none");
    if (table.dispatches().find(id) != nullptr || !ids.insert(id).second) {
      return corrupt("a dispatch that is there twice");
    }
    dispatches.emplace_back(id, answer);
  }
  for (const auto& [id, answer] : dispatches) table.dispatches().add(id, answer);
  return {};
}

}  // namespace

Result<void> restore_route_part(RouteTable& table, ByteView bytes) {
  if (bytes.empty()) return corrupt("an empty part of a routing table");
  Decoder in(bytes.substr(1));
  switch (bytes.front()) {
    case kHeadString:
      return restore_head(table, in);
    case kDeviceString:
      return restore_devices(table, in);
    case kTargetString:
      return restore_target(table, in);
    case kFilterString:
      return restore_filters(table, in);
    case kDispatchString:
      return restore_dispatches(table, in);
    default:
      return corrupt("a part of a routing table that this module does not know");
  }
}

}  // namespace millrace
