#include "module/route/route_dispatch.h"

namespace millrace::module {

void RouteDispatch::write(abi::Reply reply, const std::vector<Parcel>& parcels) {
  reply.array(parcels.size());
  for (const Parcel& parcel : parcels) {
    reply.array(3);
    reply.bytes(parcel.transport);
    reply.integer(static_cast<int64_t>(parcel.devices));
    parcel.queue ? reply.integer(static_cast<int64_t>(parcel.offset.value())) : reply.null();
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
