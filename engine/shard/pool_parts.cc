#include "engine/shard/pool_parts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/decoder.h"
#include "engine/base/limits.h"
#include "engine/blocks/blocks_codec.h"

namespace millrace {

namespace {

// Do not change: persisted.
constexpr uint64_t kVersion = 2;
constexpr uint64_t kVersionOfFirstSettings = 1;
// A string of recipients is closed when it is longer.
constexpr size_t kStringBytes = 16 * 1024;

void append_name(std::string& to, ByteView name) {
  append_varint(to, name.size());
  to += name;
}

ByteView read_name(Decoder& in) {
  const uint64_t size = in.number();
  return in.bytes(size);
}

bool is_name(ByteView name) { return !name.empty() && name.size() <= kMaxNameBytes; }

std::string encode_pool(const Pool& pool) {
  std::string bytes;
  const PoolCounters& counters = pool.counters();
  for (uint64_t number :
       {kVersion, pool.now().value(), pool.settings().stale_ms, static_cast<uint64_t>(pool.settings().policy),
        pool.iterator(), pool.assignments(), counters.assigned, counters.moved, counters.failovers,
        pool.settings().max_attempts, pool.settings().forget_ms, pool.settings().recipient_max, counters.dead,
        counters.forgotten}) {
    append_varint(bytes, number);
  }
  append_name(bytes, pool.settings().dead_log);
  return bytes;
}

std::string encode_worker(const Pool& pool, WorkerId id) {
  const Worker& worker = pool.worker(id);
  uint64_t looked_at = 0;
  if (worker.state == Worker::State::Leaving) {
    for (RecipientId at = worker.own.first; at != worker.looking_at; at = pool.recipients()[at].after) ++looked_at;
  }
  std::string bytes;
  append_name(bytes, worker.name);
  append_varint(bytes, static_cast<uint64_t>(worker.state));
  append_varint(bytes, worker.seen ? worker.seen->value() + 1 : 0);
  append_varint(bytes, looked_at);
  append_varint(bytes, worker.joined.value());
  return bytes;
}

std::vector<std::string> encode_recipients(const Pool& pool, WorkerId worker) {
  std::vector<std::string> strings;
  for (RecipientId at = pool.worker(worker).own.first; at.is_some(); at = pool.recipients()[at].after) {
    const Recipient& recipient = pool.recipients()[at];
    if (strings.empty() || strings.back().size() > kStringBytes) strings.emplace_back();
    std::string& bytes = strings.back();
    append_name(bytes, recipient.name());
    append_varint(bytes, recipient.routed);
    append_varint(bytes, recipient.assigned);
    append_varint(bytes, recipient.next_sequence.value());
  }
  return strings;
}

std::string encode_queue_block(const Recipient& recipient, const Block& block) {
  std::string bytes;
  append_name(bytes, recipient.name());
  return bytes + encode_block_header(block);
}

std::string encode_queue(const Recipient& recipient) {
  std::string bytes;
  append_name(bytes, recipient.name());
  append_varint(bytes, recipient.queue->undelivered.value());
  return bytes + encode_head(saved_head(recipient.queue->messages));
}

std::string encode_trouble(const Recipient& recipient) {
  const QueueTrouble& trouble = *recipient.queue->trouble;
  std::string bytes;
  append_name(bytes, recipient.name());
  append_varint(bytes, trouble.delayed_until.value());
  for (const ComeBack& one : trouble.came_back) {
    append_varint(bytes, one.end.value());
    append_varint(bytes, one.times);
  }
  return bytes;
}

std::string encode_dead(const DeadPayload& dead) {
  std::string bytes;
  append_name(bytes, dead.recipient);
  append_varint(bytes, dead.sequence.value());
  append_varint(bytes, dead.attempts);
  append_varint(bytes, dead.reason ? dead.reason->size() + 1 : 0);
  if (dead.reason) bytes += *dead.reason;
  append_name(bytes, dead.payload);
  return bytes;
}

std::vector<std::string> encode_ids(const Pool& pool) {
  std::vector<std::string> strings;
  if (pool.pushed_ids() == nullptr) return strings;
  pool.pushed_ids()->each([&](ByteView id, ByteView) {
    if (strings.empty() || strings.back().size() > kStringBytes) strings.emplace_back();
    append_name(strings.back(), id);
  });
  return strings;
}

std::vector<WorkerId> workers_to_encode(const Pool& pool) {
  std::vector<WorkerId> workers = pool.working();
  workers.insert(workers.end(), pool.going().begin(), pool.going().end());
  return workers;
}

// Calls visit(recipient) for each of the worker's that has a queue.
template <class Visit>
void each_queue(const Pool& pool, WorkerId worker, Visit visit) {
  const Recipients& all = pool.recipients();
  for (RecipientId at = pool.worker(worker).ready.first; at.is_some(); at = all[at].queue->ready_after) {
    visit(all[at]);
  }
  for (RecipientId at = pool.worker(worker).own.first; at.is_some(); at = all[at].after) {
    if (all[at].queue && !all[at].queue->is_ready()) visit(all[at]);
  }
}

Result<void> restore_pool(Pool& pool, ByteView bytes) {
  Decoder in(bytes);
  const uint64_t version = in.number();
  if (version != kVersion && version != kVersionOfFirstSettings) {
    return corrupt("a pool of a version this module does not know");
  }
  PoolHead head;
  head.now = PoolTime(in.number());
  head.settings.stale_ms = in.number();
  const uint64_t policy = in.number();
  head.settings.policy = static_cast<AssignmentPolicy>(policy & 1);
  head.iterator = in.number();
  head.assignments = in.number();
  head.counters.assigned = in.number();
  head.counters.moved = in.number();
  head.counters.failovers = in.number();
  if (version != kVersionOfFirstSettings) {
    head.settings.max_attempts = in.number();
    head.settings.forget_ms = in.number();
    head.settings.recipient_max = in.number();
    head.counters.dead = in.number();
    head.counters.forgotten = in.number();
    head.settings.dead_log = std::string(read_name(in));
  }
  if (!in.finished()) return corrupt("a pool head of the wrong length");
  if (head.now.value() > INT64_MAX / 2) return corrupt("a pool head beyond the end of time");
  if (policy > 1 || head.settings.stale_ms == 0 || head.settings.stale_ms > kMaxDurationMs ||
      head.settings.forget_ms > kMaxDurationMs || head.settings.max_attempts > kMostAttempts ||
      head.settings.recipient_max > kMostRecipientMax) {
    return corrupt("a pool head with impossible settings");
  }
  return pool.restore_head(head);
}

Result<void> restore_worker(Pool& pool, ByteView bytes) {
  Decoder in(bytes);
  WorkerHead head;
  head.name = std::string(read_name(in));
  const uint64_t state = in.number();
  const uint64_t seen = in.number();
  head.looked_at = in.number();
  if (in.ok() && !in.finished()) head.joined = PoolTime(in.number());
  if (!in.finished() || !is_name(head.name)) return corrupt("a worker of the wrong length");
  if (state > static_cast<uint64_t>(Worker::State::Dead)) return corrupt("a worker in an unknown state");
  head.state = static_cast<Worker::State>(state);
  if (seen != 0) head.seen = PoolTime(seen - 1);
  return pool.restore_worker(std::move(head));
}

Result<void> restore_recipients(Pool& pool, ByteView bytes) {
  Decoder in(bytes);
  std::vector<RecipientHead> heads;
  do {
    RecipientHead& head = heads.emplace_back();
    head.name = read_name(in);
    head.routed = in.number();
    head.assigned = in.number();
    head.next_sequence = Offset(in.number());
    if (!in.ok() || !is_name(head.name)) return corrupt("recipients of the wrong length");
  } while (!in.finished());
  return pool.restore_recipients(heads);
}

Result<void> restore_queue_block(Pool& pool, ByteView bytes, Buffer block) {
  Decoder in(bytes);
  const ByteView name = read_name(in);
  if (!in.ok()) return corrupt("a queue's block without a name");
  const auto header = decode_block_header(in.rest());
  if (!header) return std::unexpected(header.error());
  return pool.restore_block(name, *header, std::move(block));
}

Result<void> restore_queue(Pool& pool, ByteView bytes) {
  Decoder in(bytes);
  const ByteView name = read_name(in);
  QueueHead head;
  head.undelivered = Offset(in.number());
  if (!in.ok()) return corrupt("a queue head of the wrong length");
  const auto messages = decode_head(in.rest());
  if (!messages) return std::unexpected(messages.error());
  head.messages = *messages;
  return pool.restore_queue(name, head);
}

Result<void> restore_trouble(Pool& pool, ByteView bytes) {
  Decoder in(bytes);
  const ByteView name = read_name(in);
  TroubleHead head;
  head.delayed_until = PoolTime(in.number());
  while (in.ok() && !in.finished()) {
    ComeBack& one = head.came_back.emplace_back();
    one.end = Offset(in.number());
    const uint64_t times = in.number();
    if (times > UINT32_MAX) return corrupt("impossible attempts");
    one.times = static_cast<uint32_t>(times);
  }
  if (!in.finished()) return corrupt("a queue's trouble of the wrong length");
  if (head.delayed_until.value() > INT64_MAX / 2) return corrupt("a delay beyond the end of time");
  return pool.restore_trouble(name, std::move(head));
}

Result<void> restore_dead(Pool& pool, ByteView bytes) {
  Decoder in(bytes);
  DeadPayload dead;
  dead.recipient = std::string(read_name(in));
  dead.sequence = Offset(in.number());
  dead.attempts = in.number();
  if (const uint64_t size = in.number(); size != 0) dead.reason = std::string(in.bytes(size - 1));
  dead.payload = std::string(read_name(in));
  if (!in.finished() || !is_name(dead.recipient)) return corrupt("a dead payload of the wrong length");
  if (dead.sequence.value() == 0 || dead.sequence > kMaxOffset || dead.attempts > INT64_MAX) {
    return corrupt("a dead payload with impossible numbers");
  }
  return pool.restore_dead_payload(std::move(dead));
}

Result<void> restore_ids(Pool& pool, ByteView bytes) {
  Decoder in(bytes);
  std::vector<ByteView> ids;
  while (in.ok() && !in.finished()) ids.push_back(read_name(in));
  if (!in.finished() || !std::ranges::all_of(ids, is_name)) return corrupt("ids of the wrong length");
  std::vector<ByteView> sorted = ids;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return corrupt("an id that is there twice");
  for (ByteView id : ids) {
    if (pool.was_pushed(id)) return corrupt("an id that is there twice");
  }
  for (ByteView id : ids) {
    if (auto added = pool.restore_id(id); !added) return added;
  }
  return {};
}

}  // namespace

void each_part(const Pool& pool, const PartVisit& visit) {
  const auto tell = [&](PoolPart kind, ByteView bytes, ByteView block = {}) { visit({number_of(kind), bytes, block}); };
  tell(PoolPart::Pool, encode_pool(pool));
  for (WorkerId worker : workers_to_encode(pool)) {
    tell(PoolPart::Worker, encode_worker(pool, worker));
    for (const std::string& recipients : encode_recipients(pool, worker)) tell(PoolPart::Recipients, recipients);
  }
  for (WorkerId worker : workers_to_encode(pool)) {
    each_queue(pool, worker, [&](const Recipient& recipient) {
      recipient.queue->messages.each_block(
          [&](const Block& block) { tell(PoolPart::Block, encode_queue_block(recipient, block), block.bytes()); });
      tell(PoolPart::Queue, encode_queue(recipient));
      if (recipient.queue->trouble) tell(PoolPart::Trouble, encode_trouble(recipient));
    });
  }
  for (const DeadPayload& dead : pool.dead_payloads()) tell(PoolPart::Dead, encode_dead(dead));
  for (const std::string& ids : encode_ids(pool)) tell(PoolPart::Ids, ids);
}

Result<void> restore_part(Pool& pool, PoolPart part, ByteView bytes, Buffer block) {
  switch (part) {
    case PoolPart::Pool:
      return restore_pool(pool, bytes);
    case PoolPart::Worker:
      return restore_worker(pool, bytes);
    case PoolPart::Recipients:
      return restore_recipients(pool, bytes);
    case PoolPart::Block:
      return restore_queue_block(pool, bytes, std::move(block));
    case PoolPart::Queue:
      return restore_queue(pool, bytes);
    case PoolPart::Trouble:
      return restore_trouble(pool, bytes);
    case PoolPart::Dead:
      return restore_dead(pool, bytes);
    case PoolPart::Ids:
      return restore_ids(pool, bytes);
  }
  return corrupt("an unknown part of a pool");
}

Result<void> PoolRestorer::add(uint8_t kind, ByteView bytes, Buffer block) {
  return restore_part(pool_, static_cast<PoolPart>(kind), bytes, std::move(block));
}

}  // namespace millrace
