// ROUTE.DISPATCH: writes a change to the logs of the transports whose devices must get it.
#pragma once

#include <vector>

#include "module/route/route_object.h"
#include "module/route/route_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct RouteDispatch {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_dispatch;
  // Only reads the table, unless it stores an id. HostedQueues opens the logs.
  static bool only_reads(const DispatchRequest& request) { return !request.id; }
  static auto execute(Place<RouteTable>& table, DispatchRequest& request, const Call& call) {
    return route_operations().dispatch(table, request, call);
  }
  // [[transport, devices, offset or null], ...]; with LIMIT [next cursor, that]
  static void write(abi::Reply reply, const Dispatched& dispatched);
};

// Which words of the command are logs.
std::vector<size_t> route_dispatch_logs(abi::Arguments arguments);

}  // namespace millrace::module
