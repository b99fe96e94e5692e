#include "module/abi/data_type.h"
#include "module/log/log_commands.h"
#include "module/log/log_object.h"
#include "module/log/log_resources.h"
#include "module/log/packing.h"
#include "module/log/upkeep_counters.h"
#include "module/runtime/upkeep.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  const LogCounters& done = log_operations().counters();
  info.field("log_messages_written", done.written);
  info.field("log_messages_read", done.read);
  info.field("log_messages_redelivered", done.redelivered);
  info.field("log_messages_acknowledged", done.acknowledged);
  info.field("log_messages_given_up", done.given_up);
  info.field("log_dead_letters", done.dead_letters);
  info.field("log_dead_letters_redriven", done.redriven);
  info.field("log_messages_evicted", done.evicted);
  info.field("log_messages_compacted", done.compacted);
  info.field("log_writes_repeated", done.duplicates);
  info.field("log_writes_refused", done.refused);
  info.field("log_messages_scheduled", done.scheduled);
  info.field("log_messages_deleted", done.deleted);
  info.field("log_compaction_slices", log_upkeep.compaction_slices);
  info.field("log_compaction_slice_max_us", log_upkeep.compaction_slice_max_us);
  info.field("log_readers_blocked", WaitingClients<Log>::counters().waiting);
  info.field("log_readers_woken", WaitingClients<Log>::counters().served);
  info.field("log_blocks_packed", done.blocks_packed);
  info.field("log_blocks_left_unpacked", done.blocks_left_unpacked);
  info.field("log_packing_saved_bytes", done.saved_by_packing);
  info.field("log_packing_waiting", packing::waiting());
  info.field("log_cache_blocks", block_packer().unpacked().size());
  info.field("log_cache_bytes", block_packer().unpacked().bytes());
  info.field("log_cache_hits", block_packer().unpacked().hits());
  info.field("log_cache_misses", block_packer().unpacked().misses());
}

constexpr DatabaseEvents kDatabaseEvents{
    .swapped = packing::follow_swap, .emptied = packing::forget, .loading = packing::follow_loading};

}  // namespace

Family log_family() {
  return {
      .part = {.commands = log_command_table(), .create_type = abi::DataType<Log>::create, .write_info = write_info},
      .look_after = look_after<Log>,
      .appeared = take_up<Log>,
      .waiters = WaitingClients<Log>::hooks(),
      .database_events = &kDatabaseEvents,
  };
}

}  // namespace millrace::module
