// What a log holds, as a digest: what its messages say, not how they happen to be cut into blocks and ranges, which may
// differ between a master and a replica with another block size.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/log/log.h"

namespace millrace {

void digest(const Log& log, DigestSink& sink);

}  // namespace millrace
