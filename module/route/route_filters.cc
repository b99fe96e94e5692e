// ROUTE.FILTERS and ROUTE.SUBSCRIBERS: pages of what a channel has.
#include <string>
#include <utility>
#include <vector>

#include "module/route/route_shows.h"

namespace millrace::module {

// [next cursor, map of id -> normal form]
void RouteFilters::show(abi::Reply reply, const Shown<RouteTable>& shown, const FiltersRequest& request) {
  std::vector<std::pair<std::string, std::string>> filters;
  uint64_t cursor = 0;
  if (shown.object != nullptr) {
    cursor = shown.object->scan_filters(
        request.channel, request.cursor, request.count,
        [&](std::string id, const std::string& json) { filters.emplace_back(std::move(id), json); });
  }
  reply.array(2);
  reply.bytes(std::to_string(cursor));
  reply.map(filters.size());
  for (const auto& [id, json] : filters) {
    reply.bytes(id);
    reply.bytes(json);
  }
}

// [next cursor, [[device|transport, filter or null], ...]]
void RouteSubscribers::show(abi::Reply reply, const Shown<RouteTable>& shown, const SubscribersRequest& request) {
  std::vector<std::pair<const Device*, const RouteTarget*>> found;
  SubscriberCursor next;
  if (const RouteTable* table = shown.object) {
    const TargetSlot only =
        request.filter_id ? table->find_filter_id(request.channel, *request.filter_id) : TargetSlot::none();
    if (!request.filter_id || only.is_some()) {
      next = table->scan_subscribers(
          request.channel, only, request.cursor, request.count, table->present(abi::now()),
          [&](const Device& device, const RouteTarget& target) { found.emplace_back(&device, &target); });
    }
  }
  reply.array(2);
  reply.bytes(next.left == 0 ? "0"
                             : std::to_string(next.filter) + '.' + std::to_string(next.target.value()) + '.' +
                                   std::to_string(next.left));
  reply.array(found.size());
  for (const auto& [device, target] : found) {
    reply.array(2);
    reply.bytes(device->name);
    target->filter.is_none() ? reply.null() : reply.bytes(shown.object->filter_name(*target));
  }
}

}  // namespace millrace::module
