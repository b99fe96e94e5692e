#include "module/shard/pool_object.h"

#include "module/runtime/monotonic_agenda.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/settings.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

namespace {

class HostedPoolWaiters final : public PoolWaiters {
 public:
  const WaitingLines* find(const Place<Pool>& place) const override {
    // All places of pools in this process are keys.
    return WaitingClients<Pool>::lines_at(static_cast<const KeyPlace<Pool>&>(place));
  }
};

}  // namespace

PoolOperations& pool_operations() {
  static HostedPoolWaiters waiters;
  static PoolOperations operations(pool_hash_key(), waiters, block_limits());
  return operations;
}

void ObjectTraits<Pool>::settle(KeyPlace<Pool>& place, const Consequences& follow) {
  Pool& pool = *place.get();
  if (pool.has_evicted()) reclaim(pool.take_evicted());
  if (!follow.due_monotonic || *follow.due_monotonic >= pool.notes.promised) return;
  pool.notes.promised = *follow.due_monotonic;
  monotonic_agenda::add(place.database_key(), *follow.due_monotonic);
}

std::optional<UnixMs> look_after_pool(abi::Context context, abi::StringRef name, UnixMs) {
  auto key = PoolKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return std::nullopt;
  key->get()->notes.promised = MonotonicMs(UINT64_MAX);
  KeyPlace<Pool> place(context, name, *key);
  const Call call{.now = ObjectTraits<Pool>::now(), .decides = true, .may_wait = false};
  carry_out(place, pool_operations().look_after(place, call));
  return std::nullopt;
}

}  // namespace millrace::module
