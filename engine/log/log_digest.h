// What a log holds, as a digest: not how its messages happen to be cut into blocks, and what is pending into ranges.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/log/log.h"

namespace millrace {

void digest(const Log& log, DigestSink& sink);

}  // namespace millrace
