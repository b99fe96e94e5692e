#include <algorithm>
#include <string>

#include "module/commands/route/dispatch_entry.h"
#include "module/commands/route/route_commands.h"
#include "module/commands/route/route_requests.h"
#include "module/commands/route/route_upkeep.h"
#include "module/host/counters.h"
#include "module/host/log_type.h"
#include "module/log/log_object.h"

namespace millrace::module {

namespace {

// What goes to one transport.
struct Parcel {
  ByteView transport;
  uint64_t devices = 0;
  std::optional<abi::StringRef> log;  // nothing: it has no queue
  std::string entry;
  Offset offset;  // once it is written
};

// The log of pair number `i` / 2 among the queues.
abi::StringRef log_of(size_t i, const DispatchRequest& request, abi::Arguments arguments) {
  return arguments.string(2 + request.first_queue + i + 1);
}

std::optional<abi::StringRef> queue_of(ByteView transport, const DispatchRequest& request, abi::Arguments arguments) {
  for (size_t i = 0; i < request.queues.size(); i += 2) {
    if (request.queues[i] == transport) return log_of(i, request, arguments);
  }
  return std::nullopt;
}

std::vector<Parcel> parcels_of(const RouteTable& table, const DispatchRequest& request, abi::Arguments arguments) {
  const RouteMatcher& matcher = route_matcher();
  std::vector<Parcel> parcels;
  matcher.each_transport([&](TransportSlot transport, std::span<const RouteMatcher::Found> devices) {
    Parcel& parcel = parcels.emplace_back();
    parcel.transport = table.transports()[transport].name;
    parcel.devices = devices.size();
    parcel.log = queue_of(parcel.transport, request, arguments);
    if (parcel.log) parcel.entry = dispatch_entry(request, table, matcher, devices);
  });
  return parcels;
}

// All logs are looked at before the first one is written to, those of transports that nobody was found for among them:
// a name that is wrong shows at once, and not when the first device comes.
Result<void> may_write(abi::Context context, const DispatchRequest& request, abi::Arguments arguments,
                       const std::vector<Parcel>& parcels) {
  for (size_t i = 0; i < request.queues.size(); i += 2) {
    const abi::StringRef name = log_of(i, request, arguments);
    const auto key = LogKey::for_writing(context, name);
    if (!key) return std::unexpected(key.error());
    // Several transports may share a log.
    if (key->get() != nullptr && key->get()->room() < parcels.size()) {
      return fail(ErrorCode::Full, "the log " + quoted(name.view()) + " has used up its offsets");
    }
  }
  for (const Parcel& parcel : parcels) {
    if (parcel.entry.size() > kMaxPart) {
      return fail(ErrorCode::Range, "what would be dispatched is larger than 512 MiB");
    }
  }
  return {};
}

void write(abi::Context context, abi::StringRef tag, Parcel& parcel) {
  const ByteView pair[] = {tag.view(), parcel.entry};
  parcel.offset = *write_to_log(context, *parcel.log, {.backlog = std::nullopt, .pairs = pair});
  ++counters.route.dispatched;
}

// [[transport, devices, offset or null], ...]
void write_parcels(abi::Reply reply, const std::vector<Parcel>& parcels) {
  reply.array(parcels.size());
  for (const Parcel& parcel : parcels) {
    reply.array(3);
    reply.bytes(parcel.transport);
    reply.integer(static_cast<int64_t>(parcel.devices));
    parcel.log ? reply.integer(static_cast<int64_t>(parcel.offset.value())) : reply.null();
  }
}

}  // namespace

std::vector<size_t> route_dispatch_logs(abi::Arguments arguments) {
  std::vector<size_t> positions;
  const auto request = parse_route_dispatch(arguments.views(2));
  if (!request) return positions;
  for (size_t i = 1; i < request->queues.size(); i += 2) positions.push_back(2 + request->first_queue + i);
  return positions;
}

void route_dispatch(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_route_dispatch(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const auto key = RouteKey::for_reading(context, arguments.string(1));
  if (!key) return context.reply().error(key.error());
  const RouteTable nothing{HashKey{}};
  const RouteTable& table = key->get() != nullptr ? *key->get() : nothing;
  if (const auto matched = route_matcher().match(table, request->change, present(table)); !matched) {
    return context.reply().error(matched.error());
  }
  std::vector<Parcel> parcels = parcels_of(table, *request, arguments);
  if (const auto may = may_write(context, *request, arguments, parcels); !may) {
    return context.reply().error(may.error());
  }
  route_matcher().count(table);
  ++counters.route.matches;
  counters.route.matched += route_matcher().found().size();
  const abi::OwnedString tag(request->event);
  for (Parcel& parcel : parcels) {
    if (parcel.log) write(context, tag, parcel);
  }
  write_parcels(context.reply(), parcels);
}

}  // namespace millrace::module
