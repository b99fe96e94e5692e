#include "module/commands/lock/lock_line.h"

#include <algorithm>
#include <list>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "module/abi/blocked_client.h"
#include "module/abi/clock.h"
#include "module/commands/lock/lock_answers.h"
#include "module/host/counters.h"
#include "module/host/monotonic_agenda.h"
#include "module/host/owed_answers.h"
#include "module/host/role.h"

namespace millrace::module {

namespace {

// So many are served in one turn; of ten thousand readers behind one writer the rest follow.
constexpr int kGrantsPerTurn = 1000;
// How often a key that holds something else is looked at while somebody waits for a lock there.
constexpr uint64_t kLookAgainMs = 100;

class WaitingOwner;

struct Line {
  std::list<WaitingOwner*> order;
  std::set<std::pair<MonotonicMs, WaitingOwner*>> by_deadline;
  MonotonicMs promised = kNotPromised;  // its one entry on the agenda
};
std::unordered_map<DatabaseKey, Line> lines;

void break_promise(const DatabaseKey& place, Line& line) {
  if (line.promised != kNotPromised) monotonic_agenda::remove(place, line.promised);
  line.promised = kNotPromised;
}

// Sees to it that the line is looked at when its first wait is over, and at `latest` in any case.
void keep_waits(const DatabaseKey& place, Line& line, const Clocks& now, MonotonicMs latest = kNotPromised) {
  const MonotonicMs due = std::min(line.by_deadline.begin()->first + 1, latest);
  if (line.promised <= due) return;
  break_promise(place, line);
  line.promised = due;
  monotonic_agenda::add(place, due, now.monotonic, now.wall);
}

// A grant to somebody who left before hearing of it. It is taken back when effects may be
// replicated again, before anything else is done to the lock.
struct LostGrant {
  std::string owner;
  Token token;
};
std::unordered_map<DatabaseKey, std::vector<LostGrant>> lost_grants;

class WaitingOwner final : public abi::BlockedClient {
 public:
  WaitingOwner(DatabaseKey place, const AcquireRequest& request, const Clocks& now)
      : place_(std::move(place)),
        owner_(request.owner),
        mode_(request.mode),
        ttl_ms_(request.ttl_ms),
        since_(now.monotonic),
        deadline_(now.monotonic + request.wait_ms) {
    Line& line = lines[place_];
    position_ = line.order.insert(line.order.end(), this);
    line.by_deadline.emplace(deadline_, this);
    keep_waits(place_, line, now);
    ++counters.lock.waiting;
  }

  Waiter about(MonotonicMs now) const { return {owner_, mode_, now - since_, arrival_}; }

  // False if the lock does not admit it yet.
  bool take(LockVisit& visit) {
    const auto admission = visit.lock().admit(owner_, mode_, false);
    if (admission != Lock::Admission::Fresh && admission != Lock::Admission::Again) return false;
    leave_line();
    granted_ = visit.grant(owner_, mode_, ttl_ms_);
    ++counters.lock.handed_over;
    serve();
    return true;
  }

  // Its time is over.
  void send_away() {
    leave_line();
    serve();
  }

 private:
  void answer(abi::Reply reply) override { granted_ ? write_granted(reply, *granted_) : answer_timeout(reply); }
  void answer_timeout(abi::Reply reply) override { write_refused(reply, place_, mode_); }

  void left() override {
    const bool was_first = lines.find(place_)->second.order.front() == this;
    leave_line();
    // It may have been all that kept those behind it.
    if (was_first) serve_soon(place_);
  }

  void left_unanswered() override {
    if (!granted_) return;
    lost_grants[place_].push_back({owner_, granted_->token});
    serve_soon(place_);
  }

  // Nothing to do: nobody can be served where nothing may be replicated, and whoever put
  // something under the key has seen to it that the line is served.
  void key_is_ready(abi::Context) override {}

  void leave_line() {
    const auto line = lines.find(place_);
    line->second.order.erase(position_);
    line->second.by_deadline.erase({deadline_, this});
    --counters.lock.waiting;
    if (!line->second.order.empty()) return;
    break_promise(place_, line->second);
    lines.erase(line);
  }

  static inline uint64_t next_arrival_ = 0;

