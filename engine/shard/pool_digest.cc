#include "engine/shard/pool_digest.h"

#include "engine/blocks/messages_digest.h"
#include "engine/shard/pool_parts.h"

namespace millrace {

void digest(const Pool& pool, DigestSink& sink) {
  each_part(pool, [&](const Part& part) {
    const bool is_of_queue = part.kind >= number_of(PoolPart::Block) && part.kind <= number_of(PoolPart::Trouble);
    if (!is_of_queue) sink.bytes(part.bytes);
  });
  for (const auto* workers : {&pool.working(), &pool.going()}) {
    for (WorkerId worker : *workers) {
      for (RecipientId at = pool.worker(worker).own.first; at.is_some(); at = pool.recipients()[at].after) {
        const Recipient& recipient = pool.recipients()[at];
        if (!recipient.queue) continue;
        sink.bytes(recipient.name());
        sink.number(recipient.queue->undelivered.value());
        if (const QueueTrouble* trouble = recipient.queue->trouble.get()) {
          sink.number(trouble->delayed_until.value());
          for (const ComeBack& one : trouble->came_back) {
            sink.number(one.end.value());
            sink.number(one.times);
          }
        }
        digest(recipient.queue->messages, sink);
      }
      RecipientId at = pool.worker(worker).ready.first;
      for (; at.is_some(); at = pool.recipients()[at].queue->ready_after) sink.bytes(pool.recipients()[at].name());
    }
  }
}

}  // namespace millrace
