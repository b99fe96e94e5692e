#include "engine/shard/pool_operations.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/decoder.h"
#include "engine/base/varint.h"
#include "engine/shard/pool_effects.h"
#include "engine/shard/pool_parts.h"
#include "engine/shard/pool_visit.h"

namespace millrace {

namespace {

[[gnu::cold]] std::unexpected<Error> no_worker() {
  return fail(ErrorCode::NoWorker,
              "the worker has not joined the pool, has left it, or was removed while it was stale");
}

Outcome<uint64_t> still_waiting(const Wait& wait) {
  Outcome<uint64_t> nothing;
  nothing.consequences.wait = wait;
  return nothing;
}

// Effects with saved parts create the pool; other effects need an existing one. But 1.0.0 could write the time of a new
// pool before the command that creates it, so a replica accepts that.
bool may_make_pool(const PoolEffect& effect, const Call& call) {
  if (effect.kind == PoolEffect::Kind::Part) return true;
  return effect.kind == PoolEffect::Kind::Clock && !call.decides;
}

// A name is written as its size and its bytes.
void append_told(std::string& to, ByteView name) {
  append_varint(to, name.size());
  to += name;
}

Result<void> forget_names(Pool& pool, ByteView bytes) {
  std::vector<ByteView> names;
  Decoder in(bytes);
  while (in.ok() && !in.finished()) names.push_back(in.bytes(in.number()));
  if (!in.finished()) return corrupt("names of the wrong length");
  for (ByteView name : names) pool.forget(name);
  return {};
}

Result<void> apply_to(Pool& pool, const PoolEffect& effect) {
  using Kind = PoolEffect::Kind;
  switch (effect.kind) {
    case Kind::Clock:
      pool.tick(effect.clock);
      return {};
    case Kind::Seen:
      if (const auto worker = pool.find_worker(effect.bytes)) pool.touch(*worker);
      return {};
    case Kind::Settle:
      pool.settle();
      return {};
    case Kind::Forget:
      return forget_names(pool, effect.bytes);
    case Kind::Letters:
      pool.drop_dead_payloads(effect.count);
      return {};
    case Kind::Part:
      return restore_part(pool, static_cast<PoolPart>(effect.part.kind), effect.part.bytes,
                          Buffer::copy_of(effect.part.block));
  }
  return {};
}

}  // namespace

inline void PoolOperations::finish(PoolVisit& visit) {
  if (visit.has_counted()) [[unlikely]] {
    totals_.moved += visit.moved();
    totals_.failovers += visit.failovers();
    totals_.dead += visit.dead();
    totals_.forgotten += visit.forgotten();
  }
  if (!visit.pool().dead_payloads().empty() && visit.decides()) [[unlikely]] {
    send_dead_payloads(visit);
  }
  visit.finish();
}

// Not inlined: it is seldom called, and would make every operation reserve its frame.
[[gnu::noinline]] void PoolOperations::send_dead_payloads(PoolVisit& visit) {
  constexpr size_t kMostAtOnce = 100;
  constexpr uint64_t kTryAgainMs = 60'000;
  Pool& pool = visit.pool();
  const PoolTime refused = pool.notes.letters_refused;
  // The pool's own time does not move while nothing is due.
  const PoolTime now = visit.present();
  if (refused != PoolTime(0) && now - refused < kTryAgainMs) return visit.look_again_at(refused + kTryAgainMs);
  size_t written = 0;
  for (const DeadPayload& dead : pool.dead_payloads()) {
    if (written == kMostAtOnce) break;
    if (logs_ == nullptr || !logs_->write(visit.place(), pool.settings().dead_log,
                                          tag_of_dead_payload(dead, visit.place().name()), dead.payload)) {
      break;
    }
    ++written;
  }
  const bool is_refused = written < std::min(kMostAtOnce, pool.dead_payloads().size());
  pool.notes.letters_refused = is_refused ? std::max(now, PoolTime(1)) : PoolTime(0);
  pool.drop_dead_payloads(written);
  if (written != 0) visit.follow.effects.add(kPoolLetters, uint64_t{written});
  if (!pool.dead_payloads().empty()) visit.look_again_at(now + (is_refused ? kTryAgainMs : 1));
}

void PoolOperations::forget_idle(PoolVisit& visit) {
  Pool& pool = visit.pool();
  if (pool.settings().forget_ms == 0 || !visit.decides()) return;
  const PoolTime now = visit.present();
  pool.tick_steps(now);
  std::vector<std::string> names;
  const bool has_looked = pool.each_forgettable([&](ByteView name) { names.emplace_back(name); });
  std::string told;
  for (const std::string& name : names) {
    pool.forget(name);
    append_told(told, name);
  }
  if (!names.empty()) {
    visit.follow.effects.add(kPoolForget, std::move(told));
    visit.follow.events.add("shard.forget");
  }
  visit.look_again_at(has_looked ? pool.notes.step_began + std::max<uint64_t>(1, pool.settings().forget_ms / 8) : now);
}

template <class Answer, class Act>
Outcome<Answer> PoolOperations::execute(Place<Pool>& place, const Call& call, Act act) {
  Outcome<Answer> done;
  PoolVisit visit(place, call, waiters_, done.consequences);
  visit.move_clock();
  done.answer = act(visit);
  finish(visit);
  return done;
}

template <class Answer, class Act>
Outcome<Answer> PoolOperations::execute_as(WorkerId worker, Place<Pool>& place, const Call& call, Act act) {
  return execute<Answer>(place, call, [&](PoolVisit& visit) {
    const bool was_stale = visit.pool().is_stale(visit.pool().worker(worker));
    const Answer answer = act(visit);
    // A worker that was stale may now take over recipients, and senders may wait for a living worker.
    was_stale ? visit.look_at_all() : visit.look_at(worker);
    if (visit.moved() != 0 || was_stale) visit.follow.wake = Wake::all_lines();
    return answer;
  });
}

Result<WorkerId> PoolOperations::find_worker(const Pool* pool, ByteView worker) {
  const auto found = pool == nullptr ? std::nullopt : pool->find_worker(worker);
  if (!found) return no_worker();
  return *found;
}

// --- workers ---

Outcome<uint64_t> PoolOperations::join(Place<Pool>& place, ByteView worker, const Call& call) {
  if (place.get() != nullptr && place.get()->is_full(worker, present(*place.get(), call))) {
    return fail(ErrorCode::Full, "the pool has as many workers as it can");
  }
  Pool& pool = pool_at(place);
  return execute<uint64_t>(place, call, [&](PoolVisit& visit) {
    const bool is_known = pool.find_worker(worker).has_value();
    const WorkerId id = pool.join(worker);
    visit.changed("shard.join");
    visit.look_at_joined(id);
    // If nothing has moved: senders may wait for this new worker; a worker that restarts gets its payloads in flight
    // again.
    visit.follow.wake = Wake::one_line(kSendersLine);
    if (is_known) visit.follow.wake = pool.has_company(id) ? Wake::one_line(worker) : Wake::all_lines();
    return pool.working().size();
  });
}

Outcome<Done> PoolOperations::heartbeat(Place<Pool>& place, ByteView worker, const Call& call) {
  const auto id = find_worker(place.get(), worker);
  if (!id) return std::unexpected(id.error());
  return execute_as<Done>(*id, place, call, [&](PoolVisit& visit) {
    visit.pool().touch(*id);
    visit.changed("shard.heartbeat");
    return Done();
  });
}

Outcome<uint64_t> PoolOperations::leave(Place<Pool>& place, const LeaveRequest& request, const Call& call) {
  const auto id = find_worker(place.get(), request.worker);
  if (!id) return std::unexpected(id.error());
  return execute<uint64_t>(place, call, [&](PoolVisit& visit) {
    const uint64_t moved = visit.pool().leave(*id, request.lets_go);
    visit.changed("shard.leave");
    visit.look_at_all();
    // Requests that wait as this worker get an error; other workers may have got its payloads.
    visit.follow.wake = Wake::all_lines();
    return moved;
  });
}

uint64_t PoolOperations::deliver(Pool& pool, WorkerId worker, uint64_t count, PayloadSink& sink) {
  Pool::PulledPayload pulled;
  uint64_t delivered = 0;
  sink.begin();
  count = std::min(count, kMostPulled);
  for (uint64_t bytes = 0; delivered < count && bytes < kMostPulledBytes && pool.deliver(worker, pulled); ++delivered) {
    sink.payload(pulled);
    bytes += pulled.payload.size();
  }
  sink.end(delivered);
  totals_.delivered += delivered;
  return delivered;
}

Outcome<uint64_t> PoolOperations::pull(Place<Pool>& place, PullRequest& request, const Call& call, PayloadSink& sink) {
  const auto id = find_worker(place.get(), request.worker);
  if (!id || place.get()->worker(*id).state != Worker::State::Working) return no_worker();
  Pool& pool = *place.get();
  const bool waits = request.block_ms && call.may_wait && !pool.has_delivery(*id);
  const Wait wait{.line = request.worker};
  if (waits && request.is_waiting) return still_waiting(wait);
  return execute_as<uint64_t>(*id, place, call, [&](PoolVisit& visit) {
    pool.touch(*id);
    if (!waits) {
      visit.changed("shard.pull");
      return deliver(pool, *id, request.count, sink);
    }
    // A waiting request is replicated when it is served, but the worker's sign of life is recorded now.
    visit.follow.effects.add(kPoolSeen, std::string(request.worker));
    visit.follow.wait = wait;
    request.is_waiting = true;
    visit.show_waiting();
    visit.look_again_at(pool.now() + visit.sign_interval());
    return uint64_t{0};
  });
}

Outcome<uint64_t> PoolOperations::acknowledge(Place<Pool>& place, const PoolAckRequest& request, const Call& call) {
  const auto id = find_worker(place.get(), request.worker);
  if (!id) return std::unexpected(id.error());
  // Checked before the pool's time moves, because a refused request must not change anything.
  const auto allowed = place.get()->may_be_acknowledged(*id, request.recipient, request.sequence);
  if (!allowed) return std::unexpected(allowed.error());
  return execute_as<uint64_t>(*id, place, call, [&](PoolVisit& visit) {
    const uint64_t acknowledged = *visit.pool().acknowledge(*id, request.recipient, request.sequence);
    totals_.acknowledged += acknowledged;
    visit.changed("shard.ack");
    return acknowledged;
  });
}

Outcome<uint64_t> PoolOperations::give_back(Place<Pool>& place, const PoolNackRequest& request, const Call& call) {
  const auto id = find_worker(place.get(), request.worker);
  if (!id) return std::unexpected(id.error());
  const auto allowed = place.get()->may_come_back(*id, request.recipient, request.sequence);
  if (!allowed) return std::unexpected(allowed.error());
  return execute_as<uint64_t>(*id, place, call, [&](PoolVisit& visit) {
    visit.changed("shard.nack");
    // The date of the next delivery depends on the delay.
    visit.look_at_all();
    visit.follow.wake = Wake::one_line(request.worker);
    if (!request.dead) return visit.pool().give_back(*id, *allowed, request.delay_ms);
    visit.pool().give_up(*id, *allowed, *request.dead);
    return uint64_t{1};
  });
}

Outcome<uint64_t> PoolOperations::done(Place<Pool>& place, const DoneRequest& request, const Call& call) {
  const auto id = find_worker(place.get(), request.worker);
  if (!id) return std::unexpected(id.error());
  const auto allowed = place.get()->may_be_done(*id, request.recipient, request.count);
  if (!allowed) return std::unexpected(allowed.error());
  return execute_as<uint64_t>(*id, place, call, [&](PoolVisit& visit) {
    visit.changed("shard.done");
    return *visit.pool().done(*id, request.recipient, request.count);
  });
}

// --- senders ---

Outcome<Sent> PoolOperations::route(Place<Pool>& place, RouteRequest& request, const Call& call) {
  return send(place, request, call, "shard.route");
}

Outcome<Sent> PoolOperations::push(Place<Pool>& place, RouteRequest& request, const Call& call) {
  return send(place, request, call, "shard.push");
}

Outcome<Sent> PoolOperations::wait_for_worker(RouteRequest& request, const Call& call) {
  Outcome<Sent> nobody = std::unexpected(no_workers());
  if (!request.block_ms || !call.may_wait) return nobody;
  request.hold_payloads();
  nobody.consequences.wait = Wait{.line = kSendersLine};
  return nobody;
}

Outcome<Sent> PoolOperations::send(Place<Pool>& place, RouteRequest& request, const Call& call, const char* event) {
  // A stale worker gets no message.
  if (place.get() == nullptr || !place.get()->can_send(request.recipient, present(*place.get(), call))) {
    return wait_for_worker(request, call);
  }
  // Checked before the pool's time moves, because a refused request must not change anything.
  if (auto full = place.get()->why_full(request.recipient, request.payloads.size(), request.id)) {
    return std::unexpected(std::move(*full));
  }
  return send_to_worker(place, request, call, event);
}

// A separate function, so that its outcome is constructed in place and not moved.
inline Outcome<Sent> PoolOperations::send_to_worker(Place<Pool>& place, const RouteRequest& request, const Call& call,
                                                    const char* event) {
  Outcome<Sent> done;
  PoolVisit visit(place, call, waiters_, done.consequences);
  visit.move_clock();
  Pool& pool = visit.pool();
  const bool counts = request.payloads.empty();
  const auto routed =
      counts ? pool.route(request.recipient) : pool.push(request.recipient, request.payloads, limits_, request.id);
  if (routed) [[likely]] {
    totals_.routed += counts;
    totals_.pushed += routed->queued;
    const ByteView worker = pool.worker(routed->worker).name;
    *done.answer = {worker, routed->pending};
    visit.changed(event);
    visit.look_at(routed->worker);
    if (visit.moved() != 0) {
      visit.follow.wake = Wake::all_lines();
    } else if (!counts) {
      visit.follow.wake = Wake::one_line(worker);
    }
  } else {
    done.answer = std::unexpected(routed.error());
  }
  finish(visit);
  return done;
}

Outcome<uint64_t> PoolOperations::forget(Place<Pool>& place, std::span<const ByteView> recipients, const Call& call) {
  Pool* pool = place.get();
  if (pool == nullptr) return uint64_t{0};
  Outcome<uint64_t> done;
  // This operation does not depend on the time.
  PoolVisit visit(place, call, waiters_, done.consequences);
  uint64_t gone = 0;
  for (ByteView recipient : recipients) gone += pool->forget(recipient);
  if (gone != 0) {
    visit.changed("shard.forget");
    visit.look_at_all();
  }
  done.answer = gone;
  finish(visit);
  return done;
}

// --- the pool ---

Outcome<Done> PoolOperations::set(Place<Pool>& place, const PoolSetRequest& request, const Call& call) {
  if (request.dead_log && !request.dead_log->empty() && call.decides) {
    if (logs_ == nullptr) return fail(ErrorCode::Range, "there are no logs here for dead payloads");
    if (const auto may = logs_->may_write(place, *request.dead_log); !may) return std::unexpected(may.error());
  }
  Pool& pool = pool_at(place);
  return execute<Done>(place, call, [&](PoolVisit& visit) {
    pool.set(request.applied_to(pool.settings()));
    visit.changed("shard.set");
    visit.look_at_all();
    // Waiting workers may have to be recorded as alive more often now.
    visit.show_waiting();
    if (pool.settings().forget_ms != 0) visit.look_again_at(pool.now() + pool.settings().forget_ms / 8 + 1);
    // With a longer STALE a silent worker lives again, for which senders may wait.
    visit.follow.wake = Wake::all_lines();
    return Done();
  });
}

Outcome<uint64_t> PoolOperations::rebalance(Place<Pool>& place, uint64_t max_moves, const Call& call) {
  if (place.get() == nullptr) return uint64_t{0};
  return execute<uint64_t>(place, call, [&](PoolVisit& visit) {
    const uint64_t moved = visit.pool().rebalance(max_moves);
    if (moved != 0) visit.changed("shard.rebalance");
    return moved;
  });
}

// --- background work ---

Consequences PoolOperations::look_after(Place<Pool>& place, const Call& call) {
  Consequences follow;
  if (place.get() == nullptr) return follow;
  PoolVisit visit(place, call, waiters_, follow);
  Pool& pool = visit.pool();
  const auto is_due = [&](PoolTime now) {
    const auto due = pool.next_settle();
    return due && *due <= now;
  };
  visit.start_clock();
  // The pool's time moves only if necessary: a visit without work is not a change.
  if (is_due(visit.present()) || !visit.waiting_workers().empty()) visit.move_clock();
  visit.show_waiting();
  if (is_due(pool.now())) {
    pool.settle();
    follow.effects.add(kPoolSettle);
    follow.events.add("shard.settle");
    follow.wake = Wake::all_lines();
  }
  forget_idle(visit);
  visit.look_at_all();
  finish(visit);
  return follow;
}

// --- effects from another engine ---

Outcome<Done> PoolOperations::apply(Place<Pool>& place, const PoolEffect& effect, const Call& call) {
  const bool is_there = place.get() != nullptr;
  if (!is_there && !may_make_pool(effect, call)) {
    return fail(ErrorCode::Corrupt, "the pool that this effect belongs to is missing");
  }
  // A pool that does not exist yet is created only if the effect is valid.
  std::optional<Pool> made;
  if (!is_there) made.emplace(key_);
  Pool& target = is_there ? *place.get() : *made;
  const PoolCounters before = target.counters();
  if (const auto applied = apply_to(target, effect); !applied) return std::unexpected(applied.error());
  if (made) place.put(std::move(*made));
  Outcome<Done> done;
  PoolVisit visit(place, call, waiters_, done.consequences, before);
  visit.changed("shard.apply");
  if (effect.kind != PoolEffect::Kind::Clock) visit.look_at_all();
  visit.follow.wake = Wake::all_lines();
  finish(visit);
  return done;
}

}  // namespace millrace
