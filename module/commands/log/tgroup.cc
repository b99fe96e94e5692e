#include <iterator>

#include "engine/base/hash_slot.h"
#include "module/commands/log/group_readers.h"
#include "module/commands/log/log_commands.h"
#include "module/commands/log/log_readers.h"
#include "module/commands/log/log_requests.h"
#include "module/commands/log/log_upkeep.h"
#include "module/commands/log/opened_group.h"
#include "module/host/settings.h"

namespace millrace::module {

namespace {

void write_group(abi::Reply& reply, const Log& log, const std::string& name, const Group& group) {
  const GroupCounters& counters = group.counters();
  const GroupSettings& settings = group.settings();
  const struct {
    const char* name;
    uint64_t value;
  } numbers[] = {
      {"last", group.next().value() - 1},
      {"pending", group.pending().count()},
      {"lag", group.lag(log.next())},
      {"lost", counters.lost},
      {"expired", counters.expired},
      {"exhausted", counters.exhausted},
      {"redelivered", counters.redelivered},
      {"pending-max", settings.pending_max == 0 ? default_pending_max() : settings.pending_max},
      {"max-attempts", settings.max_attempts},
  };
  reply.map(std::size(numbers) + 2);
  reply.bytes("name");
  reply.bytes(name);
  for (const auto& [field, value] : numbers) {
    reply.bytes(field);
    reply.integer(static_cast<int64_t>(value));
  }
  reply.bytes("dead-letter");
  settings.dead_letter.empty() ? reply.null() : reply.bytes(settings.dead_letter);
}

uint64_t ms_until(uint64_t date, UnixMs now) { return date > now.value() ? date - now.value() : 0; }

void write_pending(abi::Reply& reply, const Group& group, Offset offset, const PendingTerms& terms, UnixMs now) {
  reply.array(5);
  reply.integer(static_cast<int64_t>(offset.value()));
  reply.integer(terms.attempts);
  reply.integer(static_cast<int64_t>(ms_until(terms.retry_at, now)));
  reply.integer(terms.expire_at == kNeverExpires ? -1 : static_cast<int64_t>(ms_until(terms.expire_at, now)));
  terms.consumer.is_none() ? reply.null() : reply.bytes(group.consumers().name(terms.consumer));
}

// The dead letters of a log may be any other log that the cluster keeps on the same node
// and the user may write to.
Result<void> check_dead_letter(abi::Context context, abi::StringRef key, ByteView target) {
  if (target.empty()) return {};
  if (target == key.view()) return fail(ErrorCode::Range, "a log cannot be its own DEADLETTER");
  if (context.is_cluster() && hash_slot(target) != hash_slot(key.view())) {
    return fail(ErrorCode::Range, "DEADLETTER must be in the log's hash slot: give both keys the same {tag}");
  }
  const abi::OwnedString name(target);
  static const auto& twrite_word = *new abi::OwnedString("TWRITE");
  const abi::StringRef words[] = {twrite_word, name, name, name};
  if (!context.is_effect() && !context.may_run(words)) {
    return fail(ErrorCode::NoRights, "this user may not TWRITE to the DEADLETTER key");
  }
  const auto opened = LogKey::for_reading(context, name);
  if (!opened) return std::unexpected(opened.error());
  return {};
}

}  // namespace

void tgroup_list(abi::Context context, abi::Arguments arguments) {
  const auto key = LogKey::for_reading(context, arguments.string(1));
  if (!key) return context.reply().error(key.error());
  abi::Reply reply = context.reply();
  if (key->get() == nullptr) return reply.array(0);
  reply.array(key->get()->groups().size());
  for (const auto& [name, group] : key->get()->groups()) write_group(reply, *key->get(), name, group);
}

void tgroup_seek(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tgroup_seek(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedGroup::open(LogKey::for_writing(context, name), name, request->group);
  if (!opened) return context.reply().error(opened.error());
  Log& log = *opened->log;
  Offset to = request->where == SeekGroupRequest::Where::First ? log.first() : log.next();
  if (request->where == SeekGroupRequest::Where::Offset) {
    if (request->offset > log.next()) {
      return context.reply().error(
          {ErrorCode::Range, "the offset is beyond the next one of the log, " + std::to_string(log.next().value())});
    }
    to = std::max(request->offset, log.first());
  }
  opened->group->seek(to, log.missing_from(to));
  context.reply().ok();
  context.replicate_verbatim();
  context.changed(name, "tgroup-seek");
  settle_groups(log);
  serve_readers(context, name, log);
}

void tgroup_drop(abi::Context context, abi::Arguments arguments) {
  const abi::StringRef name = arguments.string(1);
  auto key = LogKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());
  const bool dropped = key->get() != nullptr && key->get()->drop_group(arguments[2]);
  context.reply().integer(dropped ? 1 : 0);
  if (!dropped) return;
  context.replicate_verbatim();
  context.changed(name, "tgroup-drop");
  settle_groups(*key->get());
  dismiss_group_readers({context.database(), std::string(name.view())}, arguments[2]);
}

void tgroup_pending(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tgroup_pending(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  const auto opened = OpenedGroup::open(LogKey::for_reading(context, name), name, request->group);
  if (!opened) return context.reply().error(opened.error());
  const Group& group = *opened->group;
  const UnixMs now = abi::now();
  abi::Reply reply = context.reply();
  reply.array_later();
  uint64_t written = 0;
  group.pending().each_from(request->from, [&](const PendingPart& part) {
    const bool wanted = !request->consumer || (part.terms.consumer.is_some() &&
                                               group.consumers().name(part.terms.consumer) == *request->consumer);
    if (!wanted) return true;
    part.messages.each([&](Offset offset) {
      if (offset < request->from || written == request->count) return;
      write_pending(reply, group, offset, part.terms, now);
      ++written;
    });
    return written < request->count;
  });
  reply.array_was(written);
}

void tgroup_set(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_tgroup_set(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto opened = OpenedGroup::open(LogKey::for_writing(context, name), name, request->group);
  if (!opened) return context.reply().error(opened.error());
  if (request->dead_letter) {
    if (const auto fine = check_dead_letter(context, name, *request->dead_letter); !fine) {
      return context.reply().error(fine.error());
    }
  }
  opened->group->set(request->applied_to(opened->group->settings()));
  context.reply().ok();
  context.replicate_verbatim();
  context.changed(name, "tgroup-set");
  keep_dates(context, name, *opened->log);
  serve_readers(context, name, *opened->log);
}

}  // namespace millrace::module
