#include "engine/log/log_digest.h"

#include <string>

#include "engine/blocks/messages_digest.h"
#include "engine/log/group_codec.h"
#include "engine/log/log_extras_codec.h"

namespace millrace {

namespace {

void digest_group(const std::string& name, const Group& group, DigestSink& sink) {
  sink.bytes(encode_group(name, group));
  group.pending().each_from(Offset(0), [&](const PendingPart& part) {
    const PendingTerms& terms = part.terms;
    part.messages.each([&](Offset offset) {
      for (uint64_t number :
           {offset.value(), terms.retry_at, uint64_t{terms.retry_ms}, terms.expire_at, uint64_t{terms.attempts}}) {
        sink.number(number);
      }
      if (terms.consumer.is_some()) sink.bytes(group.consumers().name(terms.consumer));
    });
    return true;
  });
}

void digest_extras(const Log& log, DigestSink& sink) {
  // The digest must not depend on the division into pieces.
  if (const std::string more = encode_more(log); !more.empty()) sink.bytes(more);
  const LogExtras* extras = log.extras();
  if (extras == nullptr) return;
  if (extras->ids) {
    sink.bytes(encode_ids_head(*extras->ids));
    extras->ids->each(log.clock(), [&](UnixMs date, const RecentIds::Fingerprint& id, const RecentIds::Answer& answer) {
      for (uint64_t number :
           {date.value(), uint64_t{id.low}, id.high, answer.number, answer.date.value_or(UnixMs(0)).value()}) {
        sink.number(number);
      }
    });
  }
  extras->schedule.each([&](const Schedule::Waiting& message) {
    std::string bytes;
    append_scheduled(bytes, message);
    sink.bytes(bytes);
  });
  extras->deleted.each_word(log.evicted_end(), [&](uint64_t index, uint64_t bits) {
    sink.number(index);
    sink.number(bits);
  });
  for (const TagDeletion& deletion : extras->deletions) sink.bytes(encode_deletion(deletion));
}

}  // namespace

void digest(const Log& log, DigestSink& sink) {
  const Retention& keep = log.retention();
  for (uint64_t number :
       {log.epoch().value(), log.first().value(), log.next().value(), log.clock().value(), keep.count, keep.age_ms,
        keep.bytes, uint64_t{keep.acked}, uint64_t{keep.latest}, log.evicted_end().value(), log.compacted_total()}) {
    sink.number(number);
  }
  digest(log.messages(), sink);
  digest_extras(log, sink);
  for (const auto& [name, group] : log.groups()) digest_group(name, group, sink);
}

}  // namespace millrace
