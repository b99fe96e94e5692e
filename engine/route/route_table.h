// A routing table: devices and their subscriptions. It answers one question: which devices must get this change?
//
//   device d1|ws ---+                                   +--- app:shop:model:task, everything
//   device d2|ws ---+--- subscriptions, each with an ---+--- app:shop:model:task, {"prio":"high"}
//   device d1|mqtt -+    optional time to live          +--- app:shop:user:u7:model:task, everything
//                                                              targets, of channels
//
// Time is an argument, and the table's own clock never runs backwards. What has expired by that clock is no longer
// visible; sweep() frees its memory, some at a time. So tables that got the same calls at the same times give the same
// answers, even if one has swept more than the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/base/ordered_chunks.h"
#include "engine/base/recent_answers.h"
#include "engine/base/slots.h"
#include "engine/base/strong.h"
#include "engine/route/channel_filters.h"
#include "engine/route/failing_filters.h"
#include "engine/route/presence.h"
#include "engine/route/route_channel.h"
#include "engine/route/route_ids.h"
#include "engine/route/subscriptions.h"
#include "engine/route/top_channels.h"
#include "engine/route/transports.h"

namespace millrace {

// "device-id|transport", taken apart at the last bar. Neither part is empty.
struct DeviceName {
  ByteView whole;
  ByteView id;
  ByteView transport;
};
std::optional<DeviceName> parse_device_name(ByteView name);

// A time in which a device was not seen. Subscriptions with a shorter time to live have ended in it, even if the device
// was seen again later and sweep() has not removed them yet.
struct Silence {
  UnixMs begin;
  UnixMs end;
};

struct Device {
  std::string name;      // empty: an unused slot
  uint32_t id_size = 0;  // of the name
  TransportSlot transport;
  DeviceSlot previous_of_transport;
  DeviceSlot next_of_transport;
  std::string user;
  std::string agent;
  UnixMs connected;
  UnixMs seen;
  uint64_t ttl_ms = 0;  // 0: lives until it is deleted
  UnixMs due;           // its date in endings_
  bool is_gone = false;
  uint64_t shortest_ttl_ms = UINT64_MAX;  // of a subscription it has or had
  std::vector<Silence> silences;          // silences longer than that; stored as long as a subscription may have ended
                                          // in them
  DeviceSubscriptions subscriptions;

  bool is_used() const { return !name.empty(); }
  ByteView id() const { return ByteView(name).substr(0, id_size); }
  bool is_dead(UnixMs now) const { return is_gone || (ttl_ms != 0 && now >= seen + ttl_ms); }
};

// The fields of a device that a match needs. They are kept apart from the others because a match looks at many devices.
struct DeviceMark {
  uint32_t match = 0;     // the number of the last match that found it,
  uint32_t found_at = 0;  // and its index in the result
  TransportSlot transport;
  bool can_die = false;      // false: no need to check whether it is dead
  uint32_t id_size = 0;      // of the device's name,
  const char* id = nullptr;  // which begins with it
};

// What a device can subscribe to: all changes on a channel, or those that match a filter.
struct RouteTarget {
  ChannelSlot channel;
  FilterSlot filter;                  // none: everything
  TargetSlot next_of_filter;          // targets with a name may share the filter
  std::unique_ptr<std::string> name;  // by SETFILTER; such a target stays without subscriptions
  Members members;
  bool is_gone = false;

  bool is_used() const { return channel.is_some(); }
};

// The table's entry for one channel; RouteChannel is the channel's address.
struct ChannelEntry {
  std::string key;  // RouteChannel::key(); empty: an unused slot
  TargetSlot everything;
  uint32_t targets = 0;
  uint64_t members = 0;                     // of all its targets
  std::unique_ptr<ChannelFilters> filters;  // null: none
  mutable uint64_t heard = 0;               // number of changes since it was loaded

