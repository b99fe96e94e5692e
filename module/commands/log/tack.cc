#include "engine/log/group_codec.h"
#include "module/commands/log/log_commands.h"
#include "module/commands/log/log_readers.h"
#include "module/commands/log/log_requests.h"
#include "module/commands/log/log_upkeep.h"
#include "module/commands/log/opened_group.h"
#include "module/host/counters.h"

namespace millrace::module {

void tack(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tack(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedGroup::open(LogKey::for_writing(context, name), name, request->group);
  if (!opened) return context.reply().error(opened.error());

  uint64_t acknowledged = 0;
  for (const OffsetRange& range : request->ranges) acknowledged += opened->group->acknowledge(range.from, range.to);
  context.reply().integer(static_cast<int64_t>(acknowledged));
  if (acknowledged == 0) return;
  counters.log.acknowledged += acknowledged;
  context.replicate_verbatim();
  context.changed(name, "tack");
  settle_groups(*opened->log);
  // There may be room for more pending messages now.
  serve_readers(context, name, *opened->log);
}

void tnack(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tnack(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedGroup::open(LogKey::for_writing(context, name), name, request->group);
  if (!opened) return context.reply().error(opened.error());

  GivingBack effect{.at = abi::now() + request->delay_ms, .postpone_expiry = false, .pieces = {}};
  uint64_t given_back = 0;
  for (const OffsetRange& range : request->ranges) {
    given_back += opened->group->give_back(range.from, range.to, effect.at);
    effect.pieces.push_back({range.from, range.to});
  }
  context.reply().integer(static_cast<int64_t>(given_back));
  if (given_back == 0) return;
  const abi::OwnedString bytes(encode_effect(request->group, effect));
  context.replicate(kApply, name, kApplyGivenBack, abi::StringRef(bytes));
  context.changed(name, "tnack");
  keep_dates_of_group(context, name, *opened->log, request->group);
  serve_readers(context, name, *opened->log);
}

}  // namespace millrace::module
