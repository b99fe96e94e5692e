#include <iterator>
#include <string>
#include <vector>

#include "module/shard/shard_shows.h"

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

void ShardOwner::show(abi::Reply reply, const Shown<Pool>& shown, ByteView recipient) {
  const auto owner = shown.object == nullptr ? std::nullopt : shown.object->owner(recipient);
  owner ? reply.bytes(shown.object->worker(*owner).name) : reply.null();
}

void ShardRecipients::show(abi::Reply reply, const Shown<Pool>& shown, const RecipientsRequest& request) {
  const auto worker = PoolOperations::find_worker(shown.object, request.worker);
  if (!worker) return reply.error(worker.error());
  std::vector<const Recipient*> found;
  const uint64_t next = shown.object->each_recipient(*worker, request.cursor, request.count,
                                                     [&](const Recipient& recipient) { found.push_back(&recipient); });
  reply.array(2);
  // As text, like the cursor of the host's SCAN: it has more bits than some clients' numbers.
  reply.bytes(std::to_string(next));
  reply.array(found.size() * 2);
  for (const Recipient* recipient : found) {
    reply.bytes(recipient->name());
    reply.integer(static_cast<int64_t>(recipient->pending()));
  }
}

void ShardCheck::show(abi::Reply reply, const Shown<Pool>& shown, const PoolCheckRequest& request) {
  const auto refuse = [&](const char* broken) { reply.error({ErrorCode::Corrupt, broken}); };
  if (request.cursor) {
    uint64_t cursor = *request.cursor;
    const char* broken = nullptr;
    shown.object == nullptr ? void(cursor = 0) : void(broken = shown.object->check_some(cursor, request.count));
    return broken == nullptr ? reply.bytes(std::to_string(cursor)) : refuse(broken);
  }
  const char* broken = shown.object == nullptr ? nullptr : shown.object->check();
  broken == nullptr ? reply.ok() : refuse(broken);
}

namespace {

// The workers of a page: if all fit, in the order in which they joined; else by their number, which does not change.
// Returns the cursor to go on from, 0 at the end.
uint64_t workers_of_page(const Pool& pool, const PoolInfoRequest& request, std::vector<WorkerId>& page) {
  const size_t all = pool.working().size() + pool.going().size();
  if (request.cursor == 0 && all <= request.count) {
    page = pool.working();
    page.insert(page.end(), pool.going().begin(), pool.going().end());
    return 0;
  }
  return pool.each_worker(request.cursor, request.count, [&](WorkerId id) { page.push_back(id); });
}

}  // namespace

void ShardInfo::show(abi::Reply reply, const Shown<Pool>& shown, const PoolInfoRequest& request) {
  const Pool missing(hash_key());
  const Pool& pool = shown.object == nullptr ? missing : *shown.object;
  std::vector<WorkerId> page;
  const uint64_t next = workers_of_page(pool, request, page);
  const PoolSettings& settings = pool.settings();
  const PoolCounters& done = pool.counters();
  const struct {
    const char* name;
    uint64_t value;
  } numbers[] = {
      {"recipients", pool.recipients().size()},
      {"pending", pool.pending()},
      // It is reset to 0 when it is used next.
      {"iterator", pool.iterator() < pool.working().size() ? pool.iterator() : 0},
      {"stale", settings.stale_ms},
      {"assigned", done.assigned},
      {"moved", done.moved},
      {"failovers", done.failovers},
      {"waiting", WaitingClients<Pool>::count({shown.database, std::string(shown.name.view())})},
      {"joined", pool.working().size() + pool.going().size()},
      {"cursor", next},
      {"maxattempts", settings.max_attempts},
      {"forget", settings.forget_ms},
      {"recipientmax", settings.recipient_max},
      {"dead", done.dead},
      {"forgotten", done.forgotten},
      {"unsent", pool.dead_payloads().size()},
  };
  reply.map(std::size(numbers) + 3);
  reply.bytes("workers");
  reply.array(page.size());
  const Call call{.now = ObjectTraits<Pool>::now(), .decides = may_decide, .may_wait = false};
  const PoolTime now = PoolOperations::present(pool, call);
  for (WorkerId id : page) write_worker(reply, pool, pool.worker(id), now);
  for (const auto& [field, value] : numbers) {
    reply.bytes(field);
    reply.integer(static_cast<int64_t>(value));
  }
  reply.bytes("policy");
  reply.bytes(settings.policy == AssignmentPolicy::RoundRobin ? "roundrobin" : "leastpending");
  reply.bytes("deadletter");
  settings.dead_log.empty() ? reply.null() : reply.bytes(settings.dead_log);
}

}  // namespace millrace::module
