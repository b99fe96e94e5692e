#include <string>
#include <utility>
#include <vector>

#include "module/route/route_shows.h"

namespace millrace::module {

void RouteFilters::show(abi::Reply reply, const Shown<RouteTable>& shown, const RouteChannel& channel) {
  std::vector<std::pair<std::string, std::string>> filters;
  if (shown.object != nullptr) {
    shown.object->each_filter(channel, [&](ByteView id, ByteView json) { filters.emplace_back(id, json); });
  }
  reply.map(filters.size());
  for (const auto& [id, json] : filters) {
    reply.bytes(id);
    reply.bytes(json);
  }
}

}  // namespace millrace::module
