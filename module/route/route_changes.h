// The commands that change a routing table, and how each is answered.
#pragma once

#include <optional>
#include <string>

#include "module/route/route_object.h"
#include "module/route/route_requests.h"
#include "module/runtime/run.h"
#include "module/runtime/slice_budget.h"

namespace millrace::module {

inline constexpr auto write_number_or_null = [](abi::Reply reply, const std::optional<uint64_t>& number) {
  number ? reply.integer(static_cast<int64_t>(*number)) : reply.null();
};

struct RouteDeviceSet {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_device_set;
  static auto execute(Place<RouteTable>& table, DeviceSetRequest& request, const Call& call) {
    return route_operations().set_device(table, request, call, SliceBudget());
  }
  static constexpr auto write = write_number;
};

struct RouteDeviceTouch {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_device_touch;
  static auto execute(Place<RouteTable>& table, DeviceTouchRequest& request, const Call& call) {
    return route_operations().touch_devices(table, request, call, SliceBudget());
  }
  static constexpr auto write = write_number;
};

struct RouteDeviceMove {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_device_move;
  static auto execute(Place<RouteTable>& table, DeviceMoveRequest& request, const Call& call) {
    return route_operations().move_device(table, request, call, SliceBudget());
  }
  static constexpr auto write = write_number_or_null;
};

struct RouteDeviceDel {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_device_del;
  static auto execute(Place<RouteTable>& table, DeviceDelRequest& request, const Call& call) {
    return route_operations().delete_device(table, request, call, SliceBudget());
  }
  static constexpr auto write = write_number;
};

struct RouteSubscribe {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_subscribe;
  static auto execute(Place<RouteTable>& table, RouteSubscribeRequest& request, const Call& call) {
    return route_operations().subscribe(table, request, call, SliceBudget());
  }
  static void write(abi::Reply reply, const std::optional<Subscribed>& to) {
    if (!to) return reply.null();
    reply.array(2);
    reply.bytes(to->channel);
    to->filter_id ? reply.bytes(*to->filter_id) : reply.null();
  }
};

struct RouteUnsubscribe {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_unsubscribe;
  static auto execute(Place<RouteTable>& table, RouteSubscribeRequest& request, const Call& call) {
    return route_operations().unsubscribe(table, request, call, SliceBudget());
  }
  static constexpr auto write = write_number;
};

struct RouteSetfilter {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_setfilter;
  static auto execute(Place<RouteTable>& table, SetFilterRequest& request, const Call& call) {
    return route_operations().set_filter(table, request, call, SliceBudget());
  }
  static constexpr auto write = write_ok;
};

struct RouteDelfilter {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_delfilter;
  static auto execute(Place<RouteTable>& table, DelFilterRequest& request, const Call& call) {
    return route_operations().delete_filter(table, request, call, SliceBudget());
  }
  static constexpr auto write = write_number_or_null;
};

// The prefix, or null.
struct RoutePresence {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_presence;
  static auto execute(Place<RouteTable>& table, PresenceRequest& request, const Call& call) {
    return route_operations().set_presence(table, request, call, SliceBudget());
  }
  static void write(abi::Reply reply, const std::string& prefix) {
    prefix.empty() ? reply.null() : reply.bytes(prefix);
  }
};

// A master sends ROUTE.APPLY to its replicas, and a server writes it to its AOF. But any client may send it, so it is
// documented, and checks its bytes as carefully as RESTORE does.
struct RouteApply {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_apply;
  static Now now(const RouteEffect&) { return {}; }
  static auto execute(Place<RouteTable>& table, RouteEffect& effect, const Call& call) {
    return route_operations().apply(table, effect, call, SliceBudget());
  }
  static constexpr auto write = write_ok;
  static constexpr bool kApplies = true;
};

}  // namespace millrace::module
