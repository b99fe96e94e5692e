// What a lock holds, as a digest: without the ends of leases, which a server with another clock has at other moments.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/lock/lock.h"

namespace millrace {

void digest(const Lock& lock, DigestSink& sink);

}  // namespace millrace
