// A worker pool: each recipient has one worker, for as long as that worker lives.
//
//   workers      w1 [ann, eve]    w2 [bob]    w3 []        in the order in which they joined
//   iterator               ^ the next new recipient goes to w2
//
// A worker whose last access is more than `stale` ago is stale; if something is pending for
// it, its recipients move to living workers, with everything that is pending. A stale worker for
// which nothing is pending is removed later (kGoneAfter), and its recipients move then.
//
// The time of a pool is the one given to tick() last. It counts only while a server of the pool
// is up: neither a clock that is set nor a server that was down makes a worker stale.
// The same operations in the same order always give the same pool.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/keyed_hash.h"
#include "engine/base/recent_answers.h"
#include "engine/blocks/blocks_codec.h"
#include "engine/shard/dead_payload.h"
#include "engine/shard/pool_clock.h"
#include "engine/shard/recipients.h"
#include "engine/shard/worker.h"

namespace millrace {

// Limits of what can be set.
inline constexpr uint64_t kMostAttempts = UINT32_MAX;
inline constexpr uint64_t kMostRecipientMax = uint64_t{1} << 53;

enum class AssignmentPolicy : uint8_t { RoundRobin, LeastPending };

struct PoolSettings {
  uint64_t stale_ms = 15'000;
  AssignmentPolicy policy = AssignmentPolicy::RoundRobin;
  uint64_t max_attempts = 0;   // a payload that came back this often is given up; 0: never
  std::string dead_log = {};   // the log for payloads that are given up; empty: none
  uint64_t forget_ms = 0;      // idle recipients are forgotten after this time; 0: never
  uint64_t recipient_max = 0;  // payloads in the queue of one recipient; 0: any number
};

struct PoolCounters {
  uint64_t assigned = 0;   // recipients that were new
  uint64_t moved = 0;      // recipients that changed their worker
  uint64_t failovers = 0;  // workers removed because they were stale
  uint64_t dead = 0;       // payloads that were given up
  uint64_t forgotten = 0;  // recipients that were removed

  friend bool operator==(const PoolCounters&, const PoolCounters&) = default;
};

struct Routed {
  WorkerId worker;
  uint64_t pending;
  uint64_t queued = 0;  // payloads; none if they were there already
};

inline Error no_workers() { return {ErrorCode::NoWorkers, "the pool has no worker that lives"}; }

// The saved fields of the parts of a pool, without their lists.
struct PoolHead {
  PoolTime now;
  PoolSettings settings;
  PoolCounters counters;
  uint64_t iterator = 0;
  uint64_t assignments = 0;
};
struct WorkerHead {
  std::string name;
  Worker::State state = Worker::State::Working;
  std::optional<PoolTime> seen;
  uint64_t looked_at = 0;               // leaving: how many of its own recipients it has looked at
  std::optional<PoolTime> joined = {};  // nullopt: now
};
struct RecipientHead {
  ByteView name;
  uint64_t routed = 0;
  uint64_t assigned = 0;
  Offset next_sequence;
};
struct QueueHead {
  SavedHead messages;
  Offset undelivered;
};
struct TroubleHead {
  std::vector<ComeBack> came_back;
  PoolTime delayed_until;
};

// By date and assignment, the same order on every server. The id distinguishes two recipients if forged parts, or
// numbers that wrapped around, give them the same assignment.
struct DelayKey {
  PoolTime until;
  uint32_t assigned;
  RecipientId id;

  friend auto operator<=>(const DelayKey&, const DelayKey&) = default;
};

class Pool {
 public:
  // The most living workers. There may be as many stale ones that are not removed yet.
  static constexpr size_t kMaxWorkers = 100'000;
  // How many recipients one operation moves or looks at: the rest follows in slices, by
  // settle().
  static constexpr uint64_t kSlice = 10'000;
  // A worker for which nothing is pending is removed when its last access, or its joining if it has had no access, is
  // more than this many times `stale` ago. It is kept that long because it may have state for its recipients.
  static constexpr uint64_t kGoneAfter = 10;

  // The ids of pushes that are remembered.
  static constexpr size_t kMostPushedIds = 100'000;
  static constexpr size_t kMostPushedIdBytes = 16 << 20;

  explicit Pool(const HashKey& key) : recipients_(key) {}
  Pool(Pool&&) noexcept = default;
  Pool& operator=(Pool&&) noexcept = default;

