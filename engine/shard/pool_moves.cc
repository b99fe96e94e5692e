// Workers that join and leave, and the moves of their recipients.
#include <algorithm>
#include <set>

#include "engine/shard/pool.h"
#include "engine/shard/recipient_lists.h"

namespace millrace {

namespace {

using State = Worker::State;

// How many workers that own nothing are removed in one turn.
constexpr size_t kGoneAtOnce = 1000;

// The cost of choosing a worker, in units of looking at one recipient.
uint64_t price_of_choice(const PoolSettings& settings, size_t workers) {
  return settings.policy == AssignmentPolicy::RoundRobin ? 1 : 1 + workers / 64;
}

}  // namespace

// --- choosing ---

WorkerId Pool::next_in_turn(const std::function<bool(WorkerId)>& fits) {
  if (iterator_ >= working_.size()) iterator_ = 0;
  for (size_t i = 0; i < working_.size(); ++i) {
    const size_t at = (iterator_ + i) % working_.size();
    if (!fits(working_[at])) continue;
    iterator_ = at + 1 < working_.size() ? at + 1 : 0;
    return working_[at];
  }
  return WorkerId::none();
}

WorkerId Pool::least_pending(const std::function<bool(WorkerId)>& fits) const {
  WorkerId best;
  for (WorkerId id : working_) {
    if (!fits(id)) continue;
    if (best.is_none() || std::pair(worker(id).pending, worker(id).recipients) <
                              std::pair(worker(best).pending, worker(best).recipients)) {
      best = id;
    }
  }
  return best;
}

WorkerId Pool::choose_living(WorkerId except) {
  const auto fits = [&](WorkerId id) { return id != except && is_living(worker(id)); };
  return settings_.policy == AssignmentPolicy::RoundRobin ? next_in_turn(fits) : least_pending(fits);
}

bool Pool::has_living_besides(WorkerId except) const {
  return std::ranges::any_of(working_, [&](WorkerId id) { return id != except && is_living(worker(id)); });
}

bool Pool::has_company(WorkerId worker) const {
  // The workers that joined last are the least likely to be stale.
  size_t living = 0;
  for (size_t i = working_.size(), looks = 0; i > 0 && looks < kFew && living < 2; ++looks) {
    const WorkerId other = working_[--i];
    living += other != worker && is_living(this->worker(other));
  }
  return living == 2;
}

// --- coming and going ---

bool Pool::is_full(ByteView name, PoolTime now) const {
  const size_t all = working_.size() + going_.size();
  if (all < kMaxWorkers || find_worker(name)) return false;
  // Stale workers are removed as soon as a living worker can take over their recipients.
  const auto living = std::ranges::count_if(working_, [&](WorkerId id) { return !is_stale_at(worker(id), now); });
  return static_cast<size_t>(living) >= kMaxWorkers || all >= 2 * kMaxWorkers;
}

WorkerId Pool::join(ByteView name) {
  if (const auto known = find_worker(name)) {
    Worker& worker = at(*known);
    worker.seen.reset();
    worker.joined = now_;
    if (worker.state == State::Leaving) {
      std::erase(going_, *known);
      working_.push_back(*known);
      worker.state = State::Working;
      worker.looking_at = RecipientId::none();
    }
    std::vector<RecipientId> held;
    for (RecipientId id = worker.held.first; id.is_some(); id = recipients_[id].queue->held_after) {
      held.push_back(id);
    }
    // In an order that is the same on every server.
    std::ranges::sort(held, {}, [&](RecipientId id) { return recipients_[id].assigned; });
    for (RecipientId id : held) redeliver(id);
    return *known;
  }
  const WorkerId id = add_worker(name);
  by_name_.emplace(std::string(name), id);
  working_.push_back(id);
  return id;
}

WorkerId Pool::add_worker(ByteView name) {
  WorkerId id(static_cast<uint32_t>(workers_.size()));
  if (free_.empty()) {
    workers_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  workers_[id.value()] = std::make_unique<Worker>();
  workers_[id.value()]->name = name;
  workers_[id.value()]->joined = now_;
  return id;
}

uint64_t Pool::leave(WorkerId id, bool lets_go) {
  const uint64_t before = counters_.moved;
  // Joining counts as a sign of life: if the worker dies with payloads in flight, these move on even if it never called
  // again.
  touch(id);
  if (lets_go || at(id).state == State::Working) {
    stop_working(id, lets_go ? State::Dead : State::Leaving);
    step_out_of_line(id);
  }
  uint64_t budget = kSlice;
  lets_go ? move_slice(id, budget) : drain_slice(id, budget);
  return counters_.moved - before;
}

// The worker is no longer chosen. The name of a dead worker is free for another.
void Pool::stop_working(WorkerId id, State state) {
  Worker& worker = at(id);
  worker.state = state;
  worker.looking_at = state == State::Leaving ? worker.own.first : RecipientId::none();
  if (state == State::Dead) by_name_.erase(worker.name);
}

void Pool::step_out_of_line(WorkerId id) {
  if (std::erase(working_, id) != 0) going_.push_back(id);
}

// The worker keeps its place in the list while its first slice moves, so that the iterator ends where it does in the
// original design, which first moves all recipients and then removes the worker.
void Pool::fail_over(WorkerId id, uint64_t& budget) {
  stop_working(id, State::Dead);
  ++counters_.failovers;
  move_slice(id, budget);
  if (workers_[id.value()]) step_out_of_line(id);
}

void Pool::remove_if_empty(WorkerId id) {
  const Worker& worker = at(id);
  if (worker.state == State::Working || worker.recipients != 0) return;
  if (worker.state == State::Leaving) by_name_.erase(worker.name);
  std::erase(going_, id);
  std::erase(working_, id);
  workers_[id.value()].reset();
  free_.push_back(id);
}

// --- moving ---

void Pool::move(RecipientId id, WorkerId to) {
  unassign(id);
  assign(id, to);
  ++counters_.moved;
}

// Moves a dead worker's recipients until the budget is spent; true if there is more to do.
bool Pool::move_slice(WorkerId from, uint64_t& budget) {
  const uint64_t price = price_of_choice(settings_, working_.size());
  while (at(from).own.first.is_some()) {
    if (budget == 0) return true;
    const WorkerId to = choose_living(from);
    if (to.is_none()) return false;
    move(at(from).own.first, to);
    budget -= std::min(budget, price);
  }
  remove_if_empty(from);
  return false;
}

// The same for a leaving worker, except for recipients with payloads in flight.
bool Pool::drain_slice(WorkerId from, uint64_t& budget) {
  const uint64_t price = price_of_choice(settings_, working_.size());
  for (Worker& worker = at(from); worker.looking_at.is_some();) {
    if (budget == 0) return true;
    const RecipientId id = worker.looking_at;
    budget -= std::min(budget, price);
    if (recipients_[id].is_in_flight()) {
      worker.looking_at = recipients_[id].after;
      continue;
    }
    const WorkerId to = choose_living(from);
    if (to.is_none()) return false;
    move(id, to);
  }
  remove_if_empty(from);
  return false;
}

// A leaving worker has finished its payloads in flight: now the recipient can move.
void Pool::let_go_if_leaving(RecipientId id) {
  const WorkerId from = recipients_[id].owner;
  if (at(from).state != State::Leaving || recipients_[id].is_in_flight()) return;
  const WorkerId to = choose_living(from);
  if (to.is_none()) {
    at(from).looking_at = at(from).own.first;
    return;
  }
  move(id, to);
  remove_if_empty(from);
}

uint64_t Pool::rebalance(uint64_t max_moves) {
  // Workers with equal counts are in the order in which they joined, which is the same on every server.
  struct Place {
    uint64_t recipients;
    size_t joined;
    auto operator<=>(const Place&) const = default;
  };
  std::set<Place> givers;
  for (size_t i = 0; i < working_.size(); ++i) {
    if (is_living(worker(working_[i]))) givers.insert({worker(working_[i]).recipients, i});
  }
  std::set<Place> takers = givers;
  std::map<size_t, RecipientId> looking_at;
  uint64_t moved = 0;
  for (uint64_t looks = 10 * kSlice; looks > 0 && moved < max_moves && !givers.empty();) {
    const Place most = *givers.rbegin();
    const Place least = *takers.begin();
    if (most.recipients < least.recipients + 2) break;
    RecipientId& at = looking_at.try_emplace(most.joined, worker(working_[most.joined]).own.first).first->second;
    for (; at.is_some() && looks > 0 && recipients_[at].pending() != 0; --looks) at = recipients_[at].after;
    if (looks == 0) break;
    if (at.is_none()) {
      givers.erase(most);
      continue;
    }
    const RecipientId idle = std::exchange(at, recipients_[at].after);
    --looks;
    move(idle, working_[least.joined]);
    ++moved;
    for (std::set<Place>* places : {&givers, &takers}) {
      for (const Place& old : {most, least}) {
        if (places->erase(old) != 0) places->insert({worker(working_[old.joined]).recipients, old.joined});
      }
    }
  }
  return moved;
}

// --- background work ---

// Workers without recipients can be removed even if no worker is alive: some at a time, in one pass over the list.
void Pool::remove_gone_without_recipients() {
  size_t left = kGoneAtOnce;
  std::erase_if(working_, [&](WorkerId id) {
    if (left == 0 || worker(id).recipients != 0 || !must_fail_over(worker(id))) return false;
    --left;
    by_name_.erase(worker(id).name);
    workers_[id.value()].reset();
    free_.push_back(id);
    ++counters_.failovers;
    return true;
  });
}

bool Pool::settle() {
  uint64_t budget = kSlice;
  end_delays(budget);
  remove_gone_without_recipients();
  std::vector<WorkerId> stale;
  for (const auto* ids : {&working_, &going_}) {
    for (WorkerId id : *ids) {
      if (worker(id).recipients != 0 && must_fail_over(worker(id))) stale.push_back(id);
    }
  }
  for (WorkerId id : stale) {
    if (budget == 0) break;
    if (!has_living_besides(id)) continue;
    fail_over(id, budget);
    // Removing a worker from the list costs as much as choosing one.
    budget -= std::min(budget, 1 + working_.size() / 64);
  }
  bool more = budget == 0;
  for (WorkerId id : std::vector(going_)) {
    more |= worker(id).state == State::Dead ? move_slice(id, budget) : drain_slice(id, budget);
  }
  return more;
}

std::optional<PoolTime> Pool::next_settle() const {
  const auto living = std::ranges::count_if(working_, [&](WorkerId id) { return is_living(worker(id)); });
  std::optional<PoolTime> next;
  const auto consider = [&](PoolTime date) {
    date = std::max(date, now_);
    next = std::min(next.value_or(date), date);
  };
  for (const auto* ids : {&working_, &going_}) {
    for (WorkerId id : *ids) {
      const Worker& one = worker(id);
      if (living <= is_living(one) && one.recipients != 0) continue;  // no worker could take over
      if (one.state == State::Dead || (one.state == State::Leaving && one.looking_at.is_some())) consider(now_);
      if (one.state == State::Dead) continue;
      if (one.busy == 0) consider(gone_at(one));
      if (one.busy > 0 && one.seen) consider(*one.seen + settings_.stale_ms + 1);
    }
  }
  if (!delayed_.empty()) consider(delayed_.begin()->until);
  return next;
}

}  // namespace millrace