  bool is_used() const { return !key.empty(); }
};

// Where a listing of subscriptions continues. Members of a target are listed from the last to the first: when a member
// is removed, the last one takes its place, and that one was listed before.
struct SubscriberCursor {
  uint32_t filter = 0;  // 0: everything; else one more than the filter's slot
  TargetSlot target;
  uint32_t left = 0;  // of its members; 0: the beginning, or the end
};

struct RouteCounts {
  uint64_t devices = 0;
  uint64_t subscriptions = 0;
  uint64_t filters = 0;
  uint64_t channels = 0;
};

class RouteTable {
 public:
  // How many ids of dispatches are remembered at most, and how many bytes they may take.
  static constexpr size_t kMostDispatches = 10'000;
  static constexpr size_t kMostDispatchBytes = size_t{4} << 20;

  explicit RouteTable(const HashKey& key) : key_(key), dispatches_(key, kMostDispatches, kMostDispatchBytes) {}
  RouteTable(RouteTable&&) = default;
  RouteTable& operator=(RouteTable&&) = default;
  // An equal table, except that the counters of ROUTE.INFO start again.
  RouteTable clone() const;

  // True if nothing is left, not even something to sweep.
  bool empty() const { return devices_.size() == 0 && targets_.size() == 0 && presence_prefix_.empty(); }
  UnixMs clock() const { return clock_; }
  // The present for a reader, which does not move the clock: `now`, but never before the clock.
  UnixMs present(UnixMs now) const { return now > clock_ ? now : clock_; }
  // Moves the clock forward to `now`; true if it moved.
  bool tick(UnixMs now);

  // --- devices ---
  struct DeviceChange {
    std::optional<ByteView> user;
    std::optional<ByteView> agent;
    std::optional<uint64_t> ttl_ms;  // 0: none
  };
  // What is not named in the change stays as it was. True if the device is new.
  bool set_device(const DeviceName& name, const DeviceChange& change);
  bool touch(ByteView device);
  // Returns how many subscriptions were deleted with it; nullopt if there is no such device.
  std::optional<uint64_t> delete_device(ByteView device);
  // Renames a device, which keeps its subscriptions, and returns how many these are; nullopt if there is no such
  // device. REQUIRES: no living device has the new name
  std::optional<uint64_t> move_device(ByteView device, const DeviceName& to);
  // Deletes up to `most` devices of a transport, the latest first, and returns the names of those that were alive. The
  // others had expired.
  std::vector<std::string> delete_devices_of(ByteView transport, size_t most);
  bool has_devices_of(ByteView transport) const { return first_of(transport).is_some(); }
  // Null if there is none that lives at `now`.
  const Device* device(ByteView name, UnixMs now) const;
  // Subscriptions of it that live.
  uint64_t count_subscriptions(const Device& device, UnixMs now) const;

  // From `cursor` on looks at up to `count` places for devices, and calls visit(device) for each that lives. Returns
  // the next cursor, 0 at the end.
  template <class Visit>
  uint64_t scan_devices(uint64_t cursor, uint64_t count, UnixMs now, Visit visit) const {
    uint64_t at = cursor;
    for (; at < devices_.limit() && at - cursor < count; ++at) {
      const Device& each = devices_[DeviceSlot(static_cast<uint32_t>(at))];
      if (each.is_used() && !each.is_dead(now)) visit(each);
    }
    return at < devices_.limit() ? at : 0;
  }

  // --- subscriptions ---
  // False if the limit on subscriptions is reached.
  bool has_room() const { return subscriptions_.size() < kMaxSubscriptions; }
  // Makes a subscription, or renews an existing one, which keeps its time to live if none is given. A device that does
  // not exist is created. REQUIRES: has_room()
  void subscribe(const DeviceName& device, TargetSlot target, std::optional<uint64_t> ttl_ms);
  bool unsubscribe(ByteView device, TargetSlot target);

