// Rebuilds a pool from saved parts, which are not trusted: each is validated first.
#include <algorithm>
#include <span>
#include <vector>

#include "engine/shard/pool.h"
#include "engine/shard/recipient_lists.h"

namespace millrace {

namespace {

// Counters are signed numbers in replies, so a restored one must leave room to grow.
constexpr uint64_t kMostCounted = INT64_MAX / 2;

bool has_name_twice(std::span<const RecipientHead> heads) {
  std::vector<ByteView> names;
  names.reserve(heads.size());
  for (const RecipientHead& head : heads) names.push_back(head.name);
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) != names.end();
}

// Whether parts with blocks and the head of this queue may still follow. They come before the parts about delivered and
// returned payloads, so until then the queue is in its worker's ready list.
bool is_being_restored(const Queue& queue) { return queue.in_flight() == 0 && !queue.trouble; }

}  // namespace

Result<void> Pool::restore_head(const PoolHead& head) {
  if (!workers_.empty() || recipients_.size() != 0) return corrupt("a head for a pool that is there already");
  if (head.iterator > 2 * kMaxWorkers || head.assignments > UINT32_MAX || head.counters.assigned > kMostCounted ||
      head.counters.moved > kMostCounted || head.counters.failovers > kMostCounted ||
      head.counters.dead > kMostCounted || head.counters.forgotten > kMostCounted) {
    return corrupt("a pool head with impossible numbers");
  }
  now_ = head.now;
  settings_ = head.settings;
  counters_ = head.counters;
  iterator_ = head.iterator;
  assignments_ = static_cast<uint32_t>(head.assignments);
  return {};
}

// Null if such a worker can be added.
const char* Pool::why_not(const WorkerHead& head) const {
  if (head.state != Worker::State::Dead && find_worker(head.name)) return "a worker that is there twice";
  if (working_.size() + going_.size() >= 2 * kMaxWorkers) return "more workers than a pool can have";
  if ((head.seen && *head.seen > now_) || (head.joined && *head.joined > now_)) return "a worker from the future";
  return nullptr;
}

Result<void> Pool::restore_worker(WorkerHead head) {
  if (const char* reason = why_not(head)) return corrupt(reason);
  restored_ = WorkerId::none();
  expected_ = std::move(head);
  if (expected_->state == Worker::State::Working) add_expected_worker();
  return {};
}

void Pool::add_expected_worker() {
  restored_ = add_worker(expected_->name);
  Worker& worker = at(restored_);
  worker.state = expected_->state;
  worker.seen = expected_->seen;
  worker.joined = expected_->joined.value_or(now_);
  if (worker.state != Worker::State::Dead) by_name_.emplace(worker.name, restored_);
  (worker.state == Worker::State::Working ? working_ : going_).push_back(restored_);
  left_to_look_at_ = expected_->looked_at;
  expected_.reset();
}

// Null if these recipients can be added to the worker that was restored last.
const char* Pool::why_not(std::span<const RecipientHead> heads) const {
  if (expected_) {
    // Other recipients may have been added since then.
    if (const char* reason = why_not(*expected_)) return reason;
  } else if (restored_.value() >= workers_.size() || !workers_[restored_.value()]) {
    return "a recipient without a worker";
  }
  uint64_t name_bytes = 0;
  for (const RecipientHead& head : heads) {
    if (recipients_.find(head.name).is_some()) return "a recipient that is there twice";
    if (head.routed > UINT32_MAX || head.assigned == 0 || head.assigned > UINT32_MAX) {
      return "a recipient with impossible numbers";
    }
    if (head.next_sequence.value() == 0 || head.next_sequence > kMaxOffset) return "an impossible sequence";
    name_bytes += head.name.size();
  }
  if (has_name_twice(heads)) return "a recipient that is there twice";
  return recipients_.has_room_for(heads.size(), name_bytes) ? nullptr : "more recipients than a pool can have";
}

Result<void> Pool::restore_recipients(std::span<const RecipientHead> heads) {
  if (heads.empty()) return {};
  if (const char* reason = why_not(heads)) return corrupt(reason);
  if (expected_) add_expected_worker();
  for (const RecipientHead& head : heads) add_restored(head);
  return {};
}

