#include "module/commands/log/group_delivery.h"
#include "module/commands/log/group_readers.h"
#include "module/commands/log/log_commands.h"
#include "module/commands/log/log_readers.h"
#include "module/commands/log/log_requests.h"
#include "module/commands/log/log_upkeep.h"
#include "module/commands/log/message_writing.h"
#include "module/host/log_type.h"
#include "module/host/role.h"

namespace millrace::module {

namespace {

void read_alone(abi::Context context, abi::StringRef name, const ReadRequest& request) {
  const auto key = LogKey::for_reading(context, name);
  if (!key) return context.reply().error(key.error());
  const Log* log = key->get();
  const Offset from = request.start.in(log);
  if (!request.block_ms || has_something_to_read(log, from, request)) {
    abi::Reply reply = context.reply();
    return write_messages(reply, log, from, request);
  }
  if (context.must_answer_at_once()) {
    return write_nothing_came(context.reply(), {context.database(), std::string(name.view())}, request.with_info);
  }
  wait_for_messages(context, name, from, request);
}

// To the host TREAD is a reading command, so that anybody can read anywhere, on replicas
// too. With a group it writes, and must ask itself what the host asks before a write. Who
// may acknowledge may take.
Result<void> may_read_with_group(abi::Context context, abi::StringRef name) {
  if (!server_decides && context.is_read_only()) {
    return fail(ErrorCode::ReadOnly, "You can't write against a read only replica.");
  }
  static const auto& tack = *new abi::OwnedString("TACK");
  static const auto& any_offset = *new abi::OwnedString("1");
  const abi::StringRef words[] = {tack, name, tack, any_offset};
  if (!context.may_run(words)) {
    return fail(ErrorCode::NoRights, "this user may not read with a group: it needs the right to run TACK on the key");
  }
  return {};
}

// True if the read takes memory: messages become pending, or the group is new.
bool grows(Log* log, const GroupRead& read) { return read.retry || log == nullptr || log->group(read.name) == nullptr; }

void read_with_group(abi::Context context, abi::StringRef name, const ReadRequest& request) {
  if (const auto allowed = may_read_with_group(context, name); !allowed) {
    return context.reply().error(allowed.error());
  }
  auto key = LogKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  if (grows(key->get(), *request.group)) {
    if (const auto allowed = may_grow(context); !allowed) return context.reply().error(allowed.error());
  }
  Log& log = key->get_or_create();
  const Delivery delivery = deliver(context, name, log, *request.group, request.count);
  if (delivery.empty() && request.block_ms) {
    // Messages may have been given up, or a new group may need none of those there are.
    settle_groups(log);
    keep_dates_of_group(context, name, log, request.group->name);
    if (!context.must_answer_at_once()) return wait_for_delivery(context, name, request);
    return write_nothing_came(context.reply(), {context.database(), std::string(name.view())}, request.with_info);
  }
  abi::Reply reply = context.reply();
  write_delivery(reply, log, request, delivery);
  settle_groups(log);
  keep_dates_of_group(context, name, log, request.group->name);
}

}  // namespace

void tread(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tread(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  return request->group ? read_with_group(context, name, *request) : read_alone(context, name, *request);
}

}  // namespace millrace::module
