#include "module/commands/lock/lock_commands.h"
#include "module/commands/lock/lock_visit.h"
#include "module/host/counters.h"
#include "module/host/owed_answers.h"
#include "module/host/role.h"

namespace millrace::module {

void lock_break(abi::Context context, abi::Arguments arguments) {
  const abi::StringRef name = arguments.string(1);
  if (decides(context)) {
    auto visit = LockVisit::open(context, name);
    if (!visit) return context.reply().error(visit.error());
    visit->end_leases();
    visit->finish();
  }
  auto key = LockKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  const bool is_held = key->get() != nullptr;
  context.reply().integer(is_held ? 1 : 0);
  if (!is_held) return;
  key->remove();
  if (decides(context)) ++counters.lock.breaks;
  context.replicate_verbatim();
  context.changed(name, "lock.break");
  serve_owed(context);
}

}  // namespace millrace::module
