// What a pool does with one recipient. pool_moves.cc has what it does with many.
#include "engine/shard/pool.h"

#include <algorithm>

#include "engine/shard/recipient_lists.h"

namespace millrace {

namespace {

// Whether so many more payloads, or with none one more routed message, cannot be counted.
std::optional<Error> refusal_of_more(const Recipient& recipient, size_t payloads) {
  if (payloads == 0) {
    if (recipient.routed < UINT32_MAX) return std::nullopt;
    return Error{ErrorCode::Full, "the recipient has as much pending as it can"};
  }
  const Offset next = recipient.queue ? recipient.queue->messages.next() : recipient.next_sequence;
  if (kMaxOffset - next >= payloads) return std::nullopt;
  return Error{ErrorCode::Full, "the recipient has used up its sequences"};
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

// The recipient, with the worker that is to get its next message. If it fails nothing has changed.
Result<RecipientId> Pool::prepare(ByteView name, size_t payloads) {
  if (working_.empty()) return std::unexpected(no_workers());
  RecipientId id = recipients_.find(name);
  if (id.is_none()) {
    if (recipients_.is_full()) return fail(ErrorCode::Full, "the pool has as many recipients as it can");
    const WorkerId owner = choose_for_new();
    id = recipients_.add(name);
    assign(id, owner);
    ++counters_.assigned;
    return id;
  }
  const Recipient& recipient = recipients_[id];
  if (auto refusal = refusal_of_more(recipient, payloads)) return std::unexpected(std::move(*refusal));
  const WorkerId owner = recipient.owner;
  if (must_fail_over(at(owner)) && has_living_besides(owner)) {
    uint64_t budget = kSlice;
    fail_over(owner, budget);
  }
  // What waits for its turn to be moved does not wait for a message.
  if (recipient.owner == owner) {
    const Worker::State state = at(owner).state;
    if (state == Worker::State::Dead || (state == Worker::State::Leaving && !recipient.is_in_flight())) {
      move(id, choose_for_new());
      remove_if_empty(owner);
    }
  }
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

Queue& Pool::queue_of(Recipient& recipient) {
  if (!recipient.queue) recipient.queue = std::make_unique<Queue>(recipient.next_sequence);
  return *recipient.queue;
}

Result<Routed> Pool::push(ByteView name, std::span<const ByteView> payloads, BlockLimits limits) {
  const auto id = prepare(name, payloads.size());
  if (!id) return std::unexpected(id.error());
  Recipient& recipient = recipients_[*id];
  const uint64_t before = recipient.pending();
  Queue& queue = queue_of(recipient);
  const bool was_ready = queue.has_waiting();
  for (ByteView payload : payloads) queue.messages.append({}, payload, limits);
  if (!was_ready) make_ready(*id);
  count_pending(*id, before);
  return Routed{recipient.owner, recipient.pending()};
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
  pulled = {recipients_[id].name(), message.offset, message.entry};
  if (queue.in_flight() == 0) make_held(id);
  // To the end of the line, if it has more.
  drop_ready(id);
  ++queue.undelivered;
  if (queue.has_waiting()) make_ready(id);
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
  if (!recipient.queue || sequence < recipient.queue->messages.first()) return 0;
  const uint64_t before = recipient.pending();
  Queue& queue = *recipient.queue;
  const uint64_t acknowledged = queue.messages.evict_before(sequence + 1).count;
  evicted_.add_all(queue.messages.take_evicted());
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

// What is in flight has not been delivered.
void Pool::redeliver(RecipientId id) {
  Queue& queue = *recipients_[id].queue;
  if (queue.in_flight() == 0) return;
  drop_held(id);
  const bool was_ready = queue.has_waiting();
  queue.undelivered = queue.messages.first();
  if (!was_ready) make_ready(id);
}

// --- who has what ---

void Pool::assign(RecipientId id, WorkerId to) {
  Recipient& recipient = recipients_[id];
  Worker& worker = at(to);
  recipient.owner = to;
  if (++assignments_ == 0) ++assignments_;  // 0 is no assignment
  recipient.assigned = assignments_;
  add_to_list<own_links>(recipients_, worker.own, id);
  ++worker.recipients;
  count_pending(id, 0);
  if (recipient.queue && recipient.queue->has_waiting()) make_ready(id);
}

void Pool::unassign(RecipientId id) {
  Recipient& recipient = recipients_[id];
  Worker& worker = at(recipient.owner);
  if (recipient.queue) {
    redeliver(id);
    if (recipient.queue->has_waiting()) drop_ready(id);
  }
  if (worker.looking_at == id) worker.looking_at = recipient.after;
  take_from_list<own_links>(recipients_, worker.own, id);
  --worker.recipients;
  worker.pending -= recipient.pending();
  worker.busy -= recipient.pending() != 0;
}

void Pool::count_pending(RecipientId id, uint64_t before) {
  const uint64_t pending = recipients_[id].pending();
  Worker& worker = at(recipients_[id].owner);
  worker.pending += pending - before;
  worker.busy += (pending != 0) - (before != 0);
}

void Pool::make_ready(RecipientId id) { add_to_list<ready_links>(recipients_, at(recipients_[id].owner).ready, id); }
void Pool::drop_ready(RecipientId id) { take_from_list<ready_links>(recipients_, at(recipients_[id].owner).ready, id); }
void Pool::make_held(RecipientId id) { add_to_list<held_links>(recipients_, at(recipients_[id].owner).held, id); }
void Pool::drop_held(RecipientId id) { take_from_list<held_links>(recipients_, at(recipients_[id].owner).held, id); }

// --- looking ---

uint64_t Pool::each_recipient(WorkerId worker, uint64_t cursor, uint64_t count,
                              const std::function<void(const Recipient&)>& visit) const {
  const auto number = static_cast<uint32_t>(cursor >> 32);
  RecipientId id(static_cast<uint32_t>(cursor));
  const bool is_there =
      recipients_.contains(id) && recipients_[id].owner == worker && recipients_[id].assigned == number;
  if (!is_there) {
    // The one to go on with has moved: the first that was assigned after it.
    id = workers_[worker.value()]->own.first;
    while (cursor != 0 && id.is_some() && static_cast<int32_t>(recipients_[id].assigned - number) < 0) {
      id = recipients_[id].after;
    }
  }
  for (; id.is_some() && count > 0; --count, id = recipients_[id].after) visit(recipients_[id]);
  return id.is_none() ? 0 : uint64_t{recipients_[id].assigned} << 32 | id.value();
}

uint64_t Pool::memory() const {
  uint64_t bytes = sizeof(*this) + recipients_.memory() + workers_.capacity() * sizeof(workers_[0]);
  bytes += (working_.capacity() + going_.capacity() + free_.capacity()) * sizeof(WorkerId);
  constexpr size_t kMapNode = 32 + sizeof(decltype(by_name_)::value_type);
  constexpr size_t kInside = 15;  // what a std::string holds without an allocation
  for (const auto& worker : workers_) {
    if (worker) bytes += sizeof(Worker) + kMapNode + (worker->name.size() > kInside ? 2 * worker->name.size() : 0);
  }
  return bytes + evicted_.memory();
}

}  // namespace millrace
