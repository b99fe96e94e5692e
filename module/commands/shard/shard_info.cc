#include "module/commands/shard/pool_upkeep.h"
#include "module/commands/shard/shard_commands.h"
#include "module/commands/shard/shard_requests.h"
#include "module/commands/shard/waiting_workers.h"

namespace millrace::module {

namespace {

const char* name_of(Worker::State state) {
  switch (state) {
    case Worker::State::Working:
      return "working";
    case Worker::State::Leaving:
      return "leaving";
    case Worker::State::Dead:
      return "dead";
  }
  return "dead";
}

void write_worker(abi::Reply reply, const Pool& pool, const Worker& worker, PoolTime now) {
  const uint64_t age = worker.seen ? now - *worker.seen : 0;
  reply.map(6);
  reply.bytes("name");
  reply.bytes(worker.name);
  reply.bytes("state");
  reply.bytes(name_of(worker.state));
  reply.bytes("recipients");
  reply.integer(static_cast<int64_t>(worker.recipients));
  reply.bytes("pending");
  reply.integer(static_cast<int64_t>(worker.pending));
  reply.bytes("age");
  worker.seen ? reply.integer(static_cast<int64_t>(age)) : reply.null();
  reply.bytes("stale");
  reply.integer(age > pool.settings().stale_ms ? 1 : 0);
}

}  // namespace

void shard_recipients(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_shard_recipients(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const auto key = PoolKey::for_reading(context, arguments.string(1));
  if (!key) return context.reply().error(key.error());
  const auto worker = key->get() == nullptr ? std::nullopt : key->get()->find_worker(request->worker);
  if (!worker) return context.reply().error(no_worker());

  abi::Reply reply = context.reply();
  std::vector<const Recipient*> found;
  const uint64_t next = key->get()->each_recipient(*worker, request->cursor, request->count,
                                                   [&](const Recipient& recipient) { found.push_back(&recipient); });
  reply.array(2);
  // As the host's SCAN: a cursor has more bits than some clients' numbers.
  reply.bytes(std::to_string(next));
  reply.array(found.size() * 2);
  for (const Recipient* recipient : found) {
    reply.bytes(recipient->name());
    reply.integer(static_cast<int64_t>(recipient->pending()));
  }
}

void shard_check(abi::Context context, abi::Arguments arguments) {
  const auto key = PoolKey::for_reading(context, arguments.string(1));
  if (!key) return context.reply().error(key.error());
  const char* broken = key->get() == nullptr ? nullptr : key->get()->check();
  broken == nullptr ? context.reply().ok() : context.reply().error({ErrorCode::Corrupt, broken});
}

void shard_info(abi::Context context, abi::Arguments arguments) {
  const abi::StringRef name = arguments.string(1);
  const auto key = PoolKey::for_reading(context, name);
  if (!key) return context.reply().error(key.error());
  const auto missing = key->get() == nullptr ? new_pool() : nullptr;
  const Pool& pool = missing ? *missing : *key->get();
  uint64_t pending = 0;
  for (const auto* ids : {&pool.working(), &pool.going()}) {
    for (WorkerId id : *ids) pending += pool.worker(id).pending;
  }
  const struct {
    const char* name;
    uint64_t value;
  } numbers[] = {
      {"recipients", pool.recipients().size()},
      {"pending", pending},
      // It goes back to 0 when it is next used.
      {"iterator", pool.iterator() < pool.working().size() ? pool.iterator() : 0},
      {"stale", pool.settings().stale_ms},
      {"assigned", pool.counters().assigned},
      {"moved", pool.counters().moved},
      {"failovers", pool.counters().failovers},
      {"waiting", clients_waiting({context.database(), std::string(name.view())})},
  };
  abi::Reply reply = context.reply();
  reply.map(std::size(numbers) + 2);
  reply.bytes("workers");
  reply.array(pool.working().size() + pool.going().size());
  const PoolTime now = present(pool);
  for (const auto* ids : {&pool.working(), &pool.going()}) {
    for (WorkerId id : *ids) write_worker(reply, pool, pool.worker(id), now);
  }
  for (const auto& [field, value] : numbers) {
    reply.bytes(field);
    reply.integer(static_cast<int64_t>(value));
  }
  reply.bytes("policy");
  reply.bytes(pool.settings().policy == AssignmentPolicy::RoundRobin ? "roundrobin" : "leastpending");
}

}  // namespace millrace::module
