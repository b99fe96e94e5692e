// What a pool holds, as a digest: not how the blocks of its queues happen to be cut.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/shard/pool.h"

namespace millrace {

void digest(const Pool& pool, DigestSink& sink);

}  // namespace millrace
