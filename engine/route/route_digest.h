// What lives in a routing table, as a digest that does not depend on how it came to be.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/route/route_table.h"

namespace millrace {

void digest(const RouteTable& table, DigestSink& sink);

}  // namespace millrace
