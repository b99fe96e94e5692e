// Pulled payloads as their client sees them, written now or recorded for one that waits:
// [[recipient, sequence, payload], ...].
#pragma once

#include "engine/shard/pool.h"
#include "module/host/counters.h"

namespace millrace::module {

// Delivers up to `count` and writes them. `Writer` is abi::Reply or abi::RecordedReply.
template <class Writer>
void deliver_and_write(Writer& writer, Pool& pool, WorkerId worker, uint64_t count) {
  writer.array_later();
  Pool::PulledPayload pulled;
  uint64_t delivered = 0;
  for (; delivered < count && pool.deliver(worker, pulled); ++delivered) {
    writer.array(3);
    writer.bytes(pulled.recipient);
    writer.integer(static_cast<int64_t>(pulled.sequence.value()));
    writer.bytes(pulled.payload);
  }
  writer.array_was(delivered);
  counters.shard.delivered += delivered;
}

// [worker, pending]
template <class Writer>
void write_routed(Writer& writer, const Pool& pool, const Routed& routed) {
  writer.array(2);
  writer.bytes(pool.worker(routed.worker).name);
  writer.integer(static_cast<int64_t>(routed.pending));
}

}  // namespace millrace::module
