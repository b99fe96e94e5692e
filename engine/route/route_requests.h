// What can be asked of a routing table, as plain values: checked as far as that goes without looking at the table. The
// views in a request are the caller's. All names are UTF-8, because they become JSON in what is dispatched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/filter/filter.h"
#include "engine/route/route_channel.h"
#include "engine/route/route_match.h"

namespace millrace {

struct DeviceSetRequest {
  DeviceName device;
  RouteTable::DeviceChange change;
};

struct DeviceGetRequest {
  DeviceName device;
  std::optional<uint64_t> listed;  // how many subscriptions are listed
};

struct DeviceListRequest {
  std::optional<ByteView> transport;
  std::optional<ByteView> user;
  uint64_t count = 100;
  uint64_t cursor = 0;
};

// A filter in its normal form.
struct GivenFilter {
  Filter filter;
  std::string json;
};

struct RouteSubscribeRequest {
  DeviceName device;
  RouteChannel channel;
  // At most one of them. Neither: everything on the channel.
  std::optional<GivenFilter> filter;
  std::optional<ByteView> filter_id;
  std::optional<uint64_t> ttl_ms;
};

struct MatchRequest {
  RouteChange change;
  bool with_channels = false;
};

struct DispatchRequest {
  RouteChange change;
  ByteView event;
  std::span<const ByteView> queues;  // transport, log, transport, log, …
};

struct SetFilterRequest {
  ByteView name;
  GivenFilter filter;
  RouteChannel channel;
};

struct DelFilterRequest {
  ByteView id;
  RouteChannel channel;
};

struct PartitionRequest {
  ByteView channel;
  uint32_t partitions = 1024;
};

// An effect that another engine has told: what apply() takes.
struct RouteEffect {
  std::optional<UnixMs> clock;
  ByteView part;  // of route_codec.h, if there is no clock
};

}  // namespace millrace
