#include "module/keys/key_figures.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/keys/key_type_names.h"
#include "module/abi/clock.h"
#include "module/channel/channel_object.h"
#include "module/fact/fact_object.h"
#include "module/index/index_object.h"
#include "module/lock/lock_object.h"
#include "module/log/log_object.h"
#include "module/route/route_object.h"
#include "module/runtime/role.h"
#include "module/runtime/waiting.h"
#include "module/shard/pool_object.h"
#include "module/suggest/suggest_object.h"

namespace millrace::module {

namespace {

void figure(abi::Reply reply, const char* name, uint64_t value) {
  reply.bytes(name);
  reply.integer(static_cast<int64_t>(value));
}

void figure(abi::Reply reply, const char* name, ByteView value) {
  reply.bytes(name);
  reply.bytes(value);
}

// Identifies a key, for data that is stored outside of it.
struct Where {
  int database;
  ByteView name;
  DatabaseKey key() const { return {database, std::string(name)}; }
};

void write(abi::Reply reply, const Log& log, const Where&) {
  const UnixMs now = abi::now();
  uint64_t lag = 0;
  uint64_t pending = 0;
  uint64_t oldest_ms = 0;
  const std::string* oldest_group = nullptr;
  std::vector<std::pair<ByteView, ByteView>> dead_letters;
  uint64_t left = kMostLooked;
  for (auto group = log.groups().begin(); group != log.groups().end() && left-- > 0; ++group) {
    const auto& [name, its] = *group;
    lag += its.lag(log.next());
    pending += its.pending().count();
    const auto oldest = log.oldest_unfinished(its);
    if (oldest && *oldest < now && now - *oldest > oldest_ms) {
      oldest_ms = now - *oldest;
      oldest_group = &name;
    }
    if (!its.settings().dead_letter.empty()) dead_letters.emplace_back(name, its.settings().dead_letter);
  }
  reply.map(10);
  figure(reply, "messages", log.count());
  figure(reply, "last", log.last().value());
  figure(reply, "groups", log.groups().size());
  figure(reply, "lag", lag);
  figure(reply, "pending", pending);
  figure(reply, "oldest-ms", oldest_ms);
  reply.bytes("oldest-group");
  oldest_group == nullptr ? reply.null() : reply.bytes(*oldest_group);
  figure(reply, "scheduled", log.extras() == nullptr ? 0 : log.extras()->schedule.size());
  // A date in the past means that the log refuses the message for now.
  figure(reply, "scheduled-next",
         log.extras() == nullptr ? 0 : log.extras()->schedule.next_due().value_or(UnixMs(0)).value());
  reply.bytes("dead-letters");
  reply.array(dead_letters.size() * 2);
  for (const auto& [group, to] : dead_letters) {
    reply.bytes(group);
    reply.bytes(to);
  }
}

void write(abi::Reply reply, const Channel& channel, const Where&) {
  const UnixMs now = channel.present(abi::now());
  const Offset first = channel.first_alive(now);
  const Offset next = channel.messages().next();
  const auto& subscribers = channel.subscribers();
  const size_t expired = subscribers.count_inactive(channel.oldest_alive(now));
  uint64_t behind = 0;
  const std::string* farthest = nullptr;
  uint64_t left = std::min<uint64_t>(kMostLooked, subscribers.size() - expired);
  for (auto at = std::next(subscribers.begin(), static_cast<ptrdiff_t>(expired)); left-- > 0; ++at) {
    const uint64_t its = next - std::max(first, std::min(next, at->position + 1));
    if (its <= behind) continue;
    behind = its;
    farthest = &at->name;
  }
  reply.map(4);
  figure(reply, "messages", next - first);
  figure(reply, "subscribers", subscribers.size() - expired);
  figure(reply, "behind", behind);
  reply.bytes("farthest");
  farthest == nullptr ? reply.null() : reply.bytes(*farthest);
}

void write(abi::Reply reply, const Pool& pool, const Where& where) {
  const Call call{.now = ObjectTraits<Pool>::now(), .decides = may_decide, .may_wait = false};
  const PoolTime now = PoolOperations::present(pool, call);
  uint64_t stale = 0;
  const std::string* stale_worker = nullptr;
  pool.each_worker(0, kMostLooked, [&](WorkerId id) {
    const Worker& worker = pool.worker(id);
    if (!worker.seen || now - *worker.seen <= pool.settings().stale_ms) return;
    ++stale;
    stale_worker = &worker.name;
  });
  reply.map(7);
  figure(reply, "workers", pool.working().size() + pool.going().size());
  figure(reply, "recipients", pool.recipients().size());
  figure(reply, "pending", pool.pending());
  figure(reply, "stale", stale);
  reply.bytes("stale-worker");
  stale_worker == nullptr ? reply.null() : reply.bytes(*stale_worker);
  figure(reply, "waiting", WaitingClients<Pool>::count(where.key()));
  figure(reply, "dead", pool.counters().dead);
}

void write(abi::Reply reply, const Lock& lock, const Where& where) {
  const MonotonicMs now = abi::monotonic_now();
  const size_t holding = lock.holding() - lock.count_over(now);
  uint64_t lease = 0;
  uint64_t left = kMostLooked;
  lock.each_holder([&](const LockHolder& holder) {
    if (!holder.holding.lease.is_over(now)) lease = std::max<uint64_t>(lease, holder.holding.lease.left(now));
    return --left > 0;
  });
  reply.map(4);
  figure(reply, "state", holding == 0 ? "free" : "held");
  figure(reply, "holders", holding);
  figure(reply, "waiting", WaitingClients<Lock>::count(where.key()));
  figure(reply, "lease-ms", lease);
}

void write(abi::Reply reply, const RouteTable& table, const Where&) {
  const RouteCounts counts = table.counts();
  reply.map(4);
  figure(reply, "devices", counts.devices);
  figure(reply, "subscriptions", counts.subscriptions);
  figure(reply, "filters", counts.filters);
  figure(reply, "filter-failures", table.failing_filters().failures());
}

void write(abi::Reply reply, const Index& index, const Where&) {
  const bool is_building = index.work() == IndexWork::Build;
  reply.map(4);
  figure(reply, "documents", index.documents().size());
  figure(reply, "state", is_building ? "building" : index.work() == IndexWork::Verify ? "verifying" : "ready");
  figure(reply, "conflicts", index.conflicts());
  figure(reply, "skipped", index.skipped());
}

void write(abi::Reply reply, const FactGraph& graph, const Where&) {
  reply.map(1);
  figure(reply, "facts", graph.size());
}

void write(abi::Reply reply, const TermDictionary& dictionary, const Where&) {
  reply.map(1);
  figure(reply, "terms", dictionary.size());
}

template <class Object>
bool write_key(abi::Context context, abi::StringRef name, KeyType type) {
  const auto key = abi::TypedKey<Object>::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return false;
  const abi::Reply reply = context.reply();
  reply.array(5);
  reply.bytes(name.view());
  reply.bytes(kKeyTypeNames[type]);
  reply.integer(static_cast<int64_t>(abi::TypeTraits<Object>::memory(*key->get())));
  const auto expires_at = key->expires_at();
  expires_at ? reply.integer(static_cast<int64_t>(expires_at->value())) : reply.null();
  write(reply, *key->get(), Where{context.database(), name.view()});
  return true;
}

using WriteKey = bool (*)(abi::Context, abi::StringRef, KeyType);
// In the order of the families.
constexpr WriteKey kWriters[kKeyTypes] = {write_key<Log>,       write_key<Channel>,       write_key<Pool>,
                                          write_key<Lock>,      write_key<RouteTable>,    write_key<Index>,
                                          write_key<FactGraph>, write_key<TermDictionary>};

}  // namespace

bool write_figures(abi::Context context, abi::StringRef name, KeyType type) {
  return kWriters[type](context, name, type);
}

}  // namespace millrace::module
