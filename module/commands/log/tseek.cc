#include "module/commands/log/log_commands.h"
#include "module/commands/log/log_requests.h"
#include "module/host/log_type.h"

namespace millrace::module {

void tseek(abi::Context context, abi::Arguments arguments) {
  const auto time = parse_tseek(arguments.views(2));
  if (!time) return context.reply().error(time.error());
  const auto key = LogKey::for_reading(context, arguments.string(1));
  if (!key) return context.reply().error(key.error());
  const Offset found = key->get() == nullptr ? Offset(1) : key->get()->seek(*time);
  context.reply().integer(static_cast<int64_t>(found.value()));
}

}  // namespace millrace::module
