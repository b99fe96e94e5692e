#include <algorithm>
#include <iterator>

#include "module/log/log_resources.h"
#include "module/log/log_shows.h"

namespace millrace::module {

namespace {

void write_group(abi::Reply reply, const Log& log, const std::string& name, const Group& group, UnixMs now) {
  const auto oldest = log.oldest_unfinished(group);
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
      {"pending-max", settings.pending_max == 0 ? log_limits().pending_max : settings.pending_max},
      {"max-attempts", settings.max_attempts},
      {"idle", settings.idle_ms},
      {"oldest-ms", oldest && *oldest < now ? now - *oldest : 0},
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

void write_pending(abi::Reply reply, const Group& group, Offset offset, const PendingTerms& terms, UnixMs now) {
  reply.array(5);
  reply.integer(static_cast<int64_t>(offset.value()));
  reply.integer(terms.attempts);
  reply.integer(static_cast<int64_t>(ms_until(terms.retry_at, now)));
  reply.integer(terms.expire_at == kNeverExpires ? -1 : static_cast<int64_t>(ms_until(terms.expire_at, now)));
  terms.consumer.is_none() ? reply.null() : reply.bytes(group.consumers().name(terms.consumer));
}

}  // namespace

void TgroupList::show(abi::Reply reply, const Shown<Log>& shown, const ListGroupsRequest& request) {
  if (shown.object == nullptr) return reply.array(0);
  const Log::Groups& groups = shown.object->groups();
  auto group = request.after ? groups.upper_bound(*request.after) : groups.begin();
  const UnixMs now = abi::now();
  reply.array_later();
  uint64_t written = 0;
  for (; group != groups.end() && written < request.count; ++group, ++written) {
    write_group(reply, *shown.object, group->first, group->second, now);
  }
  reply.array_was(written);
}

void TgroupPending::show(abi::Reply reply, const Shown<Log>& shown, const PendingRequest& request) {
  const auto found = LogOperations::find_group(shown.object, shown.name.view(), request.group);
  if (!found) return reply.error(found.error());
  const Group& group = **found;
  const UnixMs now = group.time(ObjectTraits<Log>::now());
  const ConsumerId consumer = request.consumer ? group.consumers().find(*request.consumer) : ConsumerId::none();
  if (request.consumer && consumer.is_none()) return reply.array(0);
  // The consumer holds at most this many messages from the offset on: after the last of them the search is over.
  uint64_t held = request.consumer ? group.consumers().messages(consumer) : UINT64_MAX;
  reply.array_later();
  uint64_t written = 0;
  group.pending().each_from(request.from, [&](const PendingPart& part) {
    if (request.consumer && part.terms.consumer != consumer) return true;
    held -= std::min(held, part.messages.count());
    part.messages.each([&](Offset offset) {
      if (offset < request.from || written == request.count) return;
      write_pending(reply, group, offset, part.terms, now);
      ++written;
    });
    return written < request.count && held != 0;
  });
  reply.array_was(written);
}

}  // namespace millrace::module