  // --- state ---
  PoolTime now() const { return now_; }
  const PoolSettings& settings() const { return settings_; }
  void set(PoolSettings settings);
  const PoolCounters& counters() const { return counters_; }
  uint64_t iterator() const { return iterator_; }
  uint64_t assignments() const { return assignments_; }
  const Recipients& recipients() const { return recipients_; }
  // In the order in which they joined. Working workers are in one list; those that are leaving or dead and still own
  // recipients are in another.
  const std::vector<WorkerId>& working() const { return working_; }
  const std::vector<WorkerId>& going() const { return going_; }
  const Worker& worker(WorkerId id) const { return *workers_[id.value()]; }
  // A worker with this name that works or is leaving; nullopt if there is none.
  std::optional<WorkerId> find_worker(ByteView name) const;
  bool is_stale(const Worker& worker) const { return is_stale_at(worker, now_); }
  bool is_stale_at(const Worker& worker, PoolTime now) const {
    return worker.seen && now > *worker.seen && now - *worker.seen > settings_.stale_ms;
  }
  // Whether the recipient's next message could go to a worker that lives, at this time. O(1) if its own one lives.
  bool can_send(ByteView recipient, PoolTime now) const {
    // The usual case; then the recipient's worker need not be found.
    const bool first_lives = !working_.empty() && !is_stale_at(worker(working_.front()), now);
    return first_lives || can_send_to_other(recipient, now);
  }
  // Calls visit(id) for at most `count` recipients, by number, from a cursor on (0: the first). Returns the cursor to
  // continue from, 0 at the end. A recipient that exists all the time is visited exactly once.
  template <class Visit>
  uint64_t each_worker(uint64_t cursor, uint64_t count, Visit visit) const {
    for (; cursor < workers_.size(); ++cursor) {
      if (!workers_[cursor]) continue;
      if (count-- == 0) return cursor;
      visit(WorkerId(static_cast<uint32_t>(cursor)));
    }
    return 0;
  }
  // When a worker for which nothing is pending is removed.
  PoolTime gone_at(const Worker& worker) const {
    return worker.seen.value_or(worker.joined) + kGoneAfter * settings_.stale_ms + 1;
  }
  // The number of pending messages of all recipients.
  uint64_t pending() const { return pending_; }
  // The recipient's worker; nullopt if it is not assigned.
  std::optional<WorkerId> owner(ByteView recipient) const;

  // Moves the pool's time forward; an earlier time is ignored. True if it moved.
  bool tick(PoolTime now) {
    if (now <= now_) return false;
    now_ = now;
    return true;
  }
  // Moves the clock that measures how long recipients are idle. It runs only while the setting forget_ms is not 0.
  void tick_steps(PoolTime now);

  // --- workers ---
  // Adds a worker, or restarts one: what it had in flight is delivered to it again.
  // REQUIRES: !is_full(name, now)
  WorkerId join(ByteView name);
  // True if no worker can be added at this time, and none has this name.
  bool is_full(ByteView name, PoolTime now) const;
  // Records an access of the worker.
  void touch(WorkerId worker) { workers_[worker.value()]->seen = now_; }
  // Moves the worker's recipients to others. Recipients with payloads in flight move only when
  // these are done, unless the worker lets go of them. Returns how many have moved already. The
  // worker stays, leaving, as long as it owns recipients.
  uint64_t leave(WorkerId worker, bool lets_go);

  // --- recipients ---
  // Finds the recipient's worker. A new recipient is assigned one; a recipient with pending messages whose worker is
  // stale gets another one. Then counts one more pending message, or queues the payloads.
  // Failure: NoWorkers, Full.
  Result<Routed> route(ByteView recipient);
  // Nothing is queued if an earlier push had the same id. Failure: also Refused, see why_full().
  Result<Routed> push(ByteView recipient, std::span<const ByteView> payloads, BlockLimits limits,
                      const std::optional<ByteView>& push_id = std::nullopt);
  // The failure that the setting recipient_max causes for a push of this many payloads; nullopt if it is accepted. For
  // a caller that checks before the pool's time moves. O(1).
  std::optional<Error> why_full(ByteView recipient, size_t payloads, const std::optional<ByteView>& push_id) const {
    if (settings_.recipient_max == 0 || payloads == 0) return std::nullopt;
    return why_above_most(recipient, payloads, push_id);
  }
  // Returns how many messages of the recipient stay pending. Failure: NotOwner; Range if fewer are pending.
  Result<uint64_t> done(WorkerId worker, ByteView recipient, uint64_t count);
  // The failures of done() and acknowledge(), for a caller that checks before the pool's time moves.
  Result<RecipientId> may_be_done(WorkerId worker, ByteView recipient, uint64_t count) const;
  Result<RecipientId> may_be_acknowledged(WorkerId worker, ByteView recipient, Offset sequence) const;