  // --- targets ---
  // none() if it does not exist.
  TargetSlot find_everything(const RouteChannel& channel) const;
  TargetSlot find_filter(const RouteChannel& channel, const FilterDigest& digest) const;
  TargetSlot find_filter(const RouteChannel& channel, ByteView normal_json) const {
    return find_filter(channel, filter_digest(normal_json));
  }
  // By name, or by the id of a filter without one.
  TargetSlot find_filter_id(const RouteChannel& channel, ByteView id) const;
  // The same, but created if there is none. The caller must subscribe to a target without a name at once.
  TargetSlot everything(const RouteChannel& channel);
  // `digest` is that of the filter's normal form.
  TargetSlot filtered(const RouteChannel& channel, const Filter& filter, const FilterDigest& digest);
  TargetSlot filtered(const RouteChannel& channel, const Filter& filter, ByteView normal_json) {
    return filtered(channel, filter, filter_digest(normal_json));
  }
  // A target with a filter that was saved (saved_filter.h); `name` is empty for a filter without a name. `saved` was
  // read from `bytes`, and `digest` is that of its JSON.
  TargetSlot restored_filter(const RouteChannel& channel, ByteView name, const SavedFilter& saved, ByteView bytes,
                             const FilterDigest& digest) {
    return restored_filter(filters_of(channel), name, saved, bytes, digest);
  }
  // The same for many filters of one channel. filters_of() creates the channel if it is missing; the caller must add a
  // target at once. `is_new`: the channel does not have this filter yet, under any name.
  ChannelSlot filters_of(const RouteChannel& channel);
  TargetSlot restored_filter(ChannelSlot channel, ByteView name, const SavedFilter& saved, ByteView bytes,
                             const FilterDigest& digest, bool is_new = false);
  // Whether a client can see the target at `now`: it has a name, or a subscription that is alive. A target without
  // either may already be swept in another table that got the same calls. O(N) with N subscriptions that have died and
  // are not swept.
  bool is_there(TargetSlot target, UnixMs now) const;

  // Gives the filter a name. Devices that have subscribed to the name get changes by the new filter from now on.
  void set_filter(const RouteChannel& channel, ByteView name, const Filter& filter, ByteView normal_json);
  // Returns how many subscriptions were deleted with it. REQUIRES: a target with a filter
  uint64_t delete_target(TargetSlot target);

  // What a client calls the filter of a target: its name, or its id. REQUIRES: a target with a filter
  std::string filter_name(const RouteTarget& target) const;
  // From `cursor` on looks at up to `count` filters of the channel, and calls visit(name or id, normal json) for each
  // target that has one. Returns the next cursor, 0 at the end.
  template <class Visit>
  uint64_t scan_filters(const RouteChannel& channel, uint64_t cursor, uint64_t count, Visit visit) const;
  // The same for subscriptions, of the channel or of one target on it: looks at up to `count`, and calls
  // visit(device, target) for each that lives.
  template <class Visit>
  SubscriberCursor scan_subscribers(const RouteChannel& channel, TargetSlot only, SubscriberCursor cursor,
                                    uint64_t count, UnixMs now, Visit visit) const;

  // --- time --- Frees up to `most` things that have expired. True if more is left.
  bool sweep(size_t most);
  // When sweep() will next have something to do, or now if the table is empty; nullopt if never.
  std::optional<UnixMs> next_date() const;
  // Compiles up to `most` filters that were saved. False once none is left.
  bool compile_some(size_t most);
  // When sweep() or compile_some() will next have something to do; nullopt if never.
  std::optional<UnixMs> upkeep_date() const { return is_compiled_ ? next_date() : clock_; }
  // When a subscription ends if it is not renewed; nullopt if never.
  std::optional<UnixMs> end_of(SubscriptionSlot slot) const;
  bool is_dead(SubscriptionSlot slot, UnixMs now) const;
  // The same for one of a target that is not gone.
  bool is_member_dead(const Member& member, UnixMs now) const;

  // --- dispatches that were sent with an id ---
  const RecentAnswers& dispatches() const { return dispatches_; }
  RecentAnswers& dispatches() { return dispatches_; }

  // --- presence --- The devices that have come and gone since the last call; clears the list.
  std::vector<PresenceChange> take_presence() { return std::exchange(presence_, {}); }
  // Presence is dispatched to the log whose name is this prefix followed by the transport. Empty: it is not dispatched.
  const std::string& presence_prefix() const { return presence_prefix_; }
  void set_presence_prefix(ByteView prefix) { presence_prefix_ = prefix; }
  // The apps that have channels of presence.
  const std::map<std::string, uint32_t, std::less<>>& presence_apps() const { return presence_apps_; }

