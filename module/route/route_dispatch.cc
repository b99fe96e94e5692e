#include "module/route/route_dispatch.h"

#include <string>

namespace millrace::module {

void RouteDispatch::write(abi::Reply reply, const Dispatched& dispatched) {
  if (dispatched.next_page) {
    reply.array(2);
    reply.bytes(std::to_string(*dispatched.next_page));
  }
  reply.array(dispatched.transports.size());
  for (const DispatchedTransport& each : dispatched.transports) {
    reply.array(3);
    reply.bytes(each.transport);
    reply.integer(static_cast<int64_t>(each.devices));
    each.offset ? reply.integer(static_cast<int64_t>(each.offset->value())) : reply.null();
  }
}

std::vector<size_t> route_dispatch_logs(abi::Arguments arguments) {
  std::vector<size_t> positions;
  const auto request = parse_route_dispatch(arguments.views(2));
  if (!request) return positions;
  // Transports and logs in turn are the last words.
  for (size_t at = arguments.size() - request->queues.size() + 1; at < arguments.size(); at += 2) {
    positions.push_back(at);
  }
  return positions;
}

}  // namespace millrace::module
