// Random histories of two engines: a leader that decides, with waiting requests among the steps, and a follower that
// gets the leader's effects. After every step both have equal pools, no request waits for payloads that exist, no
// waiting worker was treated as dead, and the leader has a date for all background work. Sometimes both are restored
// from bytes, and the follower takes over.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

#include "engine/shard/pool_effects.h"
#include "engine/waiting/waiting_room.h"
#include "tests/model/pool_bytes.h"
#include "tests/model/pool_requests.h"
#include "tests/model/seeds.h"

namespace millrace::testing {
namespace {

using Kind = PoolRequest::Kind;

constexpr const char* kNoWorker = "the worker has not joined the pool, has left it, or was removed while it was stale";

class WaitingRequest final : public Waiter {
 public:
  explicit WaitingRequest(PoolWords words) : request(std::move(words)) {}
  PoolRequest request;
};

// An engine with one pool.
class Engine final : public PoolWaiters, public DeadPayloadLogs {
 public:
  Engine(uint64_t key) : operations_(HashKey{static_cast<unsigned char>(key)}, *this, limits_, this) {}

  // Some dead letters cannot be written.
  uint64_t letters = 0;
  Result<void> may_write(const Place<Pool>&, ByteView) override { return {}; }
  bool write(const Place<Pool>&, ByteView log, ByteView tag, ByteView payload) override {
    EXPECT_TRUE(log == "dead" && tag.starts_with("{\"why\":") && !payload.empty());
    return ++letters % 5 != 0;
  }

  PoolOperations& operations() { return operations_; }
  const PoolTotals& operations_totals() const { return operations_.totals(); }
  OwnPlace<Pool>& place() { return place_; }
  Pool* pool() const { return place_.get(); }
  std::string bytes() const { return pool() == nullptr ? "" : pool_to_bytes(*pool()); }
  void restore(uint64_t key) {
    if (pool() == nullptr) return;
    auto again = pool_from_bytes(bytes(), HashKey{static_cast<unsigned char>(key)});
    ASSERT_TRUE(again) << again.error().text;
    place_.remove();
    place_.put(std::move(*again));
  }

  // --- the requests that wait for it ---
  WaitingLines* lines() { return room_.find(0); }
  void add(std::unique_ptr<WaitingRequest> one, const Wait& wait) {
    room_.add(0, *one, wait);
    waiting_.push_back(std::move(one));
  }
  void remove(WaitingRequest& one) {
    room_.remove(0, one);
    std::erase_if(waiting_, [&](const auto& held) { return held.get() == &one; });
  }
  void remove_all() {
    while (!waiting_.empty()) remove(*waiting_.back());
  }
  const std::vector<std::unique_ptr<WaitingRequest>>& waiting() const { return waiting_; }

 private:
  const WaitingLines* find(const Place<Pool>&) const override { return room_.find(0); }

  OwnPlace<Pool> place_{"pool"};
  BlockLimits limits_{.bytes = 64, .messages = 3};
  PoolOperations operations_;
  mutable WaitingRoom<int> room_;
  std::vector<std::unique_ptr<WaitingRequest>> waiting_;
};

PoolEffect effect_of(const Effect& told) {
  using What = PoolEffect::Kind;
  const ByteView word = told.name;
  if (word == kPoolClock) {
    return {.kind = What::Clock, .clock = PoolTime(std::stoull(told.bytes)), .bytes = {}, .part = {}};
  }
  if (word == kPoolSeen) return {.kind = What::Seen, .clock = {}, .bytes = told.bytes, .part = {}};
  if (word == kPoolForget) return {.kind = What::Forget, .clock = {}, .bytes = told.bytes, .part = {}};
  if (word == kPoolLetters) {
    return {.kind = What::Letters, .clock = {}, .bytes = {}, .count = std::stoull(told.bytes), .part = {}};
  }
  EXPECT_EQ(word, kPoolSettle);
  return {.kind = What::Settle, .clock = {}, .bytes = {}, .part = {}};
}

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    now_ = {.wall = {}, .monotonic = MonotonicMs(1000), .clock_id = 0, .served = MonotonicMs(10), .served_period = 1};
  }

