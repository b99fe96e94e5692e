// LOCK.INFO and LOCK.WAITS: who holds what, who waits, and who waits for whom.
#include <string>

#include "engine/lock/wait_graph.h"
#include "module/abi/clock.h"
#include "module/commands/lock/lock_answers.h"
#include "module/commands/lock/lock_commands.h"
#include "module/commands/lock/lock_line.h"
#include "module/commands/lock/lock_requests.h"
#include "module/host/lock_type.h"

namespace millrace::module {

namespace {

// Holders whose leases are not over: to a reader the others are gone, even where nobody
// has decided so yet.
template <class Visit>
void each_holder(const Lock& lock, MonotonicMs now, Visit visit) {
  for (const auto& [owner, holding] : lock.holders()) {
    if (!holding.lease.is_over(now) && !visit(owner, holding)) return;
  }
}

void write_mode(abi::Reply reply, ByteView name, uint64_t permits) {
  reply.bytes("mode");
  reply.bytes(name);
  reply.bytes("permits");
  reply.integer(static_cast<int64_t>(permits));
}

uint64_t shown_permits(LockMode mode) { return mode == LockMode::shared() ? 0 : mode.permits(); }

void write_holders(abi::Reply reply, const Lock& lock, MonotonicMs now, uint64_t most) {
  reply.array_later();
  uint64_t written = 0;
  each_holder(lock, now, [&](const std::string& owner, const Holding& holding) {
    if (written == most) return false;
    ++written;
    reply.map(4);
    reply.bytes("owner");
    reply.bytes(owner);
    reply.bytes("token");
    reply.integer(static_cast<int64_t>(holding.token.value()));
    reply.bytes("holds");
    reply.integer(static_cast<int64_t>(holding.holds));
    reply.bytes("ttl");
    reply.integer(static_cast<int64_t>(holding.lease.left(now)));
    return true;
  });
  reply.array_was(written);
}

void write_waiters(abi::Reply reply, const DatabaseKey& place, uint64_t most) {
  const std::vector<Waiter> waiters = waiters_for_lock(place, most);
  reply.array(waiters.size());
  for (const Waiter& waiter : waiters) {
    reply.map(4);
    reply.bytes("owner");
    reply.bytes(waiter.owner);
    write_mode(reply, mode_name(waiter.mode), shown_permits(waiter.mode));
    reply.bytes("waited");
    reply.integer(static_cast<int64_t>(waiter.waited_ms));
  }
}

}  // namespace

void lock_info(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_lock_info(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  const auto key = LockKey::for_reading(context, name);
  if (!key) return context.reply().error(key.error());

  const Lock free;
  const Lock& lock = key->get() != nullptr ? *key->get() : free;
  const MonotonicMs now = abi::monotonic_now();
  const DatabaseKey place{context.database(), std::string(name.view())};
  const size_t holding = lock.holding() - lock.count_over(now);

  abi::Reply reply = context.reply();
  reply.map(6);
  holding == 0 ? write_mode(reply, "none", 0) : write_mode(reply, mode_name(lock.mode()), shown_permits(lock.mode()));
  reply.bytes("holding");
  reply.integer(static_cast<int64_t>(holding));
  reply.bytes("waiting");
  reply.integer(static_cast<int64_t>(count_waiters_for_lock(place)));
  reply.bytes("holders");
  write_holders(reply, lock, now, request->count);
  reply.bytes("waiters");
  write_waiters(reply, place, request->count);
}

}  // namespace millrace::module
