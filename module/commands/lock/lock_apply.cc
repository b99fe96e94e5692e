// LOCK.APPLY is not for people: it is what a master writes to its replicas and a server to
// its AOF. It is documented, and as careful with its bytes as RESTORE, because anybody may
// send it.
#include "engine/lock/lock_codec.h"
#include "module/commands/lock/lock_commands.h"
#include "module/host/counters.h"
#include "module/host/fencing.h"
#include "module/host/lock_type.h"
#include "module/host/owed_answers.h"
#include "module/host/role.h"

namespace millrace::module {

void lock_apply(abi::Context context, abi::Arguments arguments) {
  const abi::StringRef name = arguments.string(1);
  auto key = LockKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());

  // A lock that is not there yet is made only if the effect is good.
  std::unique_ptr<Lock> made = key->get() == nullptr ? std::make_unique<Lock>() : nullptr;
  Lock& lock = made ? *made : *key->get();
  const Clocks now = read_clocks();
  const Token most = decides(context) ? fencing::most_believed() : kMaxToken;
  Token greatest;
  if (const auto applied = apply_changes(lock, arguments[2], now, most, greatest); !applied) {
    ++counters.refused_payloads;
    return context.reply().error(applied.error());
  }
  fencing::seen(greatest);
  if (lock.is_free()) {
    if (!made) key->remove();
  } else {
    if (made) key->set(std::move(made));
    keep_leases(context.database(), name.view(), *key->get(), now);
  }
  context.reply().ok();
  context.replicate_verbatim();
  context.changed(name, "lock.apply");
  serve_soon({context.database(), std::string(name.view())});
}

}  // namespace millrace::module
