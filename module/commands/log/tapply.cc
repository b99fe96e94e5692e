// TAPPLY is not for people: it is what a master writes to its replicas and a server to
// its AOF, so that they need not compute anything again. It is documented, and as
// careful with its bytes as RESTORE, because anybody may send it.
#include "engine/log/group_codec.h"
#include "engine/log/log_codec.h"
#include "module/commands/log/log_commands.h"
#include "module/commands/log/log_readers.h"
#include "module/commands/log/log_requests.h"
#include "module/commands/log/log_upkeep.h"
#include "module/host/counters.h"
#include "module/host/engine_resources.h"
#include "module/host/log_strings.h"
#include "module/host/log_type.h"
#include "module/host/settings.h"

namespace millrace::module {

namespace {

Result<void> apply_compacted(Log& log, ByteView bytes) {
  const auto removed = apply_removal(log, bytes, block_limits());
  if (!removed) return std::unexpected(removed.error());
  counters.log.compacted += *removed;
  return {};
}

Result<void> apply(Log& log, const ApplyRequest& request) {
  switch (request.what) {
    case ApplyRequest::What::Clock:
      log.tick(request.clock);
      return {};
    case ApplyRequest::What::Block: {
      const auto header = decode_block_header(request.header);
      if (!header) return std::unexpected(header.error());
      return log.append_block(*header, abi::copy_of(request.bytes), block_packer(), Log::Gaps::Allowed);
    }
    case ApplyRequest::What::Head: {
      const auto head = decode_log_head(request.bytes);
      if (!head) return std::unexpected(head.error());
      return log.restore_head(*head);
    }
    case ApplyRequest::What::Group:
      return restore_group(log, request.bytes);
    case ApplyRequest::What::Pending:
      return restore_pending(log, request.bytes);
    case ApplyRequest::What::Delivered:
      return apply_delivery(log, request.bytes);
    case ApplyRequest::What::GivenUp:
      return apply_giving_up(log, request.bytes);
    case ApplyRequest::What::GivenBack:
      return apply_giving_back(log, request.bytes);
    case ApplyRequest::What::Compacted:
      return apply_compacted(log, request.bytes);
  }
  return {};
}

// What a rewritten AOF brings makes a log whole only with its last command: a group whose
// others, or whose pending messages, are still to come says nothing about what all have
// finished with.
bool is_part_of_a_log(ApplyRequest::What what) {
  using enum ApplyRequest::What;
  return what == Block || what == Head || what == Group || what == Pending;
}

}  // namespace

void tapply(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tapply(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto key = LogKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());

  // A log that is not there yet is made only if the effect is good.
  std::unique_ptr<Log> made = key->get() == nullptr ? std::make_unique<Log>() : nullptr;
  Log& log = made ? *made : *key->get();
  if (const auto applied = apply(log, *request); !applied) {
    ++counters.refused_payloads;
    return context.reply().error(applied.error());
  }
  if (made) key->set(std::move(made));
  if (!is_part_of_a_log(request->what)) settle_groups(log);
  keep_dates(context, name, log);
  keep_packed(context, name, log);
  context.reply().ok();
  context.replicate_verbatim();
  context.changed(name, "tapply");
  serve_readers(context, name, log);
}

}  // namespace millrace::module
