#include "module/commands/log/log_upkeep.h"

#include <algorithm>
#include <optional>
#include <string>

#include "module/commands/log/compaction_slices.h"
#include "module/commands/log/group_delivery.h"
#include "module/commands/log/log_readers.h"
#include "module/host/agenda.h"
#include "module/host/counters.h"
#include "module/host/log_type.h"
#include "module/host/packing.h"
#include "module/host/reclaim.h"
#include "module/host/role.h"

namespace millrace::module {

void move_clock(abi::Context context, abi::StringRef name, Log& log) {
  if (!decides(context)) return;
  if (log.tick(abi::now())) context.replicate(kApply, name, kApplyClock, log.clock().value());
}

void settle_evicted(Log& log, uint64_t evicted) {
  if (evicted == 0) return;
  // The one that held the tail may be gone, pending no longer, and all groups have finished with those behind it.
  counters.log.evicted += evicted + log.enforce_acked();
  reclaim(log.take_evicted());
}

void settle_groups(Log& log) { settle_evicted(log, log.enforce_acked()); }

namespace {

void keep_date(abi::Context context, abi::StringRef name, Log& log, std::optional<UnixMs> due) {
  if (!due || log.promised() <= *due) return;
  log.promise(*due);
  agenda::add({context.database(), std::string(name.view())}, *due);
}

}  // namespace

void keep_dates(abi::Context context, abi::StringRef name, Log& log) {
  keep_date(context, name, log, log.next_date());
  keep_compaction_going(context, name, log);
}

void keep_compaction_going(abi::Context context, abi::StringRef name, Log& log) {
  if (log.wants_compaction()) keep_date(context, name, log, next_compaction(log, abi::now()));
}

void keep_dates_of_group(abi::Context context, abi::StringRef name, Log& log, ByteView group_name) {
  if (const Group* group = log.group(group_name)) keep_date(context, name, log, group->next_event());
}

void keep_packed(abi::Context context, abi::StringRef name, Log& log) {
  packing::see_to(log, [&] { return DatabaseKey{context.database(), std::string(name.view())}; });
}

void keep_appended(abi::Context context, abi::StringRef name, Log& log) {
  if (log.retention().age_ms != 0) keep_dates(context, name, log);
  if (log.retention().latest) keep_compaction_going(context, name, log);
  keep_packed(context, name, log);
}

std::optional<UnixMs> look_after_log(abi::Context context, abi::StringRef name, UnixMs now) {
  auto key = LogKey::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return std::nullopt;
  Log& log = *key->get();
  if (const uint64_t evicted = log.enforce_age(now)) {
    settle_evicted(log, evicted);
    context.replicate("TEVICT", name, log.first().value() - 1);
    context.changed(name, "tevict");
  }
  give_up_due_messages(context, name, log, now);
  if (log.wants_compaction()) compact_slice(context, name, log);
  serve_readers(context, name, log);
  auto next = log.next_date();
  if (log.wants_compaction()) next = std::min(next.value_or(UnixMs(UINT64_MAX)), next_compaction(log, now));
  log.promise(next.value_or(UnixMs(UINT64_MAX)));
  return next;
}

}  // namespace millrace::module
