#include "module/commands/log/log_commands.h"
#include "module/commands/log/log_readers.h"
#include "module/commands/log/log_requests.h"
#include "module/commands/log/log_upkeep.h"
#include "module/host/log_type.h"

namespace millrace::module {

void tevict(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tevict(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto key = LogKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());

  uint64_t evicted = 0;
  if (Log* log = key->get()) {
    evicted = request->keep ? log->keep_newest(*request->keep) : log->evict_before(request->up_to + 1);
    settle_evicted(*log, evicted);
  }
  context.reply().integer(static_cast<int64_t>(evicted));
  if (evicted == 0) return;
  context.replicate_verbatim();
  context.changed(name, "tevict");
  // What is gone is pending no longer, so a group may have room for more.
  serve_readers(context, name, *key->get());
}

}  // namespace millrace::module
