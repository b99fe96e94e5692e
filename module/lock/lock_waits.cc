// LOCK.WAITS: which owners wait for which other owners on this node, the longest wait first, and the cycles in which no
// owner can continue before a lease ends.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/lock/wait_graph.h"
#include "module/lock/lock_shows.h"

namespace millrace::module {

namespace {

// How many holders of one lock are searched for cycles and listed.
constexpr size_t kHoldersLookedAt = 1000;
constexpr size_t kHoldersNamed = 10;

struct WaitedLock {
  DatabaseKey place;
  std::vector<WaitingOwner> waiters;
  std::vector<std::string> holders;
};

struct LockWait {
  const WaitedLock* lock;
  const WaitingOwner* waiter;
};

std::vector<std::string> holders_of(abi::Context context, const DatabaseKey& place, MonotonicMs now) {
  context.select(place.database);
  const auto key = LockKey::for_reading(context, abi::OwnedString(place.name));
  std::vector<std::string> owners;
  if (!key || key->get() == nullptr) return owners;
  key->get()->each_holder([&](const LockHolder& holder) {
    if (!holder.holding.lease.is_over(now)) owners.emplace_back(holder.owner());
    return owners.size() < kHoldersLookedAt;
  });
  return owners;
}

std::vector<WaitedLock> everything_waited_for(abi::Context context) {
  const int database = context.database();
  const MonotonicMs now = abi::monotonic_now();
  std::vector<WaitedLock> all;
  for (const DatabaseKey& place : WaitingClients<Lock>::room().keys()) {
    all.push_back({place, waiting_owners(place, SIZE_MAX, now), holders_of(context, place, now)});
  }
  context.select(database);
  return all;
}

void write_wait(abi::Reply reply, const LockWait& wait) {
  reply.map(6);
  reply.bytes("owner");
  reply.bytes(wait.waiter->owner);
  reply.bytes("key");
  reply.bytes(wait.lock->place.name);
  reply.bytes("database");
  reply.integer(wait.lock->place.database);
  reply.bytes("mode");
  reply.bytes(wait.waiter->mode.name());
  reply.bytes("waited");
  reply.integer(static_cast<int64_t>(wait.waiter->waited_ms));
  reply.bytes("holders");
  const size_t named = std::min(wait.lock->holders.size(), kHoldersNamed);
  reply.array(named);
  for (size_t i = 0; i < named; ++i) reply.bytes(wait.lock->holders[i]);
}

}  // namespace

void lock_waits(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_lock_waits(arguments.views(1));
  if (!request) return context.reply().error(request.error());

  const std::vector<WaitedLock> all = everything_waited_for(context);
  WaitGraph graph;
  std::vector<LockWait> waits;
  for (size_t lock = 0; lock < all.size(); ++lock) {
    for (const std::string& owner : all[lock].holders) graph.holds(owner, lock);
    for (const WaitingOwner& waiter : all[lock].waiters) {
      graph.waits(waiter.owner, lock);
      waits.push_back({&all[lock], &waiter});
    }
  }
  std::ranges::sort(waits, {}, [](const LockWait& wait) { return wait.waiter->arrival; });

  abi::Reply reply = context.reply();
  reply.map(3);
  reply.bytes("waiting");
  reply.integer(static_cast<int64_t>(waits.size()));
  reply.bytes("waits");
  waits.resize(std::min<size_t>(waits.size(), request->count));
  reply.array(waits.size());
  for (const LockWait& wait : waits) write_wait(reply, wait);
  reply.bytes("cycles");
  const auto cycles = graph.cycles(request->count);
  reply.array(cycles.size());
  for (const auto& cycle : cycles) {
    reply.array(cycle.size());
    for (const std::string& owner : cycle) reply.bytes(owner);
  }
}

}  // namespace millrace::module
