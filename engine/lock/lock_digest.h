// The contents of a lock as a digest, without the ends of leases, which differ on a server with another clock.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/lock/lock.h"

namespace millrace {

void digest(const Lock& lock, DigestSink& sink);

}  // namespace millrace
