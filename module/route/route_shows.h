// The commands that only read a routing table.
#pragma once

#include "module/route/route_object.h"
#include "module/route/route_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct RouteDeviceGet {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_device_get;
  static void show(abi::Reply reply, const Shown<RouteTable>& shown, const DeviceGetRequest& request);
};

struct RouteDeviceList {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_device_list;
  static void show(abi::Reply reply, const Shown<RouteTable>& shown, const DeviceListRequest& request);
};

struct RouteMatch {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_match;
  static void show(abi::Reply reply, const Shown<RouteTable>& shown, const MatchRequest& request);
};

struct RouteFilters {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_filters;
  static void show(abi::Reply reply, const Shown<RouteTable>& shown, const FiltersRequest& request);
};

struct RouteSubscribers {
  using Object = RouteTable;
  static constexpr auto parse = parse_route_subscribers;
  static void show(abi::Reply reply, const Shown<RouteTable>& shown, const SubscribersRequest& request);
};

struct RouteInfo {
  using Object = RouteTable;
  static constexpr auto parse = parse_nothing;
  static void show(abi::Reply reply, const Shown<RouteTable>& shown, NoRequest);
};

}  // namespace millrace::module