void Pool::add_restored(const RecipientHead& head) {
  const RecipientId id = recipients_.add(head.name);
  Recipient& recipient = recipients_[id];
  recipient.routed = static_cast<uint32_t>(head.routed);
  recipient.next_sequence = head.next_sequence;
  const uint32_t assignments = assignments_;
  assign(id, restored_);
  assignments_ = assignments;
  recipient.assigned = static_cast<uint32_t>(head.assigned);
  Worker& worker = at(restored_);
  if (worker.state == Worker::State::Leaving && worker.looking_at.is_none() && left_to_look_at_-- == 0) {
    worker.looking_at = id;
  }
}

Result<void> Pool::restore_block(ByteView name, BlockHeader header, Buffer bytes) {
  const RecipientId id = recipients_.find(name);
  if (id.is_none()) return corrupt("a queue without a recipient");
  Recipient& recipient = recipients_[id];
  if (recipient.queue && !is_being_restored(*recipient.queue)) return corrupt("a queue that is there already");
  if (header.unpacked != 0) return corrupt("a pool packs no blocks");
  const uint64_t before = recipient.pending();
  auto fresh = recipient.queue ? nullptr : std::make_unique<Queue>(header.first);
  Queue& queue = fresh ? *fresh : *recipient.queue;
  const bool was_ready = queue.is_ready();
  if (auto appended = queue.messages.append_block(header, std::move(bytes)); !appended) return appended;
  if (fresh) recipient.queue = std::move(fresh);
  if (!was_ready) make_ready(id);
  count_pending(id, before);
  return {};
}

Result<void> Pool::restore_queue(ByteView name, const QueueHead& head) {
  const RecipientId id = recipients_.find(name);
  if (id.is_none() || !recipients_[id].queue) return corrupt("a queue head without a queue");
  Recipient& recipient = recipients_[id];
  Queue& queue = *recipient.queue;
  if (!is_being_restored(queue)) return corrupt("a queue that is there already");
  if (head.messages.is_of_log()) return corrupt("a log that is not a queue's");
  if (head.undelivered < head.messages.first || head.undelivered > head.messages.next ||
      head.messages.first == head.messages.next) {
    return corrupt("a queue head with impossible sequences");
  }
  const uint64_t before = recipient.pending();
  if (auto restored = queue.messages.restore_head(head.messages); !restored) return restored;
  drop_ready(id);
  queue.undelivered = head.undelivered;
  count_pending(id, before);
  if (queue.in_flight() != 0) make_held(id);
  if (queue.is_ready()) make_ready(id);
  return {};
}

Result<void> Pool::restore_trouble(ByteView name, TroubleHead head) {
  const RecipientId id = recipients_.find(name);
  if (id.is_none() || !recipients_[id].queue) return corrupt("trouble without a queue");
  Queue& queue = *recipients_[id].queue;
  if (queue.trouble) return corrupt("a queue's trouble that is there already");
  Offset before = queue.messages.first();
  for (const ComeBack& one : head.came_back) {
    if (one.times == 0 || one.end <= before || one.end > queue.messages.next()) return corrupt("impossible attempts");
    before = one.end;
  }
  const bool is_delayed = head.delayed_until != PoolTime(0);
  if (is_delayed && queue.in_flight() != 0) return corrupt("a queue that is delayed and in flight");
  if (!is_delayed && head.came_back.empty()) return corrupt("a queue's trouble that is none");
  if (is_delayed && queue.is_ready()) drop_ready(id);
  queue.trouble = std::make_unique<QueueTrouble>(QueueTrouble{std::move(head.came_back), head.delayed_until});
  if (is_delayed) delayed_.insert(delay_key(id));
  return {};
}

Result<void> Pool::restore_dead_payload(DeadPayload dead) {
  if (settings_.dead_log.empty()) return corrupt("a dead payload without a log for it");
  dead_payloads_.push_back(std::move(dead));
  return {};
}

Result<void> Pool::restore_id(ByteView id) {
  if (was_pushed(id)) return corrupt("an id that is there twice");
  note_pushed(id);
  return {};
}

}  // namespace millrace
