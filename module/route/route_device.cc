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

// The filter's name or id; null for everything.
void write_filter_id(abi::Reply& reply, const RouteTable& table, const RouteTarget& target) {
  if (target.filter.is_none()) return reply.null();
  if (target.name != nullptr) return reply.bytes(*target.name);
  reply.bytes(filter_id(table.channel(target.channel).filters->json(target.filter)));
}

// [[channel, filter-id or null, ms until it ends or -1], ...]
void write_subscriptions(abi::Reply& reply, const RouteTable& table, const Device& device, UnixMs now, uint64_t most) {
  reply.array_later();
  uint64_t written = 0;
  for (SubscriptionSlot slot : device.subscriptions) {
    const auto end = table.end_of(slot);
    const RouteTarget& target = table.target(table.subscriptions()[slot].target);
    if (table.is_dead(slot, now)) continue;
    if (written == most) break;
    ++written;
    reply.array(3);
    reply.bytes(channel_of(table.channel(target.channel).key).name());
    write_filter_id(reply, table, target);
    reply.integer(ms_left(end, now));
  }
  reply.array_was(written);
}

}  // namespace

void RouteDeviceGet::show(abi::Reply reply, const Shown<RouteTable>& shown, const DeviceGetRequest& request) {
  if (shown.object == nullptr) return reply.null();
  const RouteTable& table = *shown.object;
  const UnixMs now = table.present(abi::now());
  const Device* device = table.device(request.device.whole, now);
  if (device == nullptr) return reply.null();

  reply.map(request.listed ? 8 : 7);
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
  write_subscriptions(reply, table, *device, now, *request.listed);
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
