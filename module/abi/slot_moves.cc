#include "module/abi/slot_moves.h"

#include <vector>

#include "module/abi/registration.h"

namespace millrace::abi {

namespace {

// The only host whose keys a module may ask about by slot: Redis 8.4 and later.
bool is_redis_with_moves() { return host.ClusterCanAccessKeysInSlot != nullptr; }
bool is_valkey_with_moves() { return !is_redis_with_moves() && host.GetServerVersion() >= 0x090000; }

void on_redis_move(HostContext*, HostEvent, uint64_t moment, void* details) {
  const auto& info = *static_cast<const RedisSlotsMoveInfo*>(details);
  if (moment == kRedisImportFailed || moment == kRedisImportCompleted) return listener().import_ended(info.job);
  if (moment != kRedisImportStarted) return;
  const auto* const ranges = reinterpret_cast<const RedisSlotRange*>(info.slots + 1);
  std::vector<SlotRange> slots;
  for (int32_t i = 0; i < info.slots->count; ++i) slots.push_back({ranges[i].first, ranges[i].last});
  listener().import_begins(info.job, slots);
}

void on_valkey_move(HostContext*, HostEvent, uint64_t moment, void* details) {
  const auto& info = *static_cast<const ValkeySlotsMoveInfo*>(details);
  if (moment == kValkeyImportAborted || moment == kValkeyImportCompleted) return listener().import_ended(info.job);
  if (moment != kValkeyImportStarted) return;
  std::vector<SlotRange> slots;
  for (uint32_t i = 0; i < info.count; ++i) {
    slots.push_back({static_cast<uint16_t>(info.ranges[i].first), static_cast<uint16_t>(info.ranges[i].last)});
  }
  listener().import_begins(info.job, slots);
}

}  // namespace

bool watch_slot_moves(HostContext* loading) {
  if (!Context(loading).is_cluster()) return true;
  if (is_redis_with_moves()) return host.SubscribeToServerEvent(loading, kEventSlotsMoveInRedis, on_redis_move) == kOk;
  if (is_valkey_with_moves()) {
    return host.SubscribeToServerEvent(loading, kEventSlotsMoveInValkey, on_valkey_move) == kOk;
  }
  return true;
}

}  // namespace millrace::abi
