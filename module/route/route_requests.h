// The words of the commands of routing tables become requests of the engine, or the first error: one parser for each
// command. They do not depend on the host, so they are tested and fuzzed without one.
//
// Parsers get the words after the key, if the command has one. The views in a request are borrowed from the words.
#pragma once

#include "engine/base/error.h"
#include "engine/route/route_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// ROUTE.DEVICE SET table device|transport [USER u] [AGENT text] [TTL ms]
Result<DeviceSetRequest> parse_route_device_set(Words words);

// ROUTE.DEVICE GET table device|transport [FULL [COUNT n] [CURSOR c]]
Result<DeviceGetRequest> parse_route_device_get(Words words);

// ROUTE.DEVICE TOUCH table device|transport [device|transport ...]
Result<DeviceTouchRequest> parse_route_device_touch(Words words);

// ROUTE.DEVICE MOVE table device|transport device|transport
Result<DeviceMoveRequest> parse_route_device_move(Words words);

// ROUTE.DEVICE DEL table device|transport | TRANSPORT t [COUNT n]
Result<DeviceDelRequest> parse_route_device_del(Words words);

// ROUTE.DEVICE LIST table [TRANSPORT t] [USER u] [COUNT n] [CURSOR c]
Result<DeviceListRequest> parse_route_device_list(Words words);

// ROUTE.SUBSCRIBE table device|transport APP a MODEL m [USER u] [ID i] [FILTER json | FILTERID f] [TTL ms] [XX]
// ROUTE.UNSUBSCRIBE: the same without TTL and XX
Result<RouteSubscribeRequest> parse_route_subscribe(Words words);
Result<RouteSubscribeRequest> parse_route_unsubscribe(Words words);

// ROUTE.MATCH table APP a MODEL m [USER u] [ID i] [DOC json] [OLD json] [WITHCHANNELS] [LIMIT n] [AFTER cursor]
Result<MatchRequest> parse_route_match(Words words);

// ROUTE.DISPATCH table APP a MODEL m [USER u] [ID i] [DOC json] [OLD json] EVENT name [ID unique-id]
//                [ORIGIN device|transport] [DATA json] [LIMIT n] [AFTER cursor]
//                QUEUES transport log [transport log ...] | * prefix
//
// ID before EVENT is the object's; ID after EVENT is the id of the dispatch.
Result<DispatchRequest> parse_route_dispatch(Words words);

// ROUTE.SETFILTER table filter-id json APP a MODEL m [USER u] [ID i]
Result<SetFilterRequest> parse_route_setfilter(Words words);

// ROUTE.DELFILTER table filter-id APP a MODEL m [USER u] [ID i]
Result<DelFilterRequest> parse_route_delfilter(Words words);

// ROUTE.FILTERS table APP a MODEL m [USER u] [ID i] [COUNT n] [CURSOR c]
Result<FiltersRequest> parse_route_filters(Words words);

// ROUTE.SUBSCRIBERS table APP a MODEL m [USER u] [ID i] [FILTERID f] [COUNT n] [CURSOR c]
Result<SubscribersRequest> parse_route_subscribers(Words words);

// ROUTE.PRESENCE table [QUEUES * prefix | OFF]
Result<PresenceRequest> parse_route_presence(Words words);

// ROUTE.PATTERNS APP a MODEL m [USER u] [ID i]
Result<RouteChannel> parse_route_patterns(Words words);

// ROUTE.PARTITION channel [PARTITIONS n]
Result<PartitionRequest> parse_route_partition(Words words);

// ROUTE.APPLY table CLOCK ms | PART bytes | GONE bytes | DISPATCHED bytes
Result<RouteEffect> parse_route_apply(Words words);

}  // namespace millrace::module
