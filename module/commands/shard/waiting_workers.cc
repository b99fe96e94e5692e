#include "module/commands/shard/waiting_workers.h"

#include <algorithm>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "module/abi/blocked_client.h"
#include "module/abi/reply.h"
#include "module/commands/shard/delivery.h"
#include "module/commands/shard/pool_upkeep.h"
#include "module/commands/shard/routing.h"
#include "module/host/counters.h"
#include "module/host/monotonic_agenda.h"
#include "module/host/owed_answers.h"
#include "module/host/role.h"

namespace millrace::module {

namespace {

class WaitingPull;
class WaitingSender;

// Those who wait for one pool.
struct Lines {
  std::map<std::string, std::list<WaitingPull*>, std::less<>> workers;
  std::list<WaitingSender*> senders;
  size_t clients = 0;
};
std::unordered_map<DatabaseKey, Lines> lines;

// What both kinds of clients have in common: a place among those who wait for a pool.
class WaitingClient : public abi::BlockedClient {
 public:
  explicit WaitingClient(DatabaseKey place) : place_(std::move(place)) {
    ++lines[place_].clients;
    ++counters.shard.waiting;
  }

  void dismiss(Error error) {
    left();
    error_ = std::move(error);
    serve();
  }

 protected:
  Lines& lines_of_pool() const { return lines.find(place_)->second; }
  virtual void leave_line() = 0;

  void left() final {
    leave_line();
    --counters.shard.waiting;
    if (--lines_of_pool().clients == 0) lines.erase(place_);
  }

  abi::RecordedReply answer_;

 private:
  void answer(abi::Reply reply) override { error_ ? reply.error(*error_) : answer_.send(reply); }
  void key_is_ready(abi::Context context) override { serve_owed_without_effects(context); }

  DatabaseKey place_;
  std::optional<Error> error_;
};

class WaitingPull final : public WaitingClient {
 public:
  WaitingPull(DatabaseKey place, const PullRequest& request)
      : WaitingClient(std::move(place)), worker_(request.worker), count_(request.count) {
    auto& line = lines_of_pool().workers[worker_];
    position_ = line.insert(line.end(), this);
  }

  void serve_from(abi::Context context, abi::StringRef name, Pool& pool, WorkerId worker) {
    left();
    deliver_and_write(answer_, pool, worker, count_);
    pool.touch(worker);
    const abi::OwnedString who(worker_);
    context.replicate("SHARD.PULL", name, abi::StringRef(who), "COUNT", count_);
    serve();
  }

 private:
  void leave_line() override {
    auto& workers = lines_of_pool().workers;
    const auto line = workers.find(worker_);
    line->second.erase(position_);
    if (line->second.empty()) workers.erase(line);
  }
  void answer_timeout(abi::Reply reply) override { reply.array(0); }

  std::string worker_;
  uint64_t count_;
  std::list<WaitingPull*>::iterator position_;
};

class WaitingSender final : public WaitingClient {
 public:
  WaitingSender(DatabaseKey place, const RouteRequest& request)
      : WaitingClient(std::move(place)), recipient_(request.recipient) {
    payloads_.assign(request.payloads.begin(), request.payloads.end());
    auto& line = lines_of_pool().senders;
    position_ = line.insert(line.end(), this);
  }

  // False if there is no worker.
  bool serve_from(abi::Context context, abi::StringRef name, Pool& pool) {
    const std::vector<ByteView> payloads(payloads_.begin(), payloads_.end());
    const auto routed = route_or_push(pool, recipient_, payloads);
    if (!routed && routed.error().code == ErrorCode::NoWorkers) return false;
    if (!routed) {
      dismiss(routed.error());
      return true;
    }
    left();
    write_routed(answer_, pool, *routed);
    pass_on(context, name);
    serve();
    return true;
  }

 private:
  void pass_on(abi::Context context, abi::StringRef name) const {
    std::list<abi::OwnedString> owned;
    owned.emplace_back(recipient_);
    for (const std::string& payload : payloads_) owned.emplace_back(payload);
    // Else payloads that end like the option would be taken for it.
    if (!payloads_.empty()) {
      owned.emplace_back("BLOCK");
      owned.emplace_back("0");
    }
    std::vector<abi::StringRef> words{name};
    words.insert(words.end(), owned.begin(), owned.end());
    context.replicate_words(payloads_.empty() ? "SHARD.ROUTE" : "SHARD.PUSH", words);
  }

  void leave_line() override { lines_of_pool().senders.erase(position_); }
  void answer_timeout(abi::Reply reply) override { reply.error(no_workers()); }

