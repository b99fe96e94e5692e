#include "module/log/log_resources.h"
#include "module/log/log_shows.h"

namespace millrace::module {

void TschedList::show(abi::Reply reply, const Shown<Log>& shown, const ListScheduleRequest& request) {
  if (shown.object == nullptr || shown.object->extras() == nullptr) return reply.array(0);
  const Schedule& schedule = shown.object->extras()->schedule;
  reply.array_later();
  uint64_t count = 0, bytes = 0;
  for (auto message = schedule.ceiling(request.from); message && count < request.count;
       message = schedule.ceiling({message->ticket.date, message->ticket.number + 1})) {
    bytes += message->tag.size() + message->entry.size();
    if (count != 0 && bytes > log_limits().read_bytes) break;
    reply.array(4);
    reply.bytes(text_of(message->ticket));
    reply.integer(static_cast<int64_t>(message->ticket.date.value()));
    reply.bytes(message->tag);
    reply.bytes(message->entry);
    ++count;
  }
  reply.array_was(count);
}

}  // namespace millrace::module
