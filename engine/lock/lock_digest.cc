#include "engine/lock/lock_digest.h"

namespace millrace {

void digest(const Lock& lock, DigestSink& sink) {
  if (lock.is_free()) return;
  sink.number(static_cast<uint64_t>(lock.mode().kind()));
  sink.number(lock.mode().permits());
  lock.each_holder([&](const LockHolder& holder) {
    const Holding& holding = holder.holding;
    sink.bytes(holder.owner());
    for (uint64_t number : {holding.token.value(), holding.holds, holding.lease.ttl_ms}) sink.number(number);
    sink.bytes(lock.value_of(holder.owner()));
    return true;
  });
}

}  // namespace millrace