  void run() {
    for (int step = 0; step < 400 && !::testing::Test::HasFailure(); ++step) {
      const char* what = take_step();
      SCOPED_TRACE(::testing::Message() << "after step " << step << ": " << what);
      compare();
    }
  }

  uint64_t served() const { return served_; }
  uint64_t failovers() const { return failovers_; }
  uint64_t letters() const { return one_.letters + two_.letters; }
  uint64_t forgotten() const { return one_.operations_totals().forgotten + two_.operations_totals().forgotten; }

 private:
  // --- random things ---
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  std::string some_worker() { return "w" + std::to_string(between(1, 4)); }
  std::string some_recipient() { return "r" + std::to_string(between(1, 6)); }
  uint64_t stale_ms() const { return leader_->pool() == nullptr ? 100 : leader_->pool()->settings().stale_ms; }

  // --- steps ---
  const char* take_step() {
    const uint64_t dice = between(0, 99);
    if (dice < 20) return pass_time();
    if (dice < 22) return restart_leader();
    if (dice < 24) return follower_->restore(between(0, 255)), "the follower restarts";
    if (dice < 26) return hand_over();
    if (dice < 27) return remove_pool();
    if (dice < 31) return a_client_leaves();
    if (dice < 33) return late_look();
    return request();
  }

  const char* pass_time() {
    const uint64_t ms = chance(3) ? stale_ms() + between(0, 2) : between(0, stale_ms() / 2);
    const uint64_t served = chance(5) ? between(0, ms) : ms;  // the rest of the time it could not be reached
    now_.served = now_.served + served;
    now_.monotonic = now_.monotonic + ms;
    // The due work is done in time or late; if late, a request may come first.
    if (chance(2)) look_after_what_is_due();
    return "time passes";
  }
  const char* late_look() {
    look_after_what_is_due();
    return "a late look";
  }
  void look_after_what_is_due() {
    for (int slice = 0; slice < 100 && due_ && *due_ <= now_.monotonic; ++slice) {
      due_.reset();
      carry_out(leader_->operations().look_after(leader_->place(), call(false)), {}, "");
      now_.monotonic = now_.monotonic + 1;
      now_.served = now_.served + 1;
    }
  }