  // Delivers the worker's next payload, its recipients in turn. False if there is none.
  // The views are valid until the pool is changed.
  struct PulledPayload {
    ByteView recipient;
    Offset sequence;
    ByteView payload;
    uint64_t attempts = 0;  // deliveries so far, this one included
  };
  bool has_delivery(WorkerId worker) const;
  bool deliver(WorkerId worker, PulledPayload& pulled);
  // Acknowledges all payloads up to `sequence` and returns how many these were. Failure: NotOwner; Range if it was not
  // delivered yet.
  Result<uint64_t> acknowledge(WorkerId worker, ByteView recipient, Offset sequence);

  // Gives back the recipient's first payload, which is in flight, and all payloads after it: they are delivered again
  // after the delay. If the first one came back too often, it is given up. Returns how many come back. Failure:
  // NotOwner; Range if it is not the first, or not in flight.
  Result<RecipientId> may_come_back(WorkerId worker, ByteView recipient, Offset sequence) const;
  uint64_t give_back(WorkerId worker, RecipientId id, uint64_t delay_ms);
  // Gives the first payload up; those after it stay in flight. The same failures.
  void give_up(WorkerId worker, RecipientId id, ByteView reason);
  // Payloads that were given up, the oldest first, until they are in their log.
  const std::list<DeadPayload>& dead_payloads() const { return dead_payloads_; }
  void drop_dead_payloads(uint64_t count);

  // Removes the recipient if nothing is pending for it.
  bool forget(ByteView recipient);
  // Calls visit(name) for recipients that were idle for too long, looking at kLooks of them; true if it has looked at
  // all. They are not removed.
  static constexpr uint64_t kLooks = 4'000;
  bool each_forgettable(const std::function<void(ByteView)>& visit);

  // Whether at least two other workers live, looking only at a few of them. If so, moves were already possible before
  // this worker joined, so its joining changes nothing. O(kFew).
  static constexpr size_t kFew = 16;
  bool has_company(WorkerId worker) const;

  // Moves idle recipients from workers that have more to workers that have fewer, up to a limit.
  // Returns how many it moved.
  uint64_t rebalance(uint64_t max_moves);

  // --- background work ---
  // Moves the recipients of stale workers, and continues moves that were begun, for one slice.
  // True if there is more to do at once.
  bool settle();
  // When settle() next has work to do; nullopt if never, as long as no worker joins.
  std::optional<PoolTime> next_settle() const;

  // Walks a worker's recipients from a cursor on (0: the first); returns the cursor to continue from, 0 at the end. A
  // recipient that belongs to the worker all the time is visited exactly once.
  uint64_t each_recipient(WorkerId worker, uint64_t cursor, uint64_t count,
                          const std::function<void(const Recipient&)>& visit) const;

  // --- as a value ---
  // Each step of restoring a pool leaves a valid one or fails with Corrupt.
  // The order: the head; each worker, in the order in which they joined, those that work
  // first, with its recipients, in the order of their assignment; then each queue, its
  // blocks before its head, in the order of their worker's turns (pool_parts.h).
  Result<void> restore_head(const PoolHead& head);
  // A worker that is leaving or dead appears with its first recipient: without recipients it does not exist.
  Result<void> restore_worker(WorkerHead head);
  // Recipients of the worker that was restored last: adds all of them, or none if one is invalid.
  Result<void> restore_recipients(std::span<const RecipientHead> heads);
  Result<void> restore_block(ByteView recipient, BlockHeader header, Buffer bytes);
  Result<void> restore_queue(ByteView recipient, const QueueHead& head);
  Result<void> restore_trouble(ByteView recipient, TroubleHead head);
  Result<void> restore_dead_payload(DeadPayload dead);
  Result<void> restore_id(ByteView id);
  // The ids of pushes that were carried out last, without texts: a push that is sent again is not queued again. Null
  // while there are none, as in most pools.
  const RecentAnswers* pushed_ids() const { return pushed_ids_.get(); }
  bool was_pushed(ByteView id) const { return pushed_ids_ != nullptr && pushed_ids_->find(id) != nullptr; }

  // Blocks that were removed since the last call. The caller frees them later, in slices.
  EvictedBlocks take_evicted() { return std::exchange(evicted_, {}); }
  bool has_evicted() const { return !evicted_.empty(); }

  // Beside the pool's value: not saved, not copied.
  struct Notes {
    PoolClock clock;
    PoolTime waiting_shown;  // when the workers that wait were last shown to be alive
    // Idle recipients are found by looking at all of them once in a step, an eighth of the time after which they are
    // forgotten; each holds the number of the step in which it was last used.
    uint16_t step = 0;
    PoolTime step_began;
    uint64_t looking_from = 0;  // in Recipients::walk()
    bool has_looked = true;     // at all of them in this step
    PoolTime letters_refused;   // when a dead payload could not be written
  };
  Notes notes;

