#include "module/abi/data_type.h"
#include "module/lock/lock_commands.h"
#include "module/lock/lock_object.h"
#include "module/lock/lock_upkeep.h"
#include "module/runtime/upkeep.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  const LockCounters& done = lock_operations().counters();
  info.field("lock_grants", done.grants);
  info.field("lock_reentries", done.reentries);
  info.field("lock_releases", done.releases);
  info.field("lock_expiries", done.expiries);
  info.field("lock_breaks", done.breaks);
  info.field("lock_waiting", WaitingClients<Lock>::counters().waiting);
  info.field("lock_handed_over", WaitingClients<Lock>::counters().served);
}

void take_over_tokens() { lock_operations().tokens().take_over(abi::now()); }

}  // namespace

Family lock_family() {
  lock_operations();  // reads the mark of the tokens, before anything else is loaded
  return {
      .part = {.commands = lock_command_table(), .create_type = abi::DataType<Lock>::create, .write_info = write_info},
      .look_after = look_after_lock,
      .appeared = take_up<Lock>,
      .waiters = lock_waiters(),
      .promoted = take_over_tokens,
  };
}

}  // namespace millrace::module
