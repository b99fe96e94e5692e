// Routing tables as bytes, for RDB, DUMP and AOF rewrite; docs/formats/route.md draws them.
// A table is a list of strings of some 16 KiB, each of which can be read alone, in this
// order:
//
//   head      := 'H' version clock prefix
//   devices   := 'D' { name user agent connected seen ttl }*
//   target    := 'T' app model user id what [name] [digest] [filter] { device ttl [subscribed] }*
//   filters   := 'F' app model user id { name digest filter count { device ttl [subscribed] }^count }*
//   dispatches:= 'I' { id answer }*
//
// Names and texts are a size and bytes. The parts of a channel have a size that is one greater, or 0 if they are not
// given. All numbers are varints. `what` is 0 for everything, 3 for a filter, 4 for a filter with a name. `digest` is
// the first eight bytes of the digest of the filter's JSON, and `filter` has the format of saved_filter.h. Filters with
// few subscriptions share the strings of their channel; filters without a name have an empty name there. In version 1,
// `what` 1 and 2 are filters as JSON, without a digest, and the head has no prefix. A device is its index in the list
// of devices, from 0. Whatever has expired by the table's clock is left out. An answer has the format of
// dispatch_answer.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/route/route_table.h"

namespace millrace {

// The longest user agent of a device. Names are limited by kMaxNameBytes.
inline constexpr size_t kMaxAgent = 4096;
// The longest prefix of the names of logs.
inline constexpr size_t kMaxQueuePrefix = 512;

void encode_route_table(const RouteTable& table, const std::function<void(ByteView)>& emit);

// Adds the contents of one string to a table that has only the contents of earlier strings. Failure: Corrupt, and
// unchanged.
Result<void> restore_route_part(RouteTable& table, ByteView bytes);

// Visits everything that has not expired, as texts that do not depend on the table's history, in any order: for
// digests.
void each_fact(const RouteTable& table, const std::function<void(ByteView)>& visit);

}  // namespace millrace
