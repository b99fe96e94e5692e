#include "module/abi/data_type.h"
#include "module/commands/log/log_commands.h"
#include "module/commands/log/log_readers.h"
#include "module/commands/log/log_upkeep.h"
#include "module/host/counters.h"
#include "module/host/engine_resources.h"
#include "module/host/log_type.h"
#include "module/host/packing.h"
#include "module/host/reclaim.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  info.field("log_messages_written", counters.log.written);
  info.field("log_messages_read", counters.log.read);
  info.field("log_messages_redelivered", counters.log.redelivered);
  info.field("log_messages_acknowledged", counters.log.acknowledged);
  info.field("log_messages_given_up", counters.log.given_up);
  info.field("log_dead_letters", counters.log.dead_letters);
  info.field("log_messages_evicted", counters.log.evicted);
  info.field("log_messages_compacted", counters.log.compacted);
  info.field("log_compaction_slices", counters.log.compaction_slices);
  info.field("log_compaction_slice_max_us", counters.log.compaction_slice_max_us);
  info.field("log_readers_blocked", counters.log.blocked_readers);
  info.field("log_readers_woken", counters.log.woken_readers);
  info.field("log_blocks_packed", counters.log.blocks_packed);
  info.field("log_blocks_left_unpacked", counters.log.blocks_left_unpacked);
  info.field("log_packing_saved_bytes", counters.log.bytes_saved);
  info.field("log_packing_waiting", packing::waiting());
  info.field("log_cache_blocks", block_packer().unpacked().size());
  info.field("log_cache_bytes", block_packer().unpacked().bytes());
  info.field("log_cache_hits", block_packer().unpacked().hits());
  info.field("log_cache_misses", block_packer().unpacked().misses());
}

}  // namespace

Family log_family() {
  return {
      .part = {.commands = log_command_table(), .create_type = abi::DataType<Log>::create, .write_info = write_info},
      .look_after = look_after_log,
      .waiters = &kLogWaiters,
  };
}

}  // namespace millrace::module
