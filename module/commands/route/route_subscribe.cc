#include "module/commands/route/route_commands.h"
#include "module/commands/route/route_requests.h"
#include "module/commands/route/route_upkeep.h"

namespace millrace::module {

namespace {

// What a request is about; none() if it does not exist.
TargetSlot find_target(const RouteTable& table, const RouteSubscribeRequest& request) {
  if (request.filter_id) return table.find_filter_id(request.channel, *request.filter_id);
  if (request.filter) return table.find_filter(request.channel, request.filter->json);
  return table.find_everything(request.channel);
}

TargetSlot target_or_new(RouteTable& table, const RouteSubscribeRequest& request) {
  if (request.filter_id) return table.find_filter_id(request.channel, *request.filter_id);
  if (request.filter) return table.filtered(request.channel, request.filter->filter, request.filter->json);
  return table.everything(request.channel);
}

Result<void> may_subscribe(const RouteTable* table, const RouteSubscribeRequest& request) {
  if (table != nullptr && !table->has_room()) {
    return fail(ErrorCode::Full, "the table has all subscriptions it can have");
  }
  if (request.filter_id && (table == nullptr || find_target(*table, request).is_none())) {
    return fail(ErrorCode::NoFilter,
                "no filter " + quoted(*request.filter_id) + " on " + request.channel.name() +
                    (looks_like_filter_id(*request.filter_id) ? "; subscribe with FILTER and its JSON"
                                                              : "; ROUTE.SETFILTER makes one"));
  }
  return {};
}

}  // namespace

void route_subscribe(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_route_subscribe(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  auto visit = RouteVisit::open(context, arguments.string(1));
  if (!visit) return context.reply().error(visit.error());
  if (const auto may = may_subscribe(visit->untouched(), *request); !may) return context.reply().error(may.error());

  RouteTable& table = visit->table();
  table.subscribe(request->device, target_or_new(table, *request), request->ttl_ms);
  abi::Reply reply = context.reply();
  reply.array(2);
  reply.bytes(request->channel.name());
  if (request->filter_id) {
    reply.bytes(*request->filter_id);
  } else if (request->filter) {
    reply.bytes(filter_id(request->filter->json));
  } else {
    reply.null();
  }
  visit->finish("route.subscribe");
}

void route_unsubscribe(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_route_unsubscribe(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  auto visit = RouteVisit::open(context, arguments.string(1));
  if (!visit) return context.reply().error(visit.error());
  RouteTable* table = visit->existing();
  const TargetSlot target = table == nullptr ? TargetSlot::none() : find_target(*table, *request);
  if (target.is_none() || !table->unsubscribe(request->device.whole, target)) return context.reply().integer(0);
  context.reply().integer(1);
  visit->finish("route.unsubscribe");
}

}  // namespace millrace::module
