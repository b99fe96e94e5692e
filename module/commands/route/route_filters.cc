#include "module/commands/route/route_commands.h"
#include "module/commands/route/route_requests.h"
#include "module/commands/route/route_upkeep.h"

namespace millrace::module {

void route_setfilter(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_route_setfilter(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  auto visit = RouteVisit::open(context, arguments.string(1));
  if (!visit) return context.reply().error(visit.error());
  visit->table().set_filter(request->channel, request->name, request->filter.filter, request->filter.json);
  context.reply().ok();
  visit->finish("route.setfilter");
}

void route_delfilter(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_route_delfilter(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  auto visit = RouteVisit::open(context, arguments.string(1));
  if (!visit) return context.reply().error(visit.error());
  RouteTable* table = visit->existing();
  const TargetSlot target =
      table == nullptr ? TargetSlot::none() : table->find_filter_id(request->channel, request->id);
  if (target.is_none()) return context.reply().integer(0);
  context.reply().integer(static_cast<int64_t>(table->delete_target(target)));
  visit->finish("route.delfilter");
}

void route_filters(abi::Context context, abi::Arguments arguments) {
  const auto channel = parse_route_filters(arguments.views(2));
  if (!channel) return context.reply().error(channel.error());
  const auto key = RouteKey::for_reading(context, arguments.string(1));
  if (!key) return context.reply().error(key.error());
  std::vector<std::pair<std::string, std::string>> filters;
  if (key->get() != nullptr) {
    key->get()->each_filter(*channel, [&](ByteView id, ByteView json) { filters.emplace_back(id, json); });
  }
  abi::Reply reply = context.reply();
  reply.map(filters.size());
  for (const auto& [id, json] : filters) {
    reply.bytes(id);
    reply.bytes(json);
  }
}

}  // namespace millrace::module
