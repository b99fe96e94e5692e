// The requests that a routing table takes, as plain values, checked as far as possible without the table. The views in
// a request are borrowed from the caller. All names are UTF-8, because they become JSON in dispatched entries.
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
  uint64_t cursor = 0;             // cursor: where the list continues
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
using GivenFilter = WrittenFilter;

struct RouteSubscribeRequest {
  DeviceName device;
  RouteChannel channel;
  // At most one of the two is set. Neither: everything on the channel.
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
  std::optional<ByteView> id;    // id of the dispatch: a repeated dispatch is carried out once
  std::optional<ByteView> data;  // JSON that is sent with the change
  // One of the two is set. With a prefix, the log of a transport is the prefix followed by the transport's name.
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
  std::optional<ByteView> filter_id;  // nullopt: of all filters, and without filter
  uint64_t count = 100;
  SubscriberCursor cursor;
};

// Where presence is dispatched to. nullopt: only returns the setting.
struct PresenceRequest {
  std::optional<ByteView> prefix;  // empty: not dispatched
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
  ByteView part;                       // a string of route_codec.h, if nothing else is set
};

}  // namespace millrace
