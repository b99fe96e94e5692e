// A digest of everything in a routing table that has not expired. It does not depend on the table's history.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/route/route_table.h"

namespace millrace {

void digest(const RouteTable& table, DigestSink& sink);

}  // namespace millrace
