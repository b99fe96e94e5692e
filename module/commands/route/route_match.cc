#include "module/commands/route/route_commands.h"
#include "module/commands/route/route_requests.h"
#include "module/commands/route/route_upkeep.h"
#include "module/host/counters.h"

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

void route_match(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_route_match(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const auto key = RouteKey::for_reading(context, arguments.string(1));
  if (!key) return context.reply().error(key.error());
  abi::Reply reply = context.reply();
  RouteMatcher& matcher = route_matcher();
  const RouteTable nothing{HashKey{}};
  const RouteTable& table = key->get() != nullptr ? *key->get() : nothing;
  if (const auto matched = matcher.match(table, request->change, present(table)); !matched) {
    return reply.error(matched.error());
  }
  matcher.count(table);
  ++counters.route.matches;
  counters.route.matched += matcher.found().size();

  reply.array_later();
  uint64_t transports = 0;
  matcher.each_transport([&](TransportSlot transport, std::span<const RouteMatcher::Found> devices) {
    ++transports;
    reply.array(2);
    reply.bytes(table.transports()[transport].name);
    reply.array(devices.size());
    for (const auto& each : devices) write_found(reply, table, matcher, each, request->with_channels);
  });
  reply.array_was(transports);
}

}  // namespace millrace::module
