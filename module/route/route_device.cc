#include <algorithm>
#include <string>
#include <vector>

#include "module/route/route_shows.h"

namespace millrace::module {

namespace {

void write_optional(abi::Reply& reply, const std::string& text) { text.empty() ? reply.null() : reply.bytes(text); }

int64_t ms_left(std::optional<UnixMs> end, UnixMs now) {
  if (!end) return -1;
  return *end > now ? static_cast<int64_t>(*end - now) : 0;
}

// [[channel, filter-id or null, ms until it ends or -1], ...]. From the last to the first: when a subscription is
// removed, the last one takes its place, and that one was already listed. Returns the next cursor: how many are left.
uint64_t write_subscriptions(abi::Reply& reply, const RouteTable& table, const Device& device, UnixMs now,
                             const DeviceGetRequest& request) {
  const uint64_t all = device.subscriptions.size();
  uint64_t left = request.cursor == 0 ? all : std::min(request.cursor, all);
  reply.array_later();
  uint64_t written = 0;
  for (uint64_t looked_at = 0; left > 0 && looked_at < *request.listed; ++looked_at) {
    const SubscriptionSlot slot = device.subscriptions[--left];
    if (table.is_dead(slot, now)) continue;
    const RouteTarget& target = table.target(table.subscriptions()[slot].target);
    ++written;
    reply.array(3);
    reply.bytes(channel_of(table.channel(target.channel).key).name());
    target.filter.is_none() ? reply.null() : reply.bytes(table.filter_name(target));
    reply.integer(ms_left(table.end_of(slot), now));
  }
  reply.array_was(written);
  return left;
}

}  // namespace

void RouteDeviceGet::show(abi::Reply reply, const Shown<RouteTable>& shown, const DeviceGetRequest& request) {
  if (shown.object == nullptr) return reply.null();
  const RouteTable& table = *shown.object;
  const UnixMs now = table.present(abi::now());
  const Device* device = table.device(request.device.whole, now);
  if (device == nullptr) return reply.null();

  reply.map(request.listed ? 9 : 7);
  reply.bytes("user");
  write_optional(reply, device->user);
  reply.bytes("transport");
  reply.bytes(table.transports()[device->transport].name);
  reply.bytes("agent");
  write_optional(reply, device->agent);
  reply.bytes("connected-at");
  reply.integer(static_cast<int64_t>(device->connected.value()));
  reply.bytes("last-seen");
  reply.integer(static_cast<int64_t>(device->seen.value()));
  reply.bytes("subscriptions");
  reply.integer(static_cast<int64_t>(table.count_subscriptions(*device, now)));
  reply.bytes("ttl");
  reply.integer(device->ttl_ms == 0 ? -1 : ms_left(device->seen + device->ttl_ms, now));
  if (!request.listed) return;
  reply.bytes("subscribed-to");
  const uint64_t cursor = write_subscriptions(reply, table, *device, now, request);
  reply.bytes("cursor");
  reply.bytes(std::to_string(cursor));
}

void RouteDeviceList::show(abi::Reply reply, const Shown<RouteTable>& shown, const DeviceListRequest& request) {
  std::vector<const Device*> found;
  uint64_t cursor = 0;
  if (const RouteTable* table = shown.object) {
    const TransportSlot transport =
        request.transport ? table->transports().find(*request.transport) : TransportSlot::none();
    cursor = table->scan_devices(request.cursor, request.count, table->present(abi::now()), [&](const Device& device) {
      if (request.transport && device.transport != transport) return;
      if (!request.user || device.user == *request.user) found.push_back(&device);
    });
  }
  reply.array(2);
  reply.bytes(std::to_string(cursor));
  reply.array(found.size());
  for (const Device* device : found) reply.bytes(device->name);
}

}  // namespace millrace::module
