// A digest of a channel's contents. It does not depend on how messages are divided into blocks, and includes only
// subscribers that have not expired.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/channel/channel.h"

namespace millrace {

void digest(const Channel& channel, DigestSink& sink);

}  // namespace millrace
