#include "engine/lock/lock_digest.h"

namespace millrace {

void digest(const Lock& lock, DigestSink& sink) {
  if (lock.is_free()) return;
  sink.number(static_cast<uint64_t>(lock.mode().kind()));
  sink.number(lock.mode().permits());
  for (const auto& [owner, holding] : lock.holders()) {
    sink.bytes(owner);
    for (uint64_t number : {holding.token.value(), holding.holds, holding.lease.ttl_ms}) sink.number(number);
    sink.bytes(lock.value_of(owner));
  }
}

}  // namespace millrace
