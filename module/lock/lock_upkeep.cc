#include "module/lock/lock_upkeep.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "module/lock/lock_object.h"
#include "module/runtime/deferred_wakes.h"
#include "module/runtime/role.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

namespace {

using LockClients = WaitingClients<Lock>;

// How often a key at which no lock can be granted is checked while clients wait for it.
constexpr uint64_t kLookAgainMs = 100;

std::unordered_map<DatabaseKey, std::vector<LostGrant>> lost_grants;

bool is_owed(const DatabaseKey& key) {
  if (LockClients::room().empty() && lost_grants.empty()) [[likely]] {
    return false;
  }
  return LockClients::room().find(key) != nullptr || lost_grants.contains(key);
}

void take_back_lost_grants(KeyPlace<Lock>& place, const DatabaseKey& key, const Call& call) {
  const auto lost = lost_grants.extract(key);
  if (lost.empty()) return;
  for (const LostGrant& grant : lost.mapped()) carry_out(place, lock_operations().take_back(place, grant, call));
}

// Does what is due for this key, and serves the clients that can be served.
void look_after(abi::Context context, const DatabaseKey& key, abi::StringRef name) {
  if (may_decide && abi::replication_is_paused()) return wake_later(key);
  const Now now = ObjectTraits<Lock>::now();
  auto opened = LockKey::for_upkeep(context, name);
  // The key holds another type. Or its slot is being migrated, and the lock with its holders has already moved: the
  // host redirects the waiting clients when the slot has moved. Meanwhile the lock is not granted here, but waits end.
  // There is no event if the key becomes free or the slot stays.
  if (!opened || (opened->get() == nullptr && context.is_served_elsewhere(name))) {
    lost_grants.erase(key);
    LockClients::end_overdue(key, now.monotonic);
    return LockClients::look_again_at(key, now.monotonic + kLookAgainMs);
  }
  KeyPlace<Lock> place(context, name, *opened);
  if (may_decide) {
    const Call call{.now = now};
    if (place.get() != nullptr) opened->notes().date.forget(key.database, key.name);
    take_back_lost_grants(place, key, call);
    carry_out(place, lock_operations().look_after(place, call));
  }
  LockClients::end_overdue(key, now.monotonic);
  LockClients::wake(place, ObjectTraits<Lock>::wake_all(place.get()));
}

}  // namespace

void look_after_lock(abi::Context context, abi::StringRef name) {
  look_after(context, {context.database(), std::string(name.view())}, name);
}

const Waiters* lock_waiters() {
  static const Waiters all_hooks = [] {
    Waiters hooks = *LockClients::hooks();
    hooks.wait_for = is_owed;
    hooks.serve = look_after;
    return hooks;
  }();
  return &all_hooks;
}

void take_back_soon(const DatabaseKey& key, LostGrant grant) {
  lost_grants[key].push_back(std::move(grant));
  wake_later(key);
}

}  // namespace millrace::module
