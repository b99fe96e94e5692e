#include "module/abi/data_type.h"
#include "module/commands/lock/lock_commands.h"
#include "module/commands/lock/lock_line.h"
#include "module/host/counters.h"
#include "module/host/lock_type.h"

namespace millrace::module {

namespace {

void write_info(abi::InfoWriter& info) {
  info.field("lock_grants", counters.lock.grants);
  info.field("lock_reentries", counters.lock.reentries);
  info.field("lock_releases", counters.lock.releases);
  info.field("lock_expiries", counters.lock.expiries);
  info.field("lock_breaks", counters.lock.breaks);
  info.field("lock_waiting", counters.lock.waiting);
  info.field("lock_handed_over", counters.lock.handed_over);
}

}  // namespace

Family lock_family() {
  return {
      .part = {.commands = lock_command_table(), .create_type = abi::DataType<Lock>::create, .write_info = write_info},
      .look_after = look_after_lock,
      .waiters = &kLockWaiters,
  };
}

}  // namespace millrace::module
