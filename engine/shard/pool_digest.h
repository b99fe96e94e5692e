// A digest of a pool's contents. It does not depend on how the queues are divided into blocks.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/shard/pool.h"

namespace millrace {

void digest(const Pool& pool, DigestSink& sink);

}  // namespace millrace
