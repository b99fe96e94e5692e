// The proof that every recipient has one owner and that all counts add up: SHARD.CHECK.
#include <vector>

#include "engine/shard/pool.h"

namespace millrace {

const char* Pool::check_worker(WorkerId id) const {
  const Worker& worker = *workers_[id.value()];
  uint64_t recipients = 0;
  uint64_t pending = 0;
  uint64_t busy = 0;
  uint64_t ready = 0;
  uint64_t held = 0;
  RecipientId before;
  RecipientId looking_at = worker.looking_at;
  for (RecipientId at = worker.own.first; at.is_some(); at = recipients_[at].after) {
    const Recipient& recipient = recipients_[at];
    if (++recipients > recipients_.size()) return "a worker's recipients go round in a circle";
    if (recipient.owner != id) return "a recipient is listed with a worker that does not own it";
    if (recipient.before != before) return "a worker's recipients are not linked both ways";
    pending += recipient.pending();
    busy += recipient.pending() != 0;
    if (recipient.queue) {
      const Queue& queue = *recipient.queue;
      if (const char* broken = queue.messages.check()) return broken;
      if (queue.messages.missing() != 0) return "a queue has gaps";
      if (queue.messages.empty()) return "an empty queue is kept";
      if (queue.undelivered < queue.messages.first() || queue.undelivered > queue.messages.next()) {
        return "a queue has delivered what it does not hold";
      }
      ready += queue.is_ready();
      held += queue.in_flight() != 0;
    }
    if (looking_at == at) looking_at = RecipientId::none();
    before = at;
  }
  if (looking_at.is_some()) return "a worker looks at a recipient that is not its own";
  if (worker.looking_at.is_some() && worker.state != Worker::State::Leaving) {
    return "a worker that is not leaving looks for recipients to move";
  }
  if (worker.own.last != before) return "a worker does not know its last recipient";
  if (recipients != worker.recipients) return "a worker's recipients do not add up";
  if (pending != worker.pending) return "a worker's pending messages do not add up";
  if (busy != worker.busy) return "a worker's busy recipients do not add up";

  for (RecipientId at = worker.ready.first; at.is_some(); at = recipients_[at].queue->ready_after) {
    if (recipients_[at].owner != id || !recipients_[at].queue) return "a strange recipient waits for delivery";
    if (ready-- == 0) return "more recipients wait for delivery than have something to deliver";
  }
  if (ready != 0) return "a recipient has something to deliver and does not wait for it";
  for (RecipientId at = worker.held.first; at.is_some(); at = recipients_[at].queue->held_after) {
    if (recipients_[at].owner != id || !recipients_[at].queue) return "a strange recipient is held";
    if (held-- == 0) return "more recipients are held than have something in flight";
  }
  return held == 0 ? nullptr : "a recipient has something in flight and is not held";
}

// Checks of one recipient that do not need the others.
const char* Pool::check_recipient(RecipientId id) const {
  const Recipient& recipient = recipients_[id];
  const uint32_t owner = recipient.owner.value();
  if (owner >= workers_.size() || !workers_[owner]) return "a recipient has no owner";
  const Worker& worker = *workers_[owner];
  if (!recipients_.is_found(id)) return "a recipient is not found by its name";
  const RecipientId before = recipient.before, after = recipient.after;
  if (before.is_none() ? worker.own.first != id : recipients_[before].after != id) return "a recipient is not listed";
  if (after.is_none() ? worker.own.last != id : recipients_[after].before != id) return "a recipient is not listed";
  if (!recipient.queue) return nullptr;
  const Queue& queue = *recipient.queue;
  if (queue.messages.empty()) return "an empty queue is kept";
  if (queue.undelivered < queue.messages.first() || queue.undelivered > queue.messages.next()) {
    return "a queue has delivered what it does not hold";
  }
  if (queue.is_delayed()) {
    if (!delayed_.contains(delay_key(id))) return "a queue is delayed for ever";
    if (queue.in_flight() != 0) return "a queue is delayed and in flight";
  }
  Offset end = queue.messages.first();
  if (queue.trouble) {
    if (queue.trouble->came_back.empty() && !queue.is_delayed()) return "a queue without trouble has room for it";
    for (const ComeBack& one : queue.trouble->came_back) {
      if (one.end <= end || one.times == 0 || one.end > queue.messages.next()) return "attempts are counted wrong";
      end = one.end;
    }
  }
  return nullptr;
}

const char* Pool::check_some(uint64_t& cursor, uint64_t count) const {
  const char* broken = nullptr;
  cursor = recipients_.walk(recipients_.place_from(cursor), count, [&](RecipientId id) {
    if (broken == nullptr) broken = check_recipient(id);
  });
  return broken;
}

const char* Pool::check() const {
  if (const char* broken = recipients_.check()) return broken;
  uint64_t owned = 0;
  uint64_t pending = 0;
  size_t workers = 0;
  for (uint32_t i = 0; i < workers_.size(); ++i) {
    if (!workers_[i]) continue;
    ++workers;
    owned += workers_[i]->recipients;
    pending += workers_[i]->pending;
    if (const char* broken = check_worker(WorkerId(i))) return broken;
  }
  uint64_t cursor = 0;
  if (const char* broken = check_some(cursor, UINT64_MAX)) return broken;
  size_t delayed = 0;
  recipients_.each([&](const Recipient& recipient) { delayed += recipient.queue && recipient.queue->is_delayed(); });
  if (delayed != delayed_.size()) return "a delay without a queue";
  if (pushed_ids_ != nullptr) {
    if (const char* broken = pushed_ids_->check()) return broken;
  }
  if (pending != pending_) return "the pending messages of all workers do not add up";
  if (owned != recipients_.size()) return "not every recipient has exactly one owner";
  if (workers != working_.size() + going_.size()) return "a worker neither works nor goes";
  if (workers + free_.size() != workers_.size()) return "a place for a worker is lost";
  size_t named = workers;
  for (WorkerId id : working_) {
    if (worker(id).state != Worker::State::Working) return "a worker that does not work is chosen from";
    if (find_worker(worker(id).name) != id) return "a worker is not found by its name";
  }
  for (WorkerId id : going_) {
    if (worker(id).state == Worker::State::Working) return "a worker that works is to go";
    if (worker(id).recipients == 0) return "a worker that owns nothing has not gone";
    named -= worker(id).state == Worker::State::Dead;
    if (worker(id).state == Worker::State::Leaving && find_worker(worker(id).name) != id) {
      return "a worker that is leaving is not found by its name";
    }
  }
  if (by_name_.size() != named) return "a name without a worker";
  return nullptr;
}

}  // namespace millrace
