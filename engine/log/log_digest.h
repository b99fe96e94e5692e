// A digest of a log's contents. It does not depend on how messages are divided into blocks, nor on how pending messages
// are divided into ranges.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/log/log.h"

namespace millrace {

void digest(const Log& log, DigestSink& sink);

}  // namespace millrace
