// LOCK.INFO: the holders of a lock, and the clients that wait for it.
#include <string>

#include "module/lock/lock_shows.h"

namespace millrace::module {

namespace {

// Holders whose leases have not ended. The others are left out, even if no command has removed them yet.
template <class Visit>
void each_holder(const Lock& lock, MonotonicMs now, Visit visit) {
  lock.each_holder([&](const LockHolder& holder) {
    return holder.holding.lease.is_over(now) || visit(holder.owner(), holder.holding);
  });
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
  each_holder(lock, now, [&](ByteView owner, const Holding& holding) {
    if (written == most) return false;
    ++written;
    reply.map(5);
    reply.bytes("owner");
    reply.bytes(owner);
    reply.bytes("token");
    reply.integer(static_cast<int64_t>(holding.token.value()));
    reply.bytes("holds");
    reply.integer(static_cast<int64_t>(holding.holds));
    reply.bytes("ttl");
    reply.integer(static_cast<int64_t>(holding.lease.left(now)));
    reply.bytes("value");
    reply.bytes(lock.value_of(owner));
    return true;
  });
  reply.array_was(written);
}

void write_waiters(abi::Reply reply, const std::vector<WaitingOwner>& waiters) {
  reply.array(waiters.size());
  for (const WaitingOwner& waiter : waiters) {
    reply.map(4);
    reply.bytes("owner");
    reply.bytes(waiter.owner);
    write_mode(reply, waiter.mode.name(), shown_permits(waiter.mode));
    reply.bytes("waited");
    reply.integer(static_cast<int64_t>(waiter.waited_ms));
  }
}

}  // namespace

std::vector<WaitingOwner> waiting_owners(const DatabaseKey& key, size_t most, MonotonicMs now) {
  std::vector<WaitingOwner> owners;
  const WaitingLines* lines = WaitingClients<Lock>::room().find(key);
  if (lines == nullptr) return owners;
  for (const Waiter* waiter : lines->in_line(kLockLine, most)) {
    // The cast is safe: only LOCK.ACQUIRE waits in this line.
    const AcquireRequest& request = static_cast<const WaitingCommand<LockAcquire>*>(waiter)->request();
    const MonotonicMs since = waiter->deadline() - *request.block_ms;
    owners.push_back({request.owner, request.mode, now - since, waiter->arrival()});
  }
  return owners;
}

namespace {

size_t count_waiting(const DatabaseKey& key) {
  const WaitingLines* lines = WaitingClients<Lock>::room().find(key);
  return lines == nullptr ? 0 : lines->line_length(kLockLine);
}

}  // namespace

void LockInfo::show(abi::Reply reply, const Shown<Lock>& shown, const LockListRequest& request) {
  const Lock free;
  const Lock& lock = shown.object != nullptr ? *shown.object : free;
  const MonotonicMs now = abi::monotonic_now();
  const DatabaseKey key{shown.database, std::string(shown.name.view())};
  const size_t holding = lock.holding() - lock.count_over(now);

  reply.map(6);
  holding == 0 ? write_mode(reply, "none", 0) : write_mode(reply, lock.mode().name(), shown_permits(lock.mode()));
  reply.bytes("holding");
  reply.integer(static_cast<int64_t>(holding));
  reply.bytes("waiting");
  reply.integer(static_cast<int64_t>(count_waiting(key)));
  reply.bytes("holders");
  write_holders(reply, lock, now, request.count);
  reply.bytes("waiters");
  write_waiters(reply, waiting_owners(key, request.count, now));
}

}  // namespace millrace::module
