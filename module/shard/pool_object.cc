#include "module/shard/pool_object.h"

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
  static PoolOperations operations(hash_key(), waiters, block_limits());
  return operations;
}

Consequences ObjectTraits<Pool>::look_after(KeyPlace<Pool>& place, const Call& call) {
  return pool_operations().look_after(place, call);
}

}  // namespace millrace::module
