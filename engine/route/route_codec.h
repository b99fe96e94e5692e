// Routing tables as bytes, for RDB, DUMP and AOF rewrite; docs/formats/route.md draws them.
// A table is a list of strings of some 16 KiB, each of which can be read alone, in this
// order:
//
//   head      := 'H' version clock
//   devices   := 'D' { name user agent connected seen ttl }*
//   target    := 'T' app model user id what [name] [filter] { device ttl [subscribed] }*
//
// Names and texts are a size and bytes, the parts of a channel have a size one greater, and
// 0 if they are not given; all numbers are varints. `what` is 0 for everything, 1 for a
// filter, 2 for a filter with a name. A device is the so manieth of the table, from 0. What has died by
// the table's clock is left out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/route/route_table.h"

namespace millrace {

// The longest user agent of a device. Names are limited by kMaxNameBytes.
inline constexpr size_t kMaxAgent = 4096;

void encode_route_table(const RouteTable& table, const std::function<void(ByteView)>& emit);

// Adds what one string says to a table that has nothing but what earlier ones said. Failure:
// Corrupt, and unchanged.
Result<void> restore_route_part(RouteTable& table, ByteView bytes);

// Everything that lives, as sorted texts that do not depend on how it came to be: for digests.
std::vector<std::string> route_facts(const RouteTable& table);

}  // namespace millrace
