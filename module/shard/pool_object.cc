#include "module/shard/pool_object.h"

#include "module/log/hosted_logs.h"
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

// Dead payloads are written to logs, like the dead letters of a group.
class HostedDeadPayloads final : public DeadPayloadLogs {
 public:
  Result<void> may_write(const Place<Pool>& from, ByteView log) override {
    return may_write_other_log(context_of(from), "the pool and the log", from.name(), log);
  }
  bool write(const Place<Pool>& from, ByteView log, ByteView tag, ByteView payload) override {
    const ByteView pair[] = {tag, payload};
    WriteRequest request;
    request.pairs = pair;
    return write_other_log(context_of(from), from.name(), log, request);
  }

 private:
  // All places of pools in this process are keys.
  static abi::Context context_of(const Place<Pool>& place) {
    return static_cast<const KeyPlace<Pool>&>(place).context();
  }
};

}  // namespace

PoolOperations& pool_operations() {
  static HostedPoolWaiters waiters;
  static HostedDeadPayloads dead_payloads;
  static PoolOperations operations(hash_key(), waiters, block_limits(), &dead_payloads);
  return operations;
}

Consequences ObjectTraits<Pool>::look_after(KeyPlace<Pool>& place, const Call& call) {
  return pool_operations().look_after(place, call);
}

}  // namespace millrace::module
