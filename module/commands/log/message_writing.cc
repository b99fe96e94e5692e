#include "module/commands/log/message_writing.h"

#include <algorithm>
#include <vector>

#include "module/abi/recorded_reply.h"
#include "module/host/counters.h"
#include "module/host/log_type.h"

namespace millrace::module {

namespace {

template <class Out>
void write_message(Out& reply, const Message& message, uint32_t attempts) {
  reply.array(attempts == 0 ? 3 : 4);
  reply.integer(static_cast<int64_t>(message.offset.value()));
  reply.bytes(message.tag);
  reply.bytes(message.entry);
  if (attempts != 0) reply.integer(attempts);
}

template <class Out>
void write_info(Out& reply, const Log* log) {
  reply.array(2);
  reply.integer(log == nullptr ? 1 : static_cast<int64_t>(log->first().value()));
  reply.integer(log == nullptr ? 0 : static_cast<int64_t>(log->last().value()));
}

// Walks messages with one of some tags.
class TaggedCursor {
 public:
  TaggedCursor(const Log& log, Offset from, const std::vector<ByteView>& tags)
      : cursor_(log, from), tags_(tags), probes_(tags.begin(), tags.end()) {}

  bool next(Message& message) {
    do {
      while (cursor_.skip_block_without(probes_)) {
      }
      if (!cursor_.next(message)) return false;
    } while (std::ranges::find(tags_, message.tag) == tags_.end());
    return true;
  }

 private:
  Log::Cursor cursor_;
  const std::vector<ByteView>& tags_;
  std::vector<TagFilter::Probe> probes_;
};

template <class Out>
uint64_t write_tagged(Out& reply, const Log& log, Offset from, const ReadRequest& request) {
  TaggedCursor cursor(log, from, request.tags);
  Message message;
  uint64_t written = 0;
  while (written < request.count && cursor.next(message)) {
    write_message(reply, message, 0);
    ++written;
  }
  return written;
}

}  // namespace

void write_nothing_came(abi::Reply reply, const DatabaseKey& place, bool with_info) {
  if (!with_info) return reply.null_array();
  const abi::Context context = abi::own_context();
  context.select(place.database);
  const auto key = LogKey::for_reading(context, abi::OwnedString(place.name));
  reply.array(1);
  write_info(reply, key ? key->get() : nullptr);
}

bool has_something_to_read(const Log* log, Offset from, const ReadRequest& request) {
  if (log == nullptr) return false;
  if (request.tags.empty()) return request.skip ? std::max(from, log->first()) < log->next() : from < log->next();
  TaggedCursor cursor(*log, from, request.tags);
  Message message;
  return cursor.next(message);
}

template <class Out>
void write_messages(Out& reply, const Log* log, Offset from, const ReadRequest& request) {
  const uint64_t info = request.with_info ? 1 : 0;
  if (!request.tags.empty()) {
    reply.array_later();
    if (request.with_info) write_info(reply, log);
    const uint64_t written = log == nullptr ? 0 : write_tagged(reply, *log, from, request);
    counters.log.read += written;
    reply.array_was(info + written);
    return;
  }
  if (log == nullptr || from >= log->next()) {
    reply.array(info);
    if (request.with_info) write_info(reply, log);
    return;
  }
  if (request.skip) from = std::max(from, log->first());
  const uint64_t evicted = from < log->evicted_end() ? std::min(request.count, log->evicted_end() - from) : 0;
  const uint64_t wanted = request.count - evicted;
  from = std::max(from + evicted, log->first());
  // In a log with gaps only a walk tells how many there are.
  const bool is_known = log->missing() == 0;
  const uint64_t known = std::min(wanted, log->next() - from);
  is_known ? reply.array(info + evicted + known) : reply.array_later();
  if (request.with_info) write_info(reply, log);
  for (uint64_t i = 0; i < evicted; ++i) reply.null();
  Log::Cursor cursor(*log, from);
  Message message;
  uint64_t written = 0;
  for (; written < wanted && cursor.next(message); ++written) write_message(reply, message, 0);
  if (!is_known) reply.array_was(info + evicted + written);
  counters.log.read += written;
}

template <class Out>
void write_delivery(Out& reply, Log& log, const ReadRequest& request, const Delivery& delivery) {
  const bool with_attempts = request.group->with_attempts;
  const uint64_t count = delivery.count();
  reply.array(count + (request.with_info ? 1 : 0));
  if (request.with_info) write_info(reply, &log);
  Message message;
  if (!delivery.again.empty()) {
    const Group& group = *log.group(request.group->name);
    for (const OffsetBits& part : delivery.again) {
      part.each([&](Offset offset) {
        Log::Cursor(log, offset).next(message);
        write_message(reply, message, with_attempts ? group.attempts(offset) : 0);
      });
    }
  }
  Log::Cursor cursor(log, delivery.fresh_first);
  for (uint64_t i = 0; i < delivery.fresh_count && cursor.next(message); ++i) {
    write_message(reply, message, with_attempts ? 1 : 0);
  }
  counters.log.read += count;
  counters.log.redelivered += count - delivery.fresh_count;
}

template void write_messages(abi::Reply&, const Log*, Offset, const ReadRequest&);
template void write_messages(abi::RecordedReply&, const Log*, Offset, const ReadRequest&);
template void write_delivery(abi::Reply&, Log&, const ReadRequest&, const Delivery&);
template void write_delivery(abi::RecordedReply&, Log&, const ReadRequest&, const Delivery&);

}  // namespace millrace::module
