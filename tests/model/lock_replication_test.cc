// Random histories of a lock that one engine decides and two others repeat: one with the same monotonic clock, one with
// another. They get only the effects, and must hold the same lock after every step. Requests wait, are served, time
// out, and are cancelled; all three engines are saved and loaded in between.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "engine/lock/lock_codec.h"
#include "engine/lock/lock_effects.h"
#include "engine/lock/lock_operations.h"
#include "engine/waiting/waiting_room.h"
#include "tests/model/seeds.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kHistories = 300;
constexpr int kStepsEach = 400;
constexpr int kKey = 1;

struct Server {
  uint64_t clock_id;
  uint64_t clock_ahead;  // of the leader's monotonic clock
  bool decides;
  OwnPlace<Lock> place{"door"};
  LockOperations locks{};

  Call call_at(uint64_t ms) const {
    return {.now = {.wall = UnixMs(1'000'000 + ms),
                    .monotonic = MonotonicMs(clock_ahead + ms),
                    .clock_id = clock_id,
                    .served = {},
                    .served_period = 0},
            .decides = decides};
  }

  void restart(uint64_t ms) {
    if (place.get() == nullptr) return;
    Lock again;
    Token greatest;
    for (const std::string& part : encode_lock(*place.get(), clock_id)) {
      ASSERT_TRUE(apply_changes(again, part, call_at(ms).now, kMaxToken, greatest));
    }
    ASSERT_LE(greatest, locks.tokens().last());
    place.remove();
    place.put(std::move(again));
  }

  using Seen = std::tuple<std::string, uint64_t, uint64_t, uint64_t, uint64_t, std::string>;
  // A lease that is over counts as ending now: an engine with another clock does not know the exact end.
  std::vector<Seen> seen(uint64_t ms) const {
    std::vector<Seen> all;
    if (place.get() == nullptr) return all;
    const LockMode mode = place.get()->mode();
    all.emplace_back(mode.name(), mode.permits(), 0, 0, 0, "");
    place.get()->each_holder([&](const LockHolder& holder) {
      const Holding& held = holder.holding;
      all.emplace_back(holder.owner(), held.token.value(), held.holds, held.lease.ttl_ms,
                       std::max(ms, held.lease.end.value() - clock_ahead), place.get()->value_of(holder.owner()));
      return true;
    });
    return all;
  }
};

struct WaitingAcquire final : Waiter {
  std::string owner, value;
  AcquireRequest request;
};

class ReplicatedLock {
 public:
  explicit ReplicatedLock(uint64_t seed) : random_(seed), owners_(between(2, 9)) {}

  void run() {
    for (int step = 0; step < kStepsEach && !::testing::Test::HasFailure(); ++step) {
      now_ += chance(2) ? between(0, 3) : between(0, 60);
      SCOPED_TRACE(::testing::Message() << "step " << step << " at " << now_);
      take_step();
      compare();
    }
  }

  uint64_t served = 0;

 private:
  // --- random things ---
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  std::string some_owner() { return std::string(1, static_cast<char>('a' + between(0, owners_ - 1))); }
  LockMode some_mode() {
    const uint64_t kind = between(0, 3);
    return kind == 0 ? LockMode::shared() : kind == 1 ? LockMode::limit(between(1, 4)) : LockMode::exclusive();
  }
  uint64_t some_ttl() { return chance(4) ? between(1, 5) : between(1, 300); }

  WaitingLines* lines() { return room_.find(kKey); }

  // --- steps ---
  void take_step() {
    const uint64_t what = between(0, 11);
    if (what <= 4) return acquire();
    if (what <= 6) return release();
    if (what == 7) return renew();
    if (what == 8) return look_after();
    if (what == 9) return leave();
    if (what == 10) return chance(4) ? break_lock() : take_back();
    restart();
  }

  // What the host does before a command of an owner.
  Call prepared() {
    Call call = leader_.call_at(now_);
    if (lines() == nullptr) return call;
    carry_out(leader_.locks.look_after(leader_.place, call));
    call.others_wait = lines() != nullptr;
    return call;
  }

  void acquire() {
    auto client = std::make_unique<WaitingAcquire>();
    client->owner = some_owner();
    client->request.owner = client->owner;
    client->request.ttl_ms = some_ttl();
    client->request.mode = some_mode();
    client->value = std::string(between(0, 20), 'v');
    if (chance(3)) client->request.value = client->value;
    if (chance(2)) client->request.block_ms = between(1, 200);
    Call call = prepared();
    call.may_wait = client->request.block_ms.has_value();
    const auto done = leader_.locks.acquire(leader_.place, client->request, call);
    if (done.consequences.wait) {
      room_.add(kKey, *client, *done.consequences.wait, call.now.monotonic + *client->request.block_ms);
      clients_.push_back(std::move(client));
    } else if (done.answer && done.answer->is_granted()) {
      note_grant(client->request, *done.answer);
    }
    carry_out(done.consequences);
  }

  void release() {
    const std::string owner = some_owner();
    requested_ = [owner](Server& server, const Call& call) {
      return bool(server.locks.release(server.place, owner, call).answer);
    };
    carry_out(leader_.locks.release(leader_.place, owner, prepared()).consequences);
  }

