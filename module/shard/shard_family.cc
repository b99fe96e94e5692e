#include "module/abi/data_type.h"
#include "module/runtime/upkeep.h"
#include "module/runtime/waiting.h"
#include "module/shard/pool_object.h"
#include "module/shard/shard_commands.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  const PoolTotals& done = pool_operations().totals();
  info.field("shard_messages_routed", done.routed);
  info.field("shard_payloads_pushed", done.pushed);
  info.field("shard_payloads_delivered", done.delivered);
  info.field("shard_payloads_acknowledged", done.acknowledged);
  info.field("shard_workers_failed_over", done.failovers);
  info.field("shard_recipients_moved", done.moved);
  info.field("shard_payloads_dead", done.dead);
  info.field("shard_recipients_forgotten", done.forgotten);
  info.field("shard_clients_waiting", WaitingClients<Pool>::counters().waiting);
}

}  // namespace

Family shard_family() {
  return {
      .part = {.commands = shard_command_table(), .create_type = abi::DataType<Pool>::create, .write_info = write_info},
      .look_after = look_after<Pool>,
      .appeared = take_up<Pool>,
      .waiters = WaitingClients<Pool>::hooks(),
  };
}

}  // namespace millrace::module
