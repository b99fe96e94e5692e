// What can be asked of a routing table, as plain values: checked as far as that goes without looking at the table. The
// views in a request are the caller's. All names are UTF-8, because they become JSON in what is dispatched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  uint64_t cursor = 0;             // where they go on
};

struct DeviceTouchRequest {
  std::vector<ByteView> devices;
};

struct DeviceMoveRequest {
  DeviceName from;
  DeviceName to;
};

// One device, or some of a transport.
struct DeviceDelRequest {
  std::optional<DeviceName> device;
  ByteView transport;
  uint64_t count = 1000;
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
  bool only_known = false;  // only if there is such a device
};

struct MatchRequest {
  RouteChange change;
  bool with_channels = false;
};

struct DispatchRequest {
  RouteChange change;
  ByteView event;
  std::optional<ByteView> id;    // of the dispatch: sent again, it counts once
  std::optional<ByteView> data;  // JSON that travels with the change
  // One of them. The log of a transport is the prefix and its name.
  std::span<const ByteView> queues;  // transport, log, transport, log, …
  std::optional<ByteView> prefix;
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

struct FiltersRequest {
  RouteChannel channel;
  uint64_t count = 100;
  uint64_t cursor = 0;
};

struct SubscribersRequest {
  RouteChannel channel;
  std::optional<ByteView> filter_id;  // nothing: of all filters, and of none
  uint64_t count = 100;
  SubscriberCursor cursor;
};

// Where presence is dispatched to. Nothing: only asks.
struct PresenceRequest {
  std::optional<ByteView> prefix;  // empty: nowhere
};

struct PartitionRequest {
  ByteView channel;
  uint32_t partitions = 1024;
};

// An effect from another engine, for apply().
struct RouteEffect {
  std::optional<UnixMs> clock;
  std::optional<ByteView> gone;        // the names of devices that were deleted: a size and bytes each
  std::optional<ByteView> dispatched;  // an id and an answer (dispatch_answer.h): a size and bytes each
  ByteView part;                       // of route_codec.h, if there is nothing else
};

}  // namespace millrace
