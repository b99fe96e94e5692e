// What a channel holds, as a digest: not how its messages happen to be cut into blocks, and only subscribers that live.
#pragma once

#include "engine/base/digest_sink.h"
#include "engine/channel/channel.h"

namespace millrace {

void digest(const Channel& channel, DigestSink& sink);

}  // namespace millrace
