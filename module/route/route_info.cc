#include "module/route/route_shows.h"

namespace millrace::module {

namespace {

void field(abi::Reply& reply, const char* name, uint64_t value) {
  reply.bytes(name);
  reply.integer(static_cast<int64_t>(value));
}

void write_transports(abi::Reply& reply, const Transports& transports) {
  reply.map(transports.by_name().size());
  for (const auto& [name, slot] : transports.by_name()) {
    reply.bytes(name);
    reply.map(2);
    field(reply, "devices", transports[slot].devices);
    field(reply, "matched", transports[slot].matched);
  }
}

void write_top_channels(abi::Reply& reply, const RouteTable& table) {
  reply.array(table.top_channels().entries().size());
  for (const TopChannels::Entry& entry : table.top_channels().entries()) {
    const ChannelEntry& channel = table.channel(entry.channel);
    reply.map(3);
    reply.bytes("channel");
    reply.bytes(channel_of(channel.key).name());
    field(reply, "changes", entry.changes);
    field(reply, "subscriptions", channel.members);
  }
}

// A filter that could not be evaluated; or a field that had too many values, for all filters that look at it.
void write_failing_filters(abi::Reply& reply, const RouteTable& table) {
  reply.array(table.failing_filters().entries().size());
  for (const FailingFilters::Entry& entry : table.failing_filters().entries()) {
    const ChannelEntry& channel = table.channel(entry.channel);
    reply.map(6);
    reply.bytes("channel");
    reply.bytes(channel_of(channel.key).name());
    reply.bytes("filter");
    entry.filter.is_none() ? reply.null() : reply.bytes(channel.filters->id(entry.filter));
    reply.bytes("field");
    entry.filter.is_none() ? reply.bytes(entry.field) : reply.null();
    reply.bytes("reason");
    reply.bytes(trouble_name(entry.trouble));
    field(reply, "failures", entry.failures);
    field(reply, "last-at", entry.last.value());
  }
}

}  // namespace

void RouteInfo::show(abi::Reply reply, const Shown<RouteTable>& shown, NoRequest) {
  if (shown.object == nullptr) return reply.null();
  const RouteTable& table = *shown.object;
  const RouteCounts counts = table.counts();
  reply.map(11);
  field(reply, "devices", counts.devices);
  field(reply, "subscriptions", counts.subscriptions);
  field(reply, "filters", counts.filters);
  field(reply, "channels", counts.channels);
  field(reply, "matches", table.matches());
  field(reply, "dispatch-ids", table.dispatches().size());
  field(reply, "filter-failures", table.failing_filters().failures());
  reply.bytes("transports");
  write_transports(reply, table.transports());
  reply.bytes("top-channels");
  write_top_channels(reply, table);
  reply.bytes("failing-filters");
  write_failing_filters(reply, table);
  reply.bytes("presence-queues");
  table.presence_prefix().empty() ? reply.null() : reply.bytes(table.presence_prefix());
}

}  // namespace millrace::module
