// Operations of a pool on one recipient. pool_moves.cc has those on many.
#include "engine/shard/pool.h"

#include <algorithm>
#include <iterator>

#include "engine/shard/recipient_lists.h"

namespace millrace {

namespace {

// Whether it can count this many more payloads (0: one more routed message).
inline bool takes_more(const Recipient& recipient, size_t payloads) {
  if (payloads == 0) return recipient.routed < UINT32_MAX;
  const Offset next = recipient.queue ? recipient.queue->messages.next() : recipient.next_sequence;
  return kMaxOffset - next >= payloads;
}

[[gnu::cold]] std::unexpected<Error> refusal_of_more(size_t payloads) {
  return fail(ErrorCode::Full, payloads == 0 ? "the recipient has as much pending as it can"
                                             : "the recipient has used up its sequences");
}

}  // namespace

std::optional<WorkerId> Pool::find_worker(ByteView name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<WorkerId> Pool::owner(ByteView recipient) const {
  const RecipientId id = recipients_.find(recipient);
  return id.is_none() ? std::nullopt : std::optional(recipients_[id].owner);
}

// --- routing ---

bool Pool::can_send_to_other(ByteView name, PoolTime now) const {
  const auto lives = [&](WorkerId id) { return !is_stale_at(worker(id), now); };
  const RecipientId id = recipients_.find(name);
  if (id.is_some()) {
    const Worker& owner = worker(recipients_[id].owner);
    // A leaving worker continues with what it has in flight.
    const bool keeps = owner.state == Worker::State::Leaving && recipients_[id].is_in_flight();
    if ((owner.state == Worker::State::Working || keeps) && !is_stale_at(owner, now)) return !working_.empty();
  }
  return std::ranges::any_of(working_, lives);
}

// The recipient, assigned to the living worker that gets its next message. On failure nothing has changed.
Result<RecipientId> Pool::prepare(ByteView name, size_t payloads) {
  RecipientId id = recipients_.find(name);
  // The usual case.
  if (id.is_some() && is_living(at(recipients_[id].owner))) [[likely]] {
    if (!takes_more(recipients_[id], payloads)) return refusal_of_more(payloads);
    use(id);
    return id;
  }
  if (!can_send(name, now_)) return std::unexpected(no_workers());
  if (id.is_none()) {
    if (recipients_.is_full()) return fail(ErrorCode::Full, "the pool has as many recipients as it can");
    const WorkerId owner = choose_living(WorkerId::none());
    id = recipients_.add(name);
    assign(id, owner);
    ++counters_.assigned;
    use(id);
    return id;
  }
  Recipient& recipient = recipients_[id];
  if (!takes_more(recipient, payloads)) return refusal_of_more(payloads);
  const WorkerId owner = recipient.owner;
  if (at(owner).state != Worker::State::Dead && is_stale(at(owner))) {
    uint64_t budget = kSlice;
    fail_over(owner, budget);
  }
  // A recipient that waits to be moved is moved at once for a message.
  if (recipient.owner == owner) {
    const Worker::State state = at(owner).state;
    if (state == Worker::State::Dead || (state == Worker::State::Leaving && !recipient.is_in_flight())) {
      move(id, choose_living(WorkerId::none()));
      remove_if_empty(owner);
    }
  }
  use(id);
  return id;
}

Result<Routed> Pool::route(ByteView name) {
  const auto id = prepare(name, 0);
  if (!id) return std::unexpected(id.error());
  Recipient& recipient = recipients_[*id];
  const uint64_t before = recipient.pending();
  ++recipient.routed;
  count_pending(*id, before);
  return Routed{recipient.owner, recipient.pending()};
}

std::optional<Error> Pool::why_above_most(ByteView name, size_t payloads,
                                          const std::optional<ByteView>& push_id) const {
  const uint64_t most = settings_.recipient_max;
  if (push_id && was_pushed(*push_id)) return std::nullopt;
  const RecipientId id = recipients_.find(name);
  const uint64_t queued = id.is_some() && recipients_[id].queue ? recipients_[id].queue->messages.count() : 0;
  if (queued + payloads <= most) return std::nullopt;
  if (id.is_none()) {
    return Error{ErrorCode::Refused, "the queue of a recipient takes " + std::to_string(most) + " payloads"};
  }
  return Error{ErrorCode::Refused,
               "the recipient's queue has " + std::to_string(queued) + " payloads, and takes " + std::to_string(most)};
}

Queue& Pool::queue_of(Recipient& recipient) {
  if (!recipient.queue) recipient.queue = std::make_unique<Queue>(recipient.next_sequence);
  return *recipient.queue;
}

Result<Routed> Pool::push(ByteView name, std::span<const ByteView> payloads, BlockLimits limits,
                          const std::optional<ByteView>& push_id) {
  if (auto full = why_full(name, payloads.size(), push_id)) return std::unexpected(std::move(*full));
  const bool is_known = push_id && was_pushed(*push_id);
  const auto id = prepare(name, is_known ? 0 : payloads.size());
  if (!id) return std::unexpected(id.error());
  Recipient& recipient = recipients_[*id];
  if (is_known) return Routed{recipient.owner, recipient.pending()};
  if (push_id) note_pushed(*push_id);
  const uint64_t before = recipient.pending();
  Queue& queue = queue_of(recipient);
  const bool was_ready = queue.is_ready();
  for (ByteView payload : payloads) queue.messages.append({}, payload, limits);
  if (!was_ready && queue.is_ready()) make_ready(*id);
  count_pending(*id, before);
  return Routed{recipient.owner, recipient.pending(), payloads.size()};
}

Result<RecipientId> Pool::own_recipient(WorkerId worker, ByteView name) const {
  const RecipientId id = recipients_.find(name);
  if (id.is_some() && recipients_[id].owner == worker) return id;
  return fail(ErrorCode::NotOwner, "the recipient belongs to another worker now, or to none");
}

Result<RecipientId> Pool::may_be_done(WorkerId worker, ByteView name, uint64_t count) const {
  const auto id = own_recipient(worker, name);
  if (!id || count <= recipients_[*id].routed) return id;
  const std::string routed = std::to_string(recipients_[*id].routed);
  return fail(ErrorCode::Range, "only " + routed + " routed messages of it are pending");
}

Result<uint64_t> Pool::done(WorkerId worker, ByteView name, uint64_t count) {
  const auto found = may_be_done(worker, name, count);
  if (!found) return std::unexpected(found.error());
  const RecipientId id = *found;
  Recipient& recipient = recipients_[id];
  const uint64_t before = recipient.pending();
  recipient.routed -= static_cast<uint32_t>(count);
  count_pending(id, before);
  touch(worker);
  use(id);
  const uint64_t left = recipient.pending();
  let_go_if_leaving(id);
  return left;
}

// --- the queue ---

bool Pool::has_delivery(WorkerId worker) const {
  return workers_[worker.value()]->state == Worker::State::Working && workers_[worker.value()]->ready.first.is_some();
}

bool Pool::deliver(WorkerId worker, PulledPayload& pulled) {
  if (!has_delivery(worker)) return false;
  const RecipientId id = at(worker).ready.first;
  Queue& queue = *recipients_[id].queue;
  Message message;
  MessageBlocks::Cursor(queue.messages, queue.undelivered).next(message);
  pulled = {recipients_[id].name(), message.offset, message.entry, queue.failures(message.offset) + uint64_t{1}};
  if (queue.in_flight() == 0) make_held(id);
  // To the end of the line, if it has more.
  drop_ready(id);
  ++queue.undelivered;
  if (queue.is_ready()) make_ready(id);
  return true;
}

Result<RecipientId> Pool::may_be_acknowledged(WorkerId worker, ByteView name, Offset sequence) const {
  const auto id = own_recipient(worker, name);
  if (!id) return id;
  const Recipient& recipient = recipients_[*id];
  if (sequence < (recipient.queue ? recipient.queue->undelivered : recipient.next_sequence)) return id;
  return fail(ErrorCode::Range, "that sequence has not been delivered");
}

Result<uint64_t> Pool::acknowledge(WorkerId worker, ByteView name, Offset sequence) {
  const auto found = may_be_acknowledged(worker, name, sequence);
  if (!found) return std::unexpected(found.error());
  const RecipientId id = *found;
  Recipient& recipient = recipients_[id];
  touch(worker);
  use(id);
  if (!recipient.queue || sequence < recipient.queue->messages.first()) return 0;
  const uint64_t before = recipient.pending();
  Queue& queue = *recipient.queue;
  const uint64_t acknowledged = queue.messages.evict_before(sequence + 1).count;
  evicted_.add_all(queue.messages.take_evicted());
  queue.forget_failures();
  if (queue.in_flight() == 0) drop_held(id);
  count_pending(id, before);
  drop_empty_queue(id);
  let_go_if_leaving(id);
  return acknowledged;
}

void Pool::drop_empty_queue(RecipientId id) {
  Recipient& recipient = recipients_[id];
  if (!recipient.queue->messages.empty()) return;
  recipient.next_sequence = recipient.queue->messages.next();
  recipient.queue.reset();
}

// Payloads in flight come back. The worker was processing the first of them: it is given up if it came back too often.
// Those after it were only delivered with it, and will be delivered again.
void Pool::redeliver(RecipientId id) {
  Queue& queue = *recipients_[id].queue;
  if (queue.in_flight() == 0) return;
  drop_held(id);
  const bool was_ready = queue.is_ready();
  queue.take_back();
  const uint64_t attempts = queue.failures(queue.messages.first());
  if (settings_.max_attempts != 0 && attempts >= settings_.max_attempts) bury_first(id, attempts, std::nullopt);
  // A queue that was ready had payloads after those in flight.
  if (!was_ready && recipients_[id].queue && recipients_[id].queue->is_ready()) make_ready(id);
}

// REQUIRES: the recipient is in no list, or stays in its lists.
void Pool::bury_first(RecipientId id, uint64_t attempts, std::optional<ByteView> reason) {
  Recipient& recipient = recipients_[id];
  Queue& queue = *recipient.queue;
  const uint64_t before = recipient.pending();
  const Offset first = queue.messages.first();
  if (!settings_.dead_log.empty()) {
    Message message;
    MessageBlocks::Cursor(queue.messages, first).next(message);
    DeadPayload& dead = dead_payloads_.emplace_back();
    dead.recipient = recipient.name();
    dead.sequence = first;
    dead.attempts = attempts;
    if (reason) dead.reason = *reason;
    dead.payload = message.entry;
  }
  ++counters_.dead;
  queue.undelivered = std::max(queue.undelivered, first + 1);
  queue.messages.evict_before(first + 1);
  evicted_.add_all(queue.messages.take_evicted());
  queue.forget_failures();
  count_pending(id, before);
  drop_empty_queue(id);
}

void Pool::drop_dead_payloads(uint64_t count) {
  count = std::min<uint64_t>(count, dead_payloads_.size());
  dead_payloads_.erase(dead_payloads_.begin(), std::next(dead_payloads_.begin(), static_cast<ptrdiff_t>(count)));
}

Result<RecipientId> Pool::may_come_back(WorkerId worker, ByteView name, Offset sequence) const {
  const auto id = own_recipient(worker, name);
  if (!id) return id;
  const Recipient& recipient = recipients_[*id];
  if (!recipient.queue || recipient.queue->in_flight() == 0 || sequence >= recipient.queue->undelivered) {
    return fail(ErrorCode::Range, "that sequence is not in the worker's hands");
  }
  if (sequence == recipient.queue->messages.first()) return id;
  return fail(ErrorCode::Range, "that sequence is not the first of the recipient that is not acknowledged, which is " +
                                    std::to_string(recipient.queue->messages.first().value()));
}

uint64_t Pool::give_back(WorkerId worker, RecipientId id, uint64_t delay_ms) {
  touch(worker);
  use(id);
  const uint64_t in_flight = recipients_[id].queue->in_flight();
  redeliver(id);
  if (recipients_[id].queue && delay_ms != 0) delay(id, now_ + delay_ms);
  let_go_if_leaving(id);
  return in_flight;
}

void Pool::give_up(WorkerId worker, RecipientId id, ByteView reason) {
  touch(worker);
  use(id);
  Queue& queue = *recipients_[id].queue;
  const uint64_t attempts = queue.failures(queue.messages.first()) + uint64_t{1};
  if (queue.in_flight() == 1) drop_held(id);
  bury_first(id, attempts, reason);
  let_go_if_leaving(id);
}

// --- delays ---

// REQUIRES: it has a queue with nothing in flight, which is not delayed.
void Pool::delay(RecipientId id, PoolTime until) {
  Queue& queue = *recipients_[id].queue;
  if (queue.is_ready()) drop_ready(id);
  queue.delay_until(until);
  delayed_.insert(delay_key(id));
}

void Pool::end_delays(uint64_t& budget) {
  for (; !delayed_.empty() && delayed_.begin()->until <= now_ && budget > 0; --budget) {
    const RecipientId id = delayed_.begin()->id;
    delayed_.erase(delayed_.begin());
    recipients_[id].queue->delay_until(PoolTime(0));
    if (recipients_[id].queue->is_ready()) make_ready(id);
  }
}

// --- forgetting ---

void Pool::set(PoolSettings settings) {
  // Idleness is counted from here on.
  if (settings.forget_ms != settings_.forget_ms) notes.step_began = now_;
  settings_ = std::move(settings);
  if (settings_.dead_log.empty()) dead_payloads_.clear();
}

void Pool::tick_steps(PoolTime now) {
  if (settings_.forget_ms == 0) return;
  const uint64_t step_ms = std::max<uint64_t>(1, settings_.forget_ms / 8);
  // One step at a time, so that all recipients are visited in each step; the number of the step wraps around.
  if (now - notes.step_began < step_ms || !notes.has_looked) return;
  ++notes.step;
  notes.step_began = now;
  notes.looking_from = 0;
  notes.has_looked = false;
}

bool Pool::each_forgettable(const std::function<void(ByteView)>& visit) {
  if (settings_.forget_ms == 0 || notes.has_looked) return true;
  // A recipient may be used at the end of one step and visited at the beginning of another: nine steps guarantee that
  // more than eight full ones have passed.
  constexpr uint16_t kSteps = 9;
  notes.looking_from = recipients_.walk(notes.looking_from, kLooks, [&](RecipientId id) {
    const Recipient& recipient = recipients_[id];
    if (recipient.pending() != 0) return;
    if (static_cast<uint16_t>(notes.step - recipient.used_at()) >= kSteps) visit(recipient.name());
  });
  notes.has_looked = notes.looking_from == 0;
  return notes.has_looked;
}

bool Pool::forget(ByteView name) {
  const RecipientId id = recipients_.find(name);
  if (id.is_none() || recipients_[id].pending() != 0) return false;
  remove_recipient(id);
  return true;
}

void Pool::remove_recipient(RecipientId id) {
  const WorkerId owner = recipients_[id].owner;
  unassign(id);
  recipients_.remove(id);
  // Places start at 0 again in a pool without recipients.
  if (recipients_.size() == 0) notes.looking_from = 0;
  ++counters_.forgotten;
  remove_if_empty(owner);
}

// --- which worker has which recipient ---

void Pool::assign(RecipientId id, WorkerId to) {
  Recipient& recipient = recipients_[id];
  Worker& worker = at(to);
  recipient.owner = to;
  if (++assignments_ == 0) ++assignments_;  // 0 is no assignment
  recipient.assigned = assignments_;
  add_to_list<own_links>(recipients_, worker.own, id);
  ++worker.recipients;
  count_pending(id, 0);
  if (!recipient.queue) return;
  if (recipient.queue->is_ready()) make_ready(id);
  if (recipient.queue->is_delayed()) delayed_.insert(delay_key(id));
}

void Pool::unassign(RecipientId id) {
  Recipient& recipient = recipients_[id];
  Worker& worker = at(recipient.owner);
  if (recipient.queue) redeliver(id);
  if (recipient.queue) {
    if (recipient.queue->is_ready()) drop_ready(id);
    if (recipient.queue->is_delayed()) delayed_.erase(delay_key(id));
  }
  if (worker.looking_at == id) worker.looking_at = recipient.after;
  take_from_list<own_links>(recipients_, worker.own, id);
  --worker.recipients;
  worker.pending -= recipient.pending();
  pending_ -= recipient.pending();
  worker.busy -= recipient.pending() != 0;
}

void Pool::count_pending(RecipientId id, uint64_t before) {
  const uint64_t pending = recipients_[id].pending();
  Worker& worker = at(recipients_[id].owner);
  worker.pending += pending - before;
  pending_ += pending - before;
  worker.busy += (pending != 0) - (before != 0);
}

void Pool::make_ready(RecipientId id) { add_to_list<ready_links>(recipients_, at(recipients_[id].owner).ready, id); }
void Pool::drop_ready(RecipientId id) { take_from_list<ready_links>(recipients_, at(recipients_[id].owner).ready, id); }
void Pool::make_held(RecipientId id) { add_to_list<held_links>(recipients_, at(recipients_[id].owner).held, id); }
void Pool::drop_held(RecipientId id) { take_from_list<held_links>(recipients_, at(recipients_[id].owner).held, id); }

// --- listing recipients ---

uint64_t Pool::each_recipient(WorkerId worker, uint64_t cursor, uint64_t count,
                              const std::function<void(const Recipient&)>& visit) const {
  const auto number = static_cast<uint32_t>(cursor >> 32);
  RecipientId id(static_cast<uint32_t>(cursor));
  const bool is_there =
      recipients_.contains(id) && recipients_[id].owner == worker && recipients_[id].assigned == number;
  if (!is_there) {
    // The recipient to continue with has moved: continue with the first one assigned after it.
    id = workers_[worker.value()]->own.first;
    while (cursor != 0 && id.is_some() && static_cast<int32_t>(recipients_[id].assigned - number) < 0) {
      id = recipients_[id].after;
    }
  }
  for (; id.is_some() && count > 0; --count, id = recipients_[id].after) visit(recipients_[id]);
  return id.is_none() ? 0 : uint64_t{recipients_[id].assigned} << 32 | id.value();
}

void Pool::note_pushed(ByteView id) {
  if (pushed_ids_ == nullptr) {
    pushed_ids_ = std::make_unique<RecentAnswers>(recipients_.key(), kMostPushedIds, kMostPushedIdBytes);
  }
  pushed_ids_->add(id, {});
}

uint64_t Pool::memory() const {
  uint64_t bytes = sizeof(*this) + recipients_.memory() + workers_.capacity() * sizeof(workers_[0]);
  bytes += (working_.capacity() + going_.capacity() + free_.capacity()) * sizeof(WorkerId);
  constexpr size_t kMapNode = 32 + sizeof(decltype(by_name_)::value_type);
  constexpr size_t kInside = 15;  // what a std::string holds without an allocation
  for (const auto& worker : workers_) {
    if (worker) bytes += sizeof(Worker) + kMapNode + (worker->name.size() > kInside ? 2 * worker->name.size() : 0);
  }
  for (const DeadPayload& dead : dead_payloads_) {
    bytes +=
        sizeof(DeadPayload) + dead.recipient.size() + (dead.reason ? dead.reason->size() : 0) + dead.payload.size();
  }
  bytes += delayed_.size() * (32 + sizeof(decltype(delayed_)::value_type)) + settings_.dead_log.size();
  if (pushed_ids_ != nullptr) bytes += sizeof(*pushed_ids_) + pushed_ids_->memory();
  return bytes + evicted_.memory();
}

}  // namespace millrace