  // Bytes of memory, the object included.
  uint64_t memory() const;
  // Proves the invariants. Returns what is broken, or nullptr.
  const char* check() const;
  // The same for some recipients: checks that each has an owner that lists it, is found by its name, and has a valid
  // queue. Checks at most `count` from `cursor` on (0: the first; any number is allowed), and sets `cursor` to the next
  // one, 0 at the end.
  const char* check_some(uint64_t& cursor, uint64_t count) const;

 private:
  // can_send(), if the first worker does not live.
  bool can_send_to_other(ByteView recipient, PoolTime now) const;
  // why_full(), if there is a limit.
  std::optional<Error> why_above_most(ByteView recipient, size_t payloads,
                                      const std::optional<ByteView>& push_id) const;
  Worker& at(WorkerId id) { return *workers_[id.value()]; }
  bool is_living(const Worker& worker) const { return worker.state == Worker::State::Working && !is_stale(worker); }
  bool must_fail_over(const Worker& worker) const {
    if (worker.state == Worker::State::Dead) return false;
    return worker.busy > 0 ? is_stale(worker) : now_ >= gone_at(worker);
  }
  // The next worker for a recipient, by policy: a living one, not `except`; none() if there is none.
  WorkerId choose_living(WorkerId except);
  WorkerId next_in_turn(const std::function<bool(WorkerId)>& fits);
  WorkerId least_pending(const std::function<bool(WorkerId)>& fits) const;
  bool has_living_besides(WorkerId except) const;

  WorkerId add_worker(ByteView name);
  Result<RecipientId> prepare(ByteView recipient, size_t payloads);
  Result<RecipientId> own_recipient(WorkerId worker, ByteView recipient) const;
  void fail_over(WorkerId worker, uint64_t& budget);
  bool move_slice(WorkerId worker, uint64_t& budget);
  bool drain_slice(WorkerId worker, uint64_t& budget);
  void let_go_if_leaving(RecipientId id);
  void move(RecipientId id, WorkerId to);
  void remove_if_empty(WorkerId id);
  void stop_working(WorkerId id, Worker::State state);
  void step_out_of_line(WorkerId id);

  void assign(RecipientId id, WorkerId to);
  void unassign(RecipientId id);
  // Called around every change of a recipient's pending messages.
  void count_pending(RecipientId id, uint64_t before);
  void make_ready(RecipientId id);
  void drop_ready(RecipientId id);
  void make_held(RecipientId id);
  void drop_held(RecipientId id);
  const char* why_not(const WorkerHead& head) const;
  const char* why_not(std::span<const RecipientHead> heads) const;
  void add_expected_worker();
  void add_restored(const RecipientHead& head);
  Queue& queue_of(Recipient& recipient);
  void redeliver(RecipientId id);
  void drop_empty_queue(RecipientId id);
  void bury_first(RecipientId id, uint64_t attempts, std::optional<ByteView> reason);
  void remove_recipient(RecipientId id);
  void note_pushed(ByteView id);
  void use(RecipientId id) { recipients_[id].set_used_at(notes.step); }
  void delay(RecipientId id, PoolTime until);
  void end_delays(uint64_t& budget);
  void remove_gone_without_recipients();
  DelayKey delay_key(RecipientId id) const {
    return {recipients_[id].queue->trouble->delayed_until, recipients_[id].assigned, id};
  }
  const char* check_recipient(RecipientId id) const;
  const char* check_worker(WorkerId id) const;

  PoolTime now_;
  PoolSettings settings_;
  PoolCounters counters_;
  uint64_t iterator_ = 0;
  uint32_t assignments_ = 0;
  uint64_t pending_ = 0;
  Recipients recipients_;
  std::vector<std::unique_ptr<Worker>> workers_;  // by id; null: unused
  std::vector<WorkerId> free_;
  std::vector<WorkerId> working_;
  std::vector<WorkerId> going_;
  std::map<std::string, WorkerId, std::less<>> by_name_;
  EvictedBlocks evicted_;
  std::unique_ptr<RecentAnswers> pushed_ids_;
  std::list<DeadPayload> dead_payloads_;
  std::set<DelayKey> delayed_;  // recipients whose queue is delayed
  // While the pool is restored: the worker whose recipients follow, and its head until it is
  // created.
  WorkerId restored_;
  std::optional<WorkerHead> expected_;
  uint64_t left_to_look_at_ = 0;
};

}  // namespace millrace
