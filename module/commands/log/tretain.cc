#include "module/commands/log/log_commands.h"
#include "module/commands/log/log_readers.h"
#include "module/commands/log/log_requests.h"
#include "module/commands/log/log_upkeep.h"
#include "module/host/log_type.h"
#include "module/host/reclaim.h"
#include "module/host/role.h"

namespace millrace::module {

namespace {

void write_retention(abi::Reply reply, const Retention& keep) {
  reply.map(5);
  reply.bytes("count");
  reply.integer(static_cast<int64_t>(keep.count));
  reply.bytes("age");
  reply.integer(static_cast<int64_t>(keep.age_ms));
  reply.bytes("bytes");
  reply.integer(static_cast<int64_t>(keep.bytes));
  reply.bytes("latest");
  reply.bytes(keep.latest ? "yes" : "no");
  reply.bytes("acked");
  reply.bytes(keep.acked ? "yes" : "no");
}

// What the new limits do not keep goes at once. Count and bytes are repeated by whoever
// hears of this command; age is passed on as what it evicted.
void enforce_now(abi::Context context, abi::StringRef name, Log& log) {
  uint64_t evicted = log.enforce_size_limits();
  if (decides(context)) {
    const uint64_t aged = log.enforce_age(abi::now());
    if (aged != 0) context.replicate("TEVICT", name, log.first().value() - 1);
    evicted += aged;
  }
  settle_evicted(log, evicted);
  settle_groups(log);
}

}  // namespace

void tretain(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tretain(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto key = LogKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  if (request->only_shows()) {
    return write_retention(context.reply(), key->get() == nullptr ? Retention{} : key->get()->retention());
  }

  if (key->get() == nullptr) {
    if (const auto allowed = may_grow(context); !allowed) return context.reply().error(allowed.error());
  }
  Log& log = key->get_or_create();
  log.set_retention(request->applied_to(log.retention()));
  reclaim(log.take_unused_compaction());
  context.replicate_verbatim();
  enforce_now(context, name, log);
  keep_dates(context, name, log);
  context.reply().ok();
  context.changed(name, "tretain");
  // What is gone is pending no longer, so a group may have room for more.
  serve_readers(context, name, log);
}

}  // namespace millrace::module
