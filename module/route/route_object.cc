#include "module/route/route_object.h"

#include <algorithm>

#include "engine/base/quoted.h"
#include "module/log/hosted_logs.h"
#include "module/log/log_type.h"
#include "module/runtime/slice_budget.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

namespace {

// The logs of this server, which a dispatch writes to. The host has checked the user's right to write to them: they are
// keys of the command.
class HostedQueues final : public Queues {
 public:
  // The command names only a prefix: rights and slot of the resulting log names are checked here.
  Result<void> may_use(const Place<RouteTable>& from, ByteView queue) override {
    return may_reach_log(context_of(from), "table and logs", from.name(), queue);
  }

  Result<uint64_t> room(const Place<RouteTable>& from, ByteView queue) override {
    const abi::OwnedString name(queue);
    if (is_log_elsewhere(context_of(from), from.name(), name)) {
      return fail(ErrorCode::Refused, "the queue " + quoted(queue) + " is in another slot or on another node");
    }
    const auto key = LogKey::for_writing(context_of(from), name);
    if (!key) return std::unexpected(key.error());
    if (key->get() == nullptr) return UINT64_MAX;
    const uint64_t room = key->get()->room_for_groups();
    if (room == 0) {
      return fail(ErrorCode::Refused, "groups of the queue " + quoted(queue) + " must finish something first");
    }
    return std::min(room, key->get()->room());
  }

  Offset write(const Place<RouteTable>& from, ByteView queue, ByteView tag, ByteView entry) override {
    const ByteView pair[] = {tag, entry};
    return *write_to_log(context_of(from), abi::OwnedString(queue),
                         {.backlog = std::nullopt, .pairs = pair, .is_admitted = true});
  }

 private:
  // All places of tables in this process are keys.
  static abi::Context context_of(const Place<RouteTable>& place) {
    return static_cast<const KeyPlace<RouteTable>&>(place).context();
  }
};

}  // namespace

RouteOperations& route_operations() {
  static HostedQueues queues;
  static RouteOperations operations(hash_key(), queues);
  return operations;
}

Consequences ObjectTraits<RouteTable>::look_after(KeyPlace<RouteTable>& place, const Call& call) {
  return route_operations().look_after(place, call, SliceBudget());
}

}  // namespace millrace::module