  // The leader restarts: its clients are gone, and its time starts again.
  void begin_period() {
    leader_->remove_all();
    ++now_.served_period;
    now_.served = MonotonicMs(between(0, 100));
    now_.monotonic = now_.monotonic + between(0, 100'000);
    // A server that has loaded a pool, or has become the leader, visits it at once.
    due_ = now_.monotonic;
    look_after_what_is_due();
  }
  const char* restart_leader() {
    leader_->restore(between(0, 255));
    begin_period();
    return "the leader restarts";
  }
  const char* hand_over() {
    leader_->remove_all();
    std::swap(leader_, follower_);
    begin_period();
    return "the follower takes over";
  }
  const char* remove_pool() {
    if (leader_->pool() == nullptr) return "nothing";
    for (Engine* engine : {leader_, follower_}) engine->place().remove();
    for (const auto& one : leader_->waiting()) left_.insert(one->request.words.worker);
    wake(Wake::all_lines());
    return "the pool is removed";
  }
  const char* a_client_leaves() {
    if (leader_->waiting().empty()) return "nothing";
    leader_->remove(*leader_->waiting()[between(0, leader_->waiting().size() - 1)]);
    return "a client leaves";
  }

  const char* request() {
    PoolWords request;
    request.kind = some_kind();
    request.worker = some_worker();
    request.recipient = some_recipient();
    request.blocks = chance(2);
    request.lets_go = chance(2);
    request.policy = chance(3) ? AssignmentPolicy::LeastPending : AssignmentPolicy::RoundRobin;
    request.number = between(1, 4);
    if (request.kind == Kind::Set) request.number = chance(3) ? between(1, 5) : between(50, 200);
    if (request.kind == Kind::Set && chance(2)) {
      request.max_attempts = between(1, 3);
      if (chance(2)) request.dead_log = "dead";
      if (chance(2)) request.forget_ms = between(1, 300);
      if (chance(3)) request.recipient_max = between(1, 6);
    }
    if (chance(2)) request.id = std::to_string(between(1, 50));
    if (chance(2)) request.delay_ms = between(1, 150);
    if (chance(4)) request.reason = "no good";
    if (request.kind == Kind::Nack) aim_at_first(request);
    if (request.kind == Kind::Push) {
      // Some end with payloads that look like the option BLOCK.
      for (uint64_t i = between(1, 3); i > 0; --i) request.payloads.push_back(std::to_string(++last_payload_));
      if (chance(5)) request.payloads.insert(request.payloads.end(), {"BLOCK", "0"});
    }
    if (request.kind == Kind::Leave) left_.insert(request.worker);
    if (request.kind == Kind::Join) left_.erase(request.worker);
    auto one = std::make_unique<WaitingRequest>(request);
    const auto [answer, follow] = one->request.execute(leader_->operations(), leader_->place(), call(request.blocks));
    if (follow.wait) {
      EXPECT_EQ(answer, "");
      follow.effects.each([] { ADD_FAILURE() << "a request that waits was told"; }, [](const Effect&) {});
      leader_->add(std::move(one), *follow.wait);
    }
    carry_out(follow, request, answer);
    return kNames[static_cast<size_t>(request.kind)];
  }
  // Makes most requests concern a recipient with payloads in flight.
  void aim_at_first(PoolWords& request) {
    if (leader_->pool() == nullptr || chance(5)) return;
    const Recipients& all = leader_->pool()->recipients();
    all.each([&](const Recipient& recipient) {
      if (!recipient.queue || recipient.queue->in_flight() == 0 || chance(3)) return;
      request.worker = leader_->pool()->worker(recipient.owner).name;
      request.recipient = recipient.name();
      request.number = recipient.queue->messages.first().value();
    });
  }
  Kind some_kind() {
    constexpr Kind kKinds[] = {Kind::Join,  Kind::Join, Kind::Heartbeat, Kind::Leave,       Kind::Pull,
                               Kind::Pull,  Kind::Pull, Kind::Pull,      Kind::Route,       Kind::Route,
                               Kind::Route, Kind::Push, Kind::Push,      Kind::Push,        Kind::Done,
                               Kind::Set,   Kind::Done, Kind::Set,       Kind::Acknowledge, Kind::Acknowledge};
    if (chance(25)) return Kind::Rebalance;
    if (chance(12)) return Kind::Nack;
    if (chance(20)) return Kind::Forget;
    return kKinds[between(0, std::size(kKinds) - 1)];
  }
  static constexpr const char* kNames[] = {"join",  "heartbeat", "leave", "pull",      "acknowledge", "done",
                                           "route", "push",      "set",   "rebalance", "nack",        "forget"};

  // --- carrying out consequences ---
  Call call(bool may_wait) const { return {.now = now_, .decides = true, .may_wait = may_wait}; }

  void carry_out(const Consequences& follow, const PoolWords& request, const std::string& answer) {
    follow.effects.each(
        [&] {
          PoolRequest repeated(request);
          const Call call{.now = {}, .decides = false, .may_wait = false};
          auto [same, more] = repeated.execute(follower_->operations(), follower_->place(), call);
          EXPECT_EQ(same, answer) << "the follower answers otherwise";
          EXPECT_FALSE(more.wait);
        },
        [&](const Effect& effect) {
          const Call call{.now = {}, .decides = false, .may_wait = false};
          const auto applied = follower_->operations().apply(follower_->place(), effect_of(effect), call);
          EXPECT_TRUE(applied.answer) << applied.answer.error().text;
        });
    if (follow.due_monotonic && (!due_ || *follow.due_monotonic < *due_)) due_ = follow.due_monotonic;
    for (Engine* engine : {leader_, follower_}) {
      if (engine->pool() != nullptr) engine->pool()->take_evicted();
    }
    wake(follow.wake);
  }

  void wake(const Wake& wake) {
    serve([&] { return leader_->lines(); }, wake,
          [&](Waiter& waiter) {
            auto& waiting = static_cast<WaitingRequest&>(waiter);
            auto [answer, follow] = waiting.request.execute(leader_->operations(), leader_->place(), call(true));
            if (follow.wait) {
              EXPECT_TRUE(follow.effects.empty()) << "it found nothing, and changed something";
              return false;
            }
            const PoolWords told = waiting.request.words;
            leader_->remove(waiting);
            ++served_;
            if (answer == kNoWorker) {
              EXPECT_TRUE(left_.contains(told.worker)) << told.worker << " waited, and was taken for dead";
            }
            carry_out(follow, told, answer);
            return true;
          });
  }

  // --- after each step ---
  void compare() {
    ASSERT_EQ(leader_->bytes(), follower_->bytes()) << "the follower has another pool";
    if (const WaitingLines* lines = leader_->lines()) {
      ASSERT_STREQ(lines->check(), nullptr);
      expect_nothing_for(*lines);
    }
    Pool* pool = leader_->pool();
    if (pool == nullptr) return;
    ASSERT_STREQ(pool->check(), nullptr);
    ASSERT_STREQ(follower_->pool()->check(), nullptr);
    failovers_ = std::max(failovers_, leader_->operations().totals().failovers);
    const auto next = pool->next_settle();
    if (!next) return;
    const PoolTime present = PoolOperations::present(*pool, call(false));
    ASSERT_TRUE(due_) << "it is never looked after";
    ASSERT_LE(*due_, now_.monotonic + (*next > present ? *next - present : 1)) << "it is looked after too late";
  }
  // No request waits for payloads that exist.
  void expect_nothing_for(const WaitingLines& lines) const {
    const Pool* pool = leader_->pool();
    for (const std::string& name : lines.line_names()) {
      if (name == kSendersLine) {
        const bool can_send = pool != nullptr && pool->can_send("nobody", PoolOperations::present(*pool, call(false)));
        EXPECT_FALSE(can_send) << "a sender waits for a worker that lives";
        continue;
      }
      const auto worker = pool == nullptr ? std::nullopt : pool->find_worker(name);
      ASSERT_TRUE(worker) << name << " waits and is not there";
      EXPECT_EQ(pool->worker(*worker).state, Worker::State::Working);
      EXPECT_FALSE(pool->has_delivery(*worker)) << name << " waits for what is there";
      EXPECT_FALSE(pool->is_stale(pool->worker(*worker))) << name << " waits and is stale";
    }
  }

  std::mt19937_64 random_;
  Now now_;
  Engine one_{1};
  Engine two_{2};
  Engine* leader_ = &one_;
  Engine* follower_ = &two_;
  std::optional<MonotonicMs> due_;
  std::set<std::string> left_;  // workers that left, or whose pool was removed, since they joined
  uint64_t last_payload_ = 0;
  uint64_t served_ = 0;
  uint64_t failovers_ = 0;
};

TEST(PoolReplication, AFollowerThatIsFedTheEffectsHasAnEqualPoolAfterEveryStep) {
  uint64_t served = 0;
  uint64_t failovers = 0, letters = 0, forgotten = 0;
  run_seeds(300, [&](uint64_t seed) {
    History history(seed);
    history.run();
    served += history.served();
    failovers += history.failovers();
    letters += history.letters();
    forgotten += history.forgotten();
  });
  if (!everything_has_happened()) return;
  EXPECT_GT(served, 0u) << "nobody ever waited";
  EXPECT_GT(failovers, 0u) << "no worker was ever stale";
  EXPECT_GT(letters, 0u) << "no payload was ever given up";
  EXPECT_GT(forgotten, 0u) << "no recipient was ever forgotten";
}

}  // namespace
}  // namespace millrace::testing