  // --- reading --- Includes what has expired and is not swept yet, but not what was deleted.
  RouteCounts counts() const;
  ChannelSlot find_channel(ByteView key) const;
  const ChannelEntry& channel(ChannelSlot slot) const { return channels_[slot]; }
  const Slots<ChannelEntry, ChannelSlot>& channels() const { return channels_; }
  const RouteTarget& target(TargetSlot slot) const { return targets_[slot]; }
  const Slots<RouteTarget, TargetSlot>& targets() const { return targets_; }
  const Device& device_at(DeviceSlot slot) const { return devices_[slot]; }
  // As device_at(slot).id(), without looking at the device.
  ByteView device_id(DeviceSlot slot) const { return {marks_[slot.value()].id, marks_[slot.value()].id_size}; }
  const Slots<Device, DeviceSlot>& devices() const { return devices_; }
  const Subscriptions& subscriptions() const { return subscriptions_; }
  const Transports& transports() const { return transports_; }
  const TopChannels& top_channels() const { return top_; }
  const FailingFilters& failing_filters() const { return failing_; }
  uint64_t matches() const { return matches_; }

  // --- as a value --- Adds a part of a saved table; see route_codec.h. REQUIRES: it is not there yet.
  DeviceSlot restore_device(const DeviceName& name, const DeviceChange& change, UnixMs connected, UnixMs seen);
  void restore_subscription(DeviceSlot device, TargetSlot target, const SubscriptionTerms& terms);

  // The approximate number of allocations.
  uint64_t parts() const { return devices_.limit() + targets_.limit() + channels_.limit(); }
  uint64_t memory() const;
  // Frees a part; false once nothing is left. REQUIRES: after it, only free_some() and the destructor are called
  bool free_some();
  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  friend class RouteMatcher;

  // The date at which a device or a subscription expires.
  struct Ending {
    UnixMs date;
    uint64_t what;  // twice the slot; and one for a subscription
    friend auto operator<=>(const Ending&, const Ending&) = default;
  };
  static constexpr Ending ending_of(const Ending& ending) { return ending; }
  static uint64_t of_device(DeviceSlot slot) { return uint64_t{slot.value()} * 2; }
  static uint64_t of_subscription(SubscriptionSlot slot) { return uint64_t{slot.value()} * 2 + 1; }

  uint32_t hash(ByteView bytes) const { return static_cast<uint32_t>(keyed_hash(key_, bytes)); }
  // Up to this number, the subscriptions of a device or a filter are counted one by one; above it, expired ones that
  // are not swept yet count, too.
  static constexpr size_t kMostCounted = 10'000;

  DeviceSlot find_device(ByteView name) const;
  // none() if the transport has no devices.
  DeviceSlot first_of(ByteView transport) const;
  DeviceSlot device_or_new(const DeviceName& name);
  void bury(DeviceSlot slot, PresenceChange::Kind why);
  void join_transport(DeviceSlot slot, ByteView transport);
  void leave_transport(DeviceSlot slot);
  void note_presence(PresenceChange::Kind kind, const Device& device);
  void change_ttl(DeviceSlot slot, uint64_t ttl_ms);
  void set_terms(SubscriptionSlot slot, uint64_t ttl_ms);
  // Records that the device was seen now.
  void show(Device& device);
  static UnixMs end_of(const SubscriptionTerms& terms, const Device& device);
  static bool is_over(const SubscriptionTerms& terms, const Device& device, UnixMs now);
  void expect_end(uint64_t what, UnixMs& due, UnixMs date);
  void expect_no_end(uint64_t what, UnixMs& due);

  ChannelSlot channel_or_new(const RouteChannel& channel);
  TargetSlot new_target(ChannelSlot channel);
  void attach(TargetSlot target, FilterSlot filter);
  void detach(TargetSlot target);
  FilterSlot filter_or_new(ChannelSlot channel, const Filter& filter, const FilterDigest& digest);
  TargetSlot without_name(ChannelSlot channel, FilterSlot filter) const;
  // The target of a filter without a name; created if there is none.
  TargetSlot target_of(ChannelSlot channel, FilterSlot filter);
  TargetSlot named_target(ChannelSlot channel, ByteView name, FilterSlot filter);
  // Removes the target from its channel; the channel is removed with its last target.
  void leave_channel(TargetSlot slot);
  void drop_if_unused(TargetSlot slot);
  SubscriptionSlot add_subscription(DeviceSlot device, TargetSlot target);
  void remove_subscription(SubscriptionSlot slot);

