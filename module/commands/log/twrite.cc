#include "module/commands/log/log_commands.h"
#include "module/commands/log/log_readers.h"
#include "module/commands/log/log_requests.h"
#include "module/commands/log/log_upkeep.h"
#include "module/host/counters.h"
#include "module/host/log_type.h"
#include "module/host/settings.h"

namespace millrace::module {

namespace {

Offset append_all(Log& log, const WriteRequest& request) {
  const BlockLimits limits = block_limits();
  const Offset first = log.next();
  for (size_t i = 0; i < request.pairs.size(); i += 2) log.append(request.pairs[i], request.pairs[i + 1], limits);
  counters.log.written += request.pairs.size() / 2;
  return first;
}

// What these evict depends on the log alone, so replicas find the same.
uint64_t evict_surplus(Log& log, const WriteRequest& request) {
  uint64_t evicted = request.backlog ? log.keep_newest(*request.backlog) : 0;
  if (log.retention().any()) evicted += log.enforce_size_limits();
  return evicted;
}

}  // namespace

void twrite(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_twrite(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto key = LogKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  if (key->get() != nullptr && key->get()->room() < request->pairs.size() / 2) {
    return context.reply().error({ErrorCode::Full, "the log has used up its offsets"});
  }

  Log& log = key->get_or_create();
  move_clock(context, name, log);
  const Offset first = append_all(log, *request);
  settle_evicted(log, evict_surplus(log, *request));
  keep_appended(context, name, log);

  context.reply().integer(static_cast<int64_t>(first.value()));
  context.replicate_verbatim();
  context.changed(name, "twrite");
  serve_readers(context, name, log);
}

}  // namespace millrace::module
