// The commands of routing tables as plain values: what a client asked for, checked as far
// as that goes without looking at the table. One parser for each command; none knows the
// host.
//
// Parsers get the words behind the key, if the command has one. The views in a request are
// those words'. All names are UTF-8, because they become JSON in what is dispatched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/filter/filter.h"
#include "engine/route/route_channel.h"
#include "engine/route/route_codec.h"
#include "engine/route/route_match.h"
#include "module/commands/argument_reader.h"

namespace millrace::module {

// ROUTE.DEVICE SET table device|transport [USER u] [AGENT text] [TTL ms]
struct DeviceSetRequest {
  DeviceName device;
  RouteTable::DeviceChange change;
};
Result<DeviceSetRequest> parse_route_device_set(Words words);

// ROUTE.DEVICE GET table device|transport [FULL [COUNT n]]
struct DeviceGetRequest {
  DeviceName device;
  std::optional<uint64_t> listed;  // how many subscriptions are listed
};
Result<DeviceGetRequest> parse_route_device_get(Words words);

// ROUTE.DEVICE TOUCH table device|transport
// ROUTE.DEVICE DEL: the same
Result<DeviceName> parse_route_device_touch(Words words);
Result<DeviceName> parse_route_device_del(Words words);

// ROUTE.DEVICE LIST table [TRANSPORT t] [USER u] [COUNT n] [CURSOR c]
struct DeviceListRequest {
  std::optional<ByteView> transport;
  std::optional<ByteView> user;
  uint64_t count = 100;
  uint64_t cursor = 0;
};
Result<DeviceListRequest> parse_route_device_list(Words words);

// A filter in its normal form.
struct GivenFilter {
  Filter filter;
  std::string json;
};

// ROUTE.SUBSCRIBE table device|transport APP a MODEL m [USER u] [ID i] [FILTER json | FILTERID f] [TTL ms]
// ROUTE.UNSUBSCRIBE: the same without TTL
struct RouteSubscribeRequest {
  DeviceName device;
  RouteChannel channel;
  std::optional<GivenFilter> filter;
  std::optional<ByteView> filter_id;
  std::optional<uint64_t> ttl_ms;
};
Result<RouteSubscribeRequest> parse_route_subscribe(Words words);
Result<RouteSubscribeRequest> parse_route_unsubscribe(Words words);

// ROUTE.MATCH table APP a MODEL m [USER u] [ID i] [DOC json] [OLD json] [WITHCHANNELS]
struct MatchRequest {
  RouteChange change;
  bool with_channels = false;
};
Result<MatchRequest> parse_route_match(Words words);

// ROUTE.DISPATCH table APP a MODEL m [USER u] [ID i] [DOC json] [OLD json] EVENT name
//                QUEUES transport log [transport log ...]
struct DispatchRequest {
  RouteChange change;
  ByteView event;
  Words queues;            // transport, log, transport, log, …
  size_t first_queue = 0;  // where they begin among the words
};
Result<DispatchRequest> parse_route_dispatch(Words words);

// ROUTE.SETFILTER table filter-id json APP a MODEL m [USER u] [ID i]
struct SetFilterRequest {
  ByteView name;
  GivenFilter filter;
  RouteChannel channel;
};
Result<SetFilterRequest> parse_route_setfilter(Words words);

// ROUTE.DELFILTER table filter-id APP a MODEL m [USER u] [ID i]
struct DelFilterRequest {
  ByteView id;
  RouteChannel channel;
};
Result<DelFilterRequest> parse_route_delfilter(Words words);

// ROUTE.FILTERS table APP a MODEL m [USER u] [ID i]
// ROUTE.PATTERNS: the same without a table
Result<RouteChannel> parse_route_filters(Words words);
Result<RouteChannel> parse_route_patterns(Words words);

// ROUTE.PARTITION channel [PARTITIONS n]
struct PartitionRequest {
  ByteView channel;
  uint32_t partitions = 1024;
};
Result<PartitionRequest> parse_route_partition(Words words);

// ROUTE.APPLY table CLOCK ms | PART bytes
struct RouteEffect {
  std::optional<UnixMs> clock;
  ByteView part;
};
Result<RouteEffect> parse_route_apply(Words words);

}  // namespace millrace::module