  bool free_channel();
  void sweep_ending();
  void sweep_device(DeviceSlot slot, size_t& left);
  void sweep_target(TargetSlot slot, size_t& left);

  HashKey key_;
  UnixMs clock_;
  Slots<Device, DeviceSlot> devices_;
  mutable std::vector<DeviceMark> marks_;  // by device
  HashIndex<DeviceSlot> by_name_;
  Transports transports_;
  Slots<ChannelEntry, ChannelSlot> channels_;
  HashIndex<ChannelSlot> by_key_;
  Slots<RouteTarget, TargetSlot> targets_;
  Subscriptions subscriptions_;
  OrderedChunks<Ending, ending_of> endings_;
  std::vector<DeviceSlot> gone_devices_;
  std::vector<TargetSlot> gone_targets_;
  uint64_t buried_subscriptions_ = 0;  // how many of subscriptions_ were deleted and are not swept yet
  uint64_t filters_ = 0;
  // Whether all filters are compiled. If not, those of the first `compiled_channels_` channels are.
  bool is_compiled_ = true;
  uint32_t compiled_channels_ = 0;
  RecentAnswers dispatches_;
  std::string presence_prefix_;
  std::map<std::string, uint32_t, std::less<>> presence_apps_;  // with how many channels of presence each has
  std::vector<PresenceChange> presence_;
  mutable uint32_t match_number_ = 0;
  mutable uint64_t matches_ = 0;
  mutable TopChannels top_;
  mutable FailingFilters failing_;
};

template <class Visit>
uint64_t RouteTable::scan_filters(const RouteChannel& channel, uint64_t cursor, uint64_t count, Visit visit) const {
  const ChannelSlot slot = find_channel(channel.key());
  if (slot.is_none() || channels_[slot].filters == nullptr) return 0;
  const ChannelFilters& filters = *channels_[slot].filters;
  uint64_t at = cursor;
  for (; at < filters.limit() && at - cursor < count; ++at) {
    const FilterSlot filter(static_cast<uint32_t>(at));
    TargetSlot target = filters.first_target(filter);
    if (target.is_none()) continue;
    const std::string json = filters.json(filter);
    for (; target.is_some(); target = targets_[target].next_of_filter) visit(filter_name(targets_[target]), json);
  }
  return at < filters.limit() ? at : 0;
}

template <class Visit>
SubscriberCursor RouteTable::scan_subscribers(const RouteChannel& channel, TargetSlot only, SubscriberCursor cursor,
                                              uint64_t count, UnixMs now, Visit visit) const {
  const ChannelSlot slot = find_channel(channel.key());
  if (slot.is_none()) return {};
  const ChannelEntry& entry = channels_[slot];
  const uint32_t limit = entry.filters == nullptr ? 1 : entry.filters->limit() + 1;
  for (uint32_t at = only.is_none() ? cursor.filter : targets_[only].filter.value() + 1; at < limit; ++at) {
    TargetSlot target = at == 0 ? entry.everything : entry.filters->first_target(FilterSlot(at - 1));
    for (; target.is_some(); target = targets_[target].next_of_filter) {
      if (only.is_some() && target != only) continue;
      // A page that ended within a target continues with that target.
      if (cursor.left != 0 && cursor.filter == at && target != cursor.target) continue;
      const Members& members = targets_[target].members;
      size_t left = std::exchange(cursor.left, 0);
      left = left == 0 ? members.size() : std::min<size_t>(left, members.size());
      for (; left > 0; --left, --count) {
        if (count == 0) return {at, target, static_cast<uint32_t>(left)};
        const Member& member = members[left - 1];
        if (!is_member_dead(member, now)) visit(devices_[member.device()], targets_[target]);
      }
    }
    cursor.left = 0;
    if (only.is_some()) break;
  }
  return {};
}

}  // namespace millrace
