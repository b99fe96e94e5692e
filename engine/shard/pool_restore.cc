// Putting a pool together again from parts that nobody has vouched for.
#include "engine/shard/pool.h"
#include "engine/shard/recipient_lists.h"

namespace millrace {

namespace {

// So many turns nobody has had: there are enough left to count on.
constexpr uint64_t kMaxTurn = INT64_MAX;

std::unexpected<Error> corrupt(const char* reason) { return fail(ErrorCode::Corrupt, reason); }

}  // namespace

Result<void> Pool::restore_head(const PoolHead& head) {
  if (!workers_.empty() || recipients_.size() != 0) return corrupt("a head for a pool that is there already");
  if (head.iterator > kMaxWorkers || head.assignments > UINT32_MAX)
    return corrupt("a pool head with impossible numbers");
  now_ = head.now;
  settings_ = head.settings;
  counters_ = head.counters;
  iterator_ = head.iterator;
  assignments_ = static_cast<uint32_t>(head.assignments);
  return {};
}

Result<void> Pool::restore_worker(const WorkerHead& head) {
  const bool has_name = head.state != Worker::State::Dead;
  if (has_name && find_worker(head.name)) return corrupt("a worker that is there twice");
  if (working_.size() + going_.size() >= kMaxWorkers) return corrupt("more workers than a pool can have");
  if (head.seen && *head.seen > now_) return corrupt("a worker from the future");
  restored_ = {std::string(head.name), head.state, head.seen, head.looked_at};
  if (head.state == Worker::State::Working) restored_.id = add_restored();
  return {};
}

// One that goes owns something: it comes with its first recipient.
bool Pool::restored_may_come() const {
  if (restored_.id != kNobody32 || restored_.state == Worker::State::Working) return false;
  return restored_.state == Worker::State::Dead || !find_worker(restored_.name);
}

WorkerId Pool::add_restored() {
  const WorkerId id = add_worker(restored_.name);
  at(id).state = restored_.state;
  at(id).seen = restored_.seen;
  if (restored_.state != Worker::State::Dead) by_name_.emplace(restored_.name, id);
  (restored_.state == Worker::State::Working ? working_ : going_).push_back(id);
  return id;
}

Result<void> Pool::restore_recipient(const RecipientHead& head) {
  const bool is_there = restored_.id < workers_.size() && workers_[restored_.id];
  if (!is_there && !restored_may_come()) return corrupt("a recipient without a worker");
  if (recipients_.find(head.name) != kNobody32) return corrupt("a recipient that is there twice");
  if (head.routed > UINT32_MAX || head.assigned == 0 || head.assigned > UINT32_MAX) {
    return corrupt("a recipient with impossible numbers");
  }
  if (head.next_sequence.value() == 0 || head.next_sequence > kMaxOffset) return corrupt("an impossible sequence");
  if (!is_there) restored_.id = add_restored();
  const RecipientId id = recipients_.add(head.name);
  Recipient& recipient = recipients_[id];
  recipient.routed = static_cast<uint32_t>(head.routed);
  recipient.next_sequence = head.next_sequence;
  const uint32_t assignments = assignments_;
  assign(id, restored_.id);
  assignments_ = assignments;
  recipient.assigned = static_cast<uint32_t>(head.assigned);
  Worker& worker = at(restored_.id);
  if (worker.state == Worker::State::Leaving && worker.looking_at == kNobody32 && restored_.left_to_look_at-- == 0) {
    worker.looking_at = id;
  }
  return {};
}

Result<void> Pool::restore_block(ByteView name, BlockHeader header, Buffer bytes) {
  const RecipientId id = recipients_.find(name);
  if (id == kNobody32) return corrupt("a queue without a recipient");
  Recipient& recipient = recipients_[id];
  if (recipient.queue && recipient.queue->in_flight() != 0) return corrupt("a queue that is there already");
  const uint64_t before = recipient.pending();
  auto fresh = recipient.queue ? nullptr : std::make_unique<Queue>(header.first);
  Queue& queue = fresh ? *fresh : *recipient.queue;
  const bool was_ready = queue.has_waiting();
  if (auto appended = queue.log.append_block(header, std::move(bytes)); !appended) return appended;
  if (fresh) recipient.queue = std::move(fresh);
  if (!was_ready) make_ready(id);
  count_pending(id, before);
  return {};
}

Result<void> Pool::restore_queue(ByteView name, const QueueHead& head) {
  const RecipientId id = recipients_.find(name);
  if (id == kNobody32 || !recipients_[id].queue) return corrupt("a queue head without a queue");
  Recipient& recipient = recipients_[id];
  Queue& queue = *recipient.queue;
  if (queue.in_flight() != 0) return corrupt("a queue that is there already");
  if (head.log.groups != 0 || head.log.retention.any()) return corrupt("a log that is not a queue's");
  const bool waits = head.undelivered < head.log.next;
  if (waits != (head.ready_since != 0) || head.ready_since > kMaxTurn) return corrupt("a queue head with no turn");
  if (head.undelivered < head.log.first || head.undelivered > head.log.next || head.log.first == head.log.next) {
    return corrupt("a queue head with impossible sequences");
  }
  const uint64_t before = recipient.pending();
  if (auto restored = queue.log.restore_head(head.log); !restored) return restored;
  drop_ready(id);
  queue.undelivered = head.undelivered;
  count_pending(id, before);
  if (queue.in_flight() != 0) make_held(id);
  if (!queue.has_waiting()) return {};
  make_ready(id);
  // Its turn as it was, if that is behind those that are there.
  const RecipientId ahead = queue.ready_before;
  if (ahead == kNobody32 || recipients_[ahead].queue->ready_since < head.ready_since) {
    queue.ready_since = head.ready_since;
    ready_turns_ = std::max(ready_turns_, head.ready_since);
  }
  return {};
}

}  // namespace millrace