  DatabaseKey place_;
  std::string owner_;
  LockMode mode_;
  uint64_t ttl_ms_;
  MonotonicMs since_;
  uint64_t arrival_ = next_arrival_++;
  MonotonicMs deadline_;  // the last millisecond in which it waits
  std::list<WaitingOwner*>::iterator position_;
  std::optional<Holding> granted_;
};

void take_back_lost_grants(LockVisit& visit, const DatabaseKey& place) {
  const auto lost = lost_grants.extract(place);
  if (lost.empty()) return;
  for (const LostGrant& grant : lost.mapped()) visit.take_back(grant.owner, grant.token);
}

// Those whose time is over go; the others are looked at again, at `latest` in any case.
void end_waits(const DatabaseKey& place, const Clocks& now, MonotonicMs latest = kNotPromised) {
  for (auto line = lines.find(place); line != lines.end(); line = lines.find(place)) {
    const auto& [deadline, first] = *line->second.by_deadline.begin();
    if (now.monotonic <= deadline) {
      if (line->second.promised <= now.monotonic) break_promise(place, line->second);
      return keep_waits(place, line->second, now, latest);
    }
    first->send_away();
  }
}

// Does whatever is due for this key, and serves whoever can be served.
void look_after(abi::Context context, const DatabaseKey& place, abi::StringRef name) {
  if (server_decides && abi::replicas_must_rest()) return serve_soon(place);
  auto visit = LockVisit::open_for_upkeep(context, name);
  if (!visit) {
    // Another type is there: nobody has the lock or gets it, but their time passes. When it
    // goes nobody tells us.
    lost_grants.erase(place);
    const Clocks now = read_clocks();
    return end_waits(place, now, now.monotonic + kLookAgainMs);
  }
  if (visit->lock().is_free() && context.is_served_elsewhere(name)) {
    // The slot is being moved away, and the lock has gone ahead with whoever holds it. The host sends those who wait
    // after it when the slot is there; if it stays here after all, nobody tells us.
    lost_grants.erase(place);
    return end_waits(place, visit->now(), visit->now().monotonic + kLookAgainMs);
  }
  if (server_decides) {
    take_back_lost_grants(*visit, place);
    visit->end_leases();
    pass_on(*visit);
  }
  end_waits(place, visit->now());
  pass_on(*visit);
  visit->finish();
}

bool is_owed(const DatabaseKey& place) {
  if (lines.empty() && lost_grants.empty()) [[likely]] {
    return false;
  }
  return lines.contains(place) || lost_grants.contains(place);
}

// The lock that was here is free now. Or all keys were emptied, loaded or swapped, and what the
// agenda says of them is not what it said.
void start_afresh(const DatabaseKey& place) {
  if (const auto line = lines.find(place); line != lines.end()) {
    break_promise(place, line->second);
    keep_waits(place, line->second, read_clocks());
  }
  serve_soon(place);
}

std::vector<DatabaseKey> keys_with_lines() {
  std::vector<DatabaseKey> keys;
  for (const auto& [place, line] : lines) keys.push_back(place);
  return keys;
}

}  // namespace

constinit const Waiters kLockWaiters{
    .wait_for = is_owed,
    .keys = keys_with_lines,
    .serve = look_after,
    .serve_without_effects = nullptr,
    .start_afresh = start_afresh,
};

std::optional<UnixMs> look_after_lock(abi::Context context, abi::StringRef name, UnixMs) {
  look_after(context, {context.database(), std::string(name.view())}, name);
  return std::nullopt;  // its dates are on the monotonic agenda
}

void wait_for_lock(abi::Context context, abi::StringRef name, const AcquireRequest& request) {
  DatabaseKey place{context.database(), std::string(name.view())};
  auto waiting = std::make_unique<WaitingOwner>(std::move(place), request, read_clocks());
  // A writable replica does not work on its agenda: there the host ends the wait.
  abi::block(context, name, server_decides ? 0 : request.wait_ms, std::move(waiting));
}

bool anybody_waits_for_lock(const LockVisit& visit) { return !lines.empty() && lines.contains(visit.place()); }

void pass_on(LockVisit& visit) {
  if (lines.empty() || !server_decides) [[likely]] {
    return;
  }
  const DatabaseKey place = visit.place();
  if (!lines.contains(place)) return;
  if (abi::replicas_must_rest()) return serve_soon(place);
  int served = 0;
  for (auto line = lines.find(place); line != lines.end(); line = lines.find(place)) {
    if (served++ == kGrantsPerTurn) return monotonic_agenda::add(place, visit.now().monotonic);
    if (!line->second.order.front()->take(visit)) return;
  }
}

std::vector<Waiter> waiters_for_lock(const DatabaseKey& place, size_t most) {
  std::vector<Waiter> waiters;
  const auto line = lines.find(place);
  if (line == lines.end()) return waiters;
  const MonotonicMs now = abi::monotonic_now();
  for (const WaitingOwner* waiting : line->second.order) {
    if (waiters.size() == most) break;
    waiters.push_back(waiting->about(now));
  }
  return waiters;
}

size_t count_waiters_for_lock(const DatabaseKey& place) {
  const auto line = lines.find(place);
  return line == lines.end() ? 0 : line->second.order.size();
}

}  // namespace millrace::module
