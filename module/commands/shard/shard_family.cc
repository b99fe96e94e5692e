#include "module/abi/data_type.h"
#include "module/commands/shard/pool_upkeep.h"
#include "module/commands/shard/shard_commands.h"
#include "module/commands/shard/waiting_workers.h"
#include "module/host/counters.h"
#include "module/host/shard_type.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  info.field("shard_messages_routed", counters.shard.routed);
  info.field("shard_payloads_pushed", counters.shard.pushed);
  info.field("shard_payloads_delivered", counters.shard.delivered);
  info.field("shard_payloads_acknowledged", counters.shard.acknowledged);
  info.field("shard_workers_failed_over", counters.shard.failovers);
  info.field("shard_recipients_moved", counters.shard.moved);
  info.field("shard_clients_waiting", counters.shard.waiting);
}

}  // namespace

Family shard_family() {
  return {
      .part = {.commands = shard_command_table(), .create_type = abi::DataType<Pool>::create, .write_info = write_info},
      .look_after = look_after_pool,
      .waiters = &kShardWaiters,
  };
}

}  // namespace millrace::module
