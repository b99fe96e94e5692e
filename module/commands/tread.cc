#include "module/commands/log_commands.h"
#include "module/commands/log_readers.h"
#include "module/commands/log_requests.h"
#include "module/host/log_type.h"

namespace millrace::module {

void tread(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tread(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  const auto key = LogKey::for_reading(context, name);
  if (!key) return context.reply().error(key.error());

  const Log* log = key->get();
  const Offset from = request->start.in(log);
  if (!request->block_ms || has_something_to_read(log, from, *request)) {
    return write_messages(context.reply(), log, from, *request);
  }
  if (context.must_answer_at_once()) {
    if (!request->with_info) return context.reply().null_array();
    return write_messages(context.reply(), log, from, *request);
  }
  wait_for_messages(context, name, from, *request);
}

}  // namespace millrace::module