  void renew() {
    const std::string owner = some_owner();
    const Token token = chance(3) ? leader_.locks.tokens().last() + between(0, 5) : Token(0);
    carry_out(leader_.locks.renew(leader_.place, {owner, some_ttl(), token}, prepared()).consequences);
  }

  void break_lock() {
    requested_ = [](Server& server, const Call& call) { return *server.locks.break_lock(server.place, call).answer; };
    carry_out(leader_.locks.break_lock(leader_.place, leader_.call_at(now_)).consequences);
  }

  void look_after() {
    carry_out(leader_.locks.look_after(leader_.place, leader_.call_at(now_)));
    while (lines() != nullptr) {
      Waiter* late = lines()->overdue(MonotonicMs(now_));
      if (late == nullptr) break;
      drop(*late);
    }
    wake(Wake::one_line(kLockLine));
    const Lock* lock = leader_.place.get();
    ASSERT_TRUE(lock == nullptr || !lock->first_to_end().holding.lease.is_over(MonotonicMs(now_)));
    ASSERT_FALSE(lock == nullptr && lines() != nullptr) << "a free lock is waited for";
  }

  // A client in the line disconnects.
  void leave() {
    if (clients_.empty()) return;
    auto left = clients_.begin();
    std::advance(left, between(0, clients_.size() - 1));
    drop(**left);
    wake(Wake::one_line(kLockLine));
  }

  // Takes the last grant back, as if its client could not be told.
  void take_back() {
    if (last_grant_.token == Token(0)) return;
    carry_out(leader_.locks.take_back(leader_.place, last_grant_, leader_.call_at(now_)));
  }

  void restart() {
    for (Server* server : {&leader_, &replica_, &elsewhere_}) {
      if (chance(2)) server->restart(now_);
    }
  }

  // --- effects and answers ---
  void carry_out(const Consequences& follow) {
    follow.effects.each(
        [&] {
          for (Server* server : {&replica_, &elsewhere_}) EXPECT_TRUE(requested_(*server, server->call_at(now_)));
        },
        [&](const Effect& effect) {
          ASSERT_EQ(effect.name, kLockChanges);
          for (Server* server : {&replica_, &elsewhere_}) {
            const auto applied = server->locks.apply(server->place, effect.bytes, server->call_at(now_)).answer;
            ASSERT_TRUE(applied) << applied.error().text;
          }
        });
    wake(follow.wake);
  }

  void wake(const Wake& wake) {
    serve([&] { return lines(); }, wake,
          [&](Waiter& waiter) {
            auto& client = static_cast<WaitingAcquire&>(waiter);
            Call call = leader_.call_at(now_);
            call.may_wait = true;
            const auto done = leader_.locks.acquire(leader_.place, client.request, call);
            if (!done.consequences.wait) {
              EXPECT_TRUE(done.answer && done.answer->is_granted());
              note_grant(client.request, *done.answer);
              ++served;
              drop(waiter);
            }
            carry_out(done.consequences);
            return !done.consequences.wait;
          });
  }

  void note_grant(const AcquireRequest& request, const AcquireAnswer& granted) {
    EXPECT_EQ(request.granted, granted.token);
    if (granted.holds == 1) {
      EXPECT_GT(granted.token, greatest_);
      greatest_ = std::max(greatest_, granted.token);
    }
    last_grant_ = {std::string(request.owner), granted.token};
  }

  void drop(Waiter& waiter) {
    room_.remove(kKey, waiter);
    std::erase_if(clients_, [&](const auto& client) { return client.get() == &waiter; });
  }

  // --- what must hold ---
  void compare() {
    for (const Server* server : {&leader_, &replica_, &elsewhere_}) {
      const Lock* lock = server->place.get();
      if (lock == nullptr) continue;
      ASSERT_EQ(lock->check(), nullptr);
      ASSERT_FALSE(lock->is_free());
    }
    ASSERT_EQ(replica_.seen(now_), leader_.seen(now_));
    ASSERT_EQ(elsewhere_.seen(now_), leader_.seen(now_));
    ASSERT_EQ(replica_.locks.tokens().last(), leader_.locks.tokens().last());
    ASSERT_EQ(elsewhere_.locks.tokens().last(), leader_.locks.tokens().last());
    if (lines() != nullptr) {
      ASSERT_EQ(lines()->check(), nullptr);
    }
  }

  std::mt19937_64 random_;
  uint64_t owners_;
  uint64_t now_ = 1000;
  Server leader_{.clock_id = 7, .clock_ahead = 0, .decides = true};
  Server replica_{.clock_id = 7, .clock_ahead = 0, .decides = false};
  Server elsewhere_{.clock_id = 8, .clock_ahead = 50'000'000, .decides = false};
  WaitingRoom<int> room_;
  std::list<std::unique_ptr<WaitingAcquire>> clients_;
  std::function<bool(Server&, const Call&)> requested_;
  LostGrant last_grant_{"", Token(0)};
  Token greatest_;
};

TEST(LockReplication, AnEngineThatRepeatsTheEffectsHoldsTheSameLock) {
  uint64_t served = 0;
  run_seeds(kHistories, [&](uint64_t seed) {
    ReplicatedLock history(seed);
    history.run();
    served += history.served;
  });
  if (!everything_has_happened()) return;
  EXPECT_GT(served, 0u);
}

}  // namespace
}  // namespace millrace::testing
