#include "module/commands/lock/lock_answers.h"

#include "module/abi/clock.h"
#include "module/host/lock_type.h"

namespace millrace::module {

void write_granted(abi::Reply reply, const Holding& holding) {
  reply.array(4);
  reply.integer(1);
  reply.integer(static_cast<int64_t>(holding.token.value()));
  reply.integer(static_cast<int64_t>(holding.lease.ttl_ms));
  reply.integer(static_cast<int64_t>(holding.holds));
}

void write_refused(abi::Reply reply, const Lock& lock, LockMode mode, MonotonicMs now) {
  // If there is room, somebody of another mode stands before it in the line.
  uint64_t ms = lock.has_room_for(mode) ? lock.ms_until_free(now) : lock.ms_until_room(mode, now);
  // A lease has the millisecond in which it ends, too. Nobody is told more than it was given for.
  if (ms > 1) --ms;
  reply.array(4);
  reply.integer(0);
  reply.integer(0);
  reply.integer(static_cast<int64_t>(ms));
  reply.integer(0);
}

void write_refused(abi::Reply reply, const DatabaseKey& place, LockMode mode) {
  const abi::Context context = abi::own_context();
  context.select(place.database);
  const auto key = LockKey::for_reading(context, abi::OwnedString(place.name));
  const Lock free;
  write_refused(reply, key && key->get() != nullptr ? *key->get() : free, mode, abi::monotonic_now());
}

ByteView mode_name(LockMode mode) {
  switch (mode.kind()) {
    case LockMode::Kind::Exclusive:
      return "exclusive";
    case LockMode::Kind::Shared:
      return "shared";
    case LockMode::Kind::Limit:
      return "limit";
  }
  return "";
}

}  // namespace millrace::module