  std::string recipient_;
  std::vector<std::string> payloads_;
  std::list<WaitingSender*>::iterator position_;
};

void serve_line(abi::Context context, const DatabaseKey& place, abi::StringRef name, Pool& pool,
                const std::string& worker) {
  while (true) {
    const auto found = lines.find(place);
    if (found == lines.end()) return;
    const auto line = found->second.workers.find(worker);
    if (line == found->second.workers.end()) return;
    const auto id = pool.find_worker(worker);
    if (!id || pool.worker(*id).state != Worker::State::Working) {
      line->second.front()->dismiss(no_worker());
    } else if (pool.has_delivery(*id)) {
      line->second.front()->serve_from(context, name, pool, *id);
    } else {
      return;
    }
  }
}

void serve_senders(abi::Context context, const DatabaseKey& place, abi::StringRef name, Pool& pool) {
  while (true) {
    const auto found = lines.find(place);
    if (found == lines.end() || found->second.senders.empty()) return;
    if (!found->second.senders.front()->serve_from(context, name, pool)) return;
  }
}

void serve_pool(abi::Context context, const DatabaseKey& place, abi::StringRef name, Pool& pool) {
  if (!server_decides) return;
  if (abi::replicas_must_rest()) return serve_soon(place);
  serve_senders(context, place, name, pool);
  const auto found = lines.find(place);
  if (found == lines.end()) return;
  std::vector<std::string> workers;
  for (const auto& [worker, line] : found->second.workers) workers.push_back(worker);
  for (const std::string& worker : workers) serve_line(context, place, name, pool, worker);
}

void serve_key(abi::Context context, const DatabaseKey& place, abi::StringRef name) {
  if (!server_decides) return;
  auto key = PoolKey::for_upkeep(context, name);
  if (key && key->get() != nullptr) return serve_pool(context, place, name, *key->get());
  // Senders wait for a pool that may yet come; a worker must join it anew.
  const auto found = lines.find(place);
  std::vector<WaitingPull*> waiting;
  for (const auto& [worker, line] : found->second.workers) waiting.insert(waiting.end(), line.begin(), line.end());
  for (WaitingPull* pull : waiting) pull->dismiss(no_worker());
}

std::vector<DatabaseKey> keys_waited_for() {
  std::vector<DatabaseKey> keys;
  for (const auto& [place, of_pool] : lines) keys.push_back(place);
  return keys;
}

// Whether to serve now; if not, it is owed.
bool may_serve_now(abi::Context context, abi::StringRef name, const DatabaseKey& place) {
  if (!lines.contains(place)) return false;
  if (!context.in_transaction() && !abi::replicas_must_rest()) return server_decides;
  context.wake_when_over(name);
  serve_soon(place);
  return false;
}

}  // namespace

constinit const Waiters kShardWaiters{
    .wait_for = [](const DatabaseKey& place) { return lines.contains(place); },
    .keys = keys_waited_for,
    .serve = serve_key,
    .serve_without_effects = nullptr,
    .start_afresh = serve_soon,
};

void wait_for_delivery(abi::Context context, abi::StringRef name, const PullRequest& request) {
  DatabaseKey place{context.database(), std::string(name.view())};
  abi::block(context, name, *request.block_ms, std::make_unique<WaitingPull>(std::move(place), request));
}

void wait_for_worker(abi::Context context, abi::StringRef name, const RouteRequest& request) {
  DatabaseKey place{context.database(), std::string(name.view())};
  abi::block(context, name, *request.block_ms, std::make_unique<WaitingSender>(std::move(place), request));
}

void serve_workers(abi::Context context, abi::StringRef name, Pool& pool) {
  if (lines.empty()) [[likely]] {
    return;
  }
  const DatabaseKey place{context.database(), std::string(name.view())};
  if (may_serve_now(context, name, place)) serve_pool(context, place, name, pool);
}

void serve_worker(abi::Context context, abi::StringRef name, Pool& pool, WorkerId worker) {
  if (lines.empty()) [[likely]] {
    return;
  }
  const DatabaseKey place{context.database(), std::string(name.view())};
  // A copy: the worker may go.
  const std::string who = pool.worker(worker).name;
  if (may_serve_now(context, name, place)) serve_line(context, place, name, pool, who);
}

bool do_workers_wait(abi::Context context, abi::StringRef name) {
  const auto found = lines.find({context.database(), std::string(name.view())});
  return found != lines.end() && !found->second.workers.empty();
}

std::optional<PoolTime> keep_waiting_workers(abi::Context context, abi::StringRef name, Pool& pool) {
  const auto found = lines.find({context.database(), std::string(name.view())});
  if (found == lines.end() || found->second.workers.empty() || !server_decides) return std::nullopt;
  const uint64_t interval = std::max<uint64_t>(1, pool.settings().stale_ms / 3);
  for (const auto& [worker, line] : found->second.workers) {
    const auto id = pool.find_worker(worker);
    if (!id) continue;
    const auto seen = pool.worker(*id).seen;
    if (seen && pool.now() - *seen < interval) continue;
    pool.touch(*id);
    const abi::OwnedString who(worker);
    context.replicate(kApplyToPool, name, kApplySeen, abi::StringRef(who));
  }
  return pool.now() + interval;
}

size_t clients_waiting(const DatabaseKey& place) {
  const auto found = lines.find(place);
  return found == lines.end() ? 0 : found->second.clients;
}

}  // namespace millrace::module
