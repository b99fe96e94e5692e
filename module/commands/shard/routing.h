// One message to its recipient's worker, counted or queued.
#pragma once

#include <span>

#include "engine/shard/pool.h"
#include "module/host/counters.h"
#include "module/host/settings.h"

namespace millrace::module {

inline Error no_workers() { return {ErrorCode::NoWorkers, "the pool has no workers"}; }

inline Result<Routed> route_or_push(Pool& pool, ByteView recipient, std::span<const ByteView> payloads) {
  auto routed = payloads.empty() ? pool.route(recipient) : pool.push(recipient, payloads, block_limits());
  if (routed) {
    counters.shard.routed += payloads.empty();
    counters.shard.pushed += payloads.size();
  }
  return routed;
}

}  // namespace millrace::module
