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
// Names and texts are a size and bytes, the parts of a channel have a size one greater, and 0 if they are not given;
// all numbers are varints. `what` is 0 for everything, 3 for a filter, 4 for a filter with a name; the digest is the
// first eight bytes of that of its JSON, and the filter is as saved_filter.h has it. Filters with few subscriptions are
// together in strings of their channel, those without a name with an empty one. In version 1, 1 and 2 are filters as
// JSON, without a digest, and the head has no prefix. A device is the number of its place among the devices, from 0.
// What has died by the table's clock is left out. An answer is as dispatch_answer.h has it.
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

// Adds what one string says to a table that has nothing but what earlier ones said. Failure:
// Corrupt, and unchanged.
Result<void> restore_route_part(RouteTable& table, ByteView bytes);

// Everything that lives, as texts that do not depend on how it came to be, in any order: for digests.
void each_fact(const RouteTable& table, const std::function<void(ByteView)>& visit);

}  // namespace millrace
