#include <bit>

#include "module/route/route_shows.h"

namespace millrace::module {

namespace {

void write_channels(abi::Reply& reply, const RouteMatcher& matcher, uint8_t channels) {
  reply.array(static_cast<uint64_t>(std::popcount(channels)));
  for (size_t i = 0; i < matcher.patterns().size(); ++i) {
    if ((channels >> i & 1) != 0) reply.bytes(matcher.patterns()[i].name());
  }
}

// device, or [device, meaning], [device, channels], [device, meaning, channels]
void write_found(abi::Reply& reply, const RouteTable& table, const RouteMatcher& matcher,
                 const RouteMatcher::Found& found, bool with_channels) {
  const auto meaning = matcher.meaning(found);
  if (meaning || with_channels) reply.array(1 + uint64_t{meaning.has_value()} + uint64_t{with_channels});
  reply.bytes(table.device_id(found.device));
  if (meaning) reply.bytes(meaning_name(*meaning));
  if (with_channels) write_channels(reply, matcher, found.channels);
}

}  // namespace

void RouteMatch::show(abi::Reply reply, const Shown<RouteTable>& shown, const MatchRequest& request) {
  const auto matched = route_operations().match(shown.object, request.change, abi::now());
  if (!matched) return reply.error(matched.error());
  const auto& [table, matcher] = *matched;
  reply.array_later();
  uint64_t transports = 0;
  matcher.each_transport([&](TransportSlot transport, std::span<const RouteMatcher::Found> devices) {
    ++transports;
    reply.array(2);
    reply.bytes(table.transports()[transport].name);
    reply.array(devices.size());
    for (const auto& each : devices) write_found(reply, table, matcher, each, request.with_channels);
  });
  reply.array_was(transports);
}

}  // namespace millrace::module
