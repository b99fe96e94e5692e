// Random histories of a lock: the engine, a replica that gets only the effects, a second replica with another clock,
// and the model must agree after every step. Owners of every mode acquire, wait, give up, renew and release the lock,
// and lose it when their lease ends.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include "tests/model/lock_model.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/lock/lock_codec.h"
#include "tests/model/seeds.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kSeeds = 400;
constexpr int kSteps = 300;
constexpr uint64_t kClock = 7, kOtherClock = 8;

class History {
 public:
  explicit History(uint64_t seed) : random_(seed), owners_(between(2, 12)) {}

  void run() {
    for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) {
      now_ += chance(2) ? between(0, 3) : between(0, 60);
      SCOPED_TRACE(::testing::Message() << "step " << step << " at " << now_);
      end_leases();
      take_step();
      pass_on();
      replicate();
      compare();
    }
  }

 private:
  // --- random things ---
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  std::string some_owner() { return std::string(between(1, 3), static_cast<char>('a' + between(0, owners_ - 1))); }
  LockMode some_mode() {
    switch (between(0, 3)) {
      case 0:
        return LockMode::shared();
      case 1:
        return LockMode::limit(between(1, 4));
      default:
        return LockMode::exclusive();
    }
  }
  uint64_t some_ttl() { return chance(4) ? between(1, 5) : between(1, 300); }

  Now clocks() const { return {UnixMs(1'000'000 + now_), MonotonicMs(now_), kClock, {}, 0}; }
  // The other machine's monotonic clock has another origin; its date is right.
  Now other_clocks() const { return {UnixMs(1'000'000 + now_), MonotonicMs(50'000'000 + now_), kOtherClock, {}, 0}; }

  // --- steps ---
  void take_step() {
    switch (between(0, 9)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return acquire();
      case 4:
      case 5:
        return release();
      case 6:
        return renew();
      case 7:
        return leave();
      case 8:
        return chance(5) ? vanish() : release();
      default:
        return reload();
    }
  }

  void acquire() {
    const std::string owner = some_owner();
    const LockMode mode = some_mode();
    const uint64_t ttl = some_ttl();
    const bool held = model_.find(owner) != nullptr;
    if (!lock_.is_free() && mode.goes_with(lock_.mode())) {
      lock_.set_limit(mode);
      model_.mode = mode;
      has_new_limit_ = true;
    }
    const auto admission = lock_.admit(owner, mode, !model_.line.empty());
    if (held) {
      EXPECT_EQ(admission, mode.goes_with(model_.mode) ? Lock::Admission::Again : Lock::Admission::OtherMode);
    } else {
      EXPECT_EQ(admission == Lock::Admission::Fresh, model_.line.empty() && model_.admits(mode));
      EXPECT_EQ(admission == Lock::Admission::Wait, admission != Lock::Admission::Fresh);
    }
    if (admission == Lock::Admission::Wait) {
      if (chance(2)) model_.line.push_back({next_waiter_++, owner, mode, ttl, now_ + between(0, 200)});
    } else if (admission != Lock::Admission::OtherMode) {
      grant(owner, mode, ttl);
    }
  }

  void grant(const std::string& owner, LockMode mode, uint64_t ttl) {
    const Token token(++last_token_);
    changes_.has(owner, lock_.grant(owner, mode, Lease::from(clocks(), ttl), token), {});
    model_.grant(owner, mode, now_ + ttl, token.value());
  }

  void release() {
    const std::string owner = some_owner();
    LockModel::Holder* held = model_.find(owner);
    const auto left = lock_.release(owner);
    ASSERT_EQ(left.has_value(), held != nullptr);
    if (held == nullptr) return;
    EXPECT_EQ(*left, held->holds - 1);
    if (--held->holds > 0) {
      changes_.has(owner, *lock_.find(owner), {});
    } else {
      changes_.has_no_longer(owner, Token(held->token));
      model_.remove(owner);
    }
  }

  void renew() {
    const std::string owner = some_owner();
    const uint64_t ttl = some_ttl();
    LockModel::Holder* held = model_.find(owner);
    ASSERT_EQ(lock_.renew(owner, Lease::from(clocks(), ttl)), held != nullptr);
    if (held == nullptr) return;
    held->end = now_ + ttl;
    changes_.has(owner, *lock_.find(owner), {});
  }

  // A client in the line disconnects.
  void leave() {
    if (!model_.line.empty()) {
      model_.line.erase(model_.line.begin() + static_cast<ptrdiff_t>(between(0, model_.line.size() - 1)));
    }
  }

  // The key is deleted, on all servers alike.
  void vanish() {
    lock_ = Lock();
    replica_ = Lock();
    elsewhere_ = Lock();
    model_.holders.clear();
    changes_ = LockChanges(kClock);
    has_new_limit_ = false;
  }

  // Saved and loaded.
  void reload() {
    Lock again;
    Token greatest;
    for (const std::string& part : encode_lock(lock_, kClock)) {
      ASSERT_TRUE(apply_changes(again, part, clocks(), kMaxToken, greatest));
    }
    if (!lock_.is_free()) lock_ = chance(2) ? std::move(again) : lock_.clone();
  }

  // --- the effects of time, and of every step ---
  void end_leases() {
    for (const std::string& owner : lock_.over(MonotonicMs(now_), 1000)) {
      const LockModel::Holder* held = model_.find(owner);
      ASSERT_NE(held, nullptr);
      ASSERT_LT(held->end, now_);
      changes_.has_no_longer(owner, Token(held->token));
      lock_.remove(owner);
      model_.remove(owner);
    }
    for (const LockModel::Holder& holder : model_.holders) ASSERT_GE(holder.end, now_) << holder.owner;
    std::erase_if(model_.line, [&](const LockModel::Waiter& waiter) { return waiter.deadline < now_; });
    pass_on();
  }

  void pass_on() {
    while (!model_.line.empty()) {
      const LockModel::Waiter first = model_.line.front();
      const auto admission = lock_.admit(first.owner, first.mode, false);
      const bool served = admission == Lock::Admission::Fresh || admission == Lock::Admission::Again;
      ASSERT_EQ(served, model_.serves_first());
      if (!served) return;
      model_.line.erase(model_.line.begin());
      grant(first.owner, first.mode, first.ttl);
    }
  }

  void replicate() {
    if (changes_.empty() && !has_new_limit_) return;
    has_new_limit_ = false;
    const std::string effect = changes_.take_bytes(lock_.mode());
    Token greatest;
    const auto applied = apply_changes(replica_, effect, clocks(), kMaxToken, greatest);
    ASSERT_TRUE(applied) << applied.error().text;
    ASSERT_TRUE(apply_changes(elsewhere_, effect, other_clocks(), kMaxToken, greatest));
    ASSERT_LE(greatest, Token(last_token_));
  }

  // --- what must hold ---
  static std::vector<LockModel::Holder> seen(const Lock& lock, uint64_t clock_ahead) {
    std::vector<LockModel::Holder> all;
    lock.each_holder([&](const LockHolder& holder) {
      const Holding& held = holder.holding;
      all.push_back(
          {std::string(holder.owner()), held.token.value(), held.holds, held.lease.end.value() - clock_ahead});
      return true;
    });
    return all;
  }

  void compare() {
    const auto expected = model_.sorted();
    const auto check = [&](const Lock& lock, uint64_t clock_ahead, const char* which) {
      SCOPED_TRACE(which);
      ASSERT_EQ(lock.check(), nullptr);
      ASSERT_EQ(seen(lock, clock_ahead), expected);
      if (expected.empty()) return;
      ASSERT_EQ(lock.mode(), model_.mode);
      const uint64_t first = std::ranges::min(expected, {}, &LockModel::Holder::end).end;
      ASSERT_EQ(lock.first_to_end().holding.lease.end.value() - clock_ahead, first);
    };
    check(lock_, 0, "the lock");
    check(replica_, 0, "its replica");
    check(elsewhere_, 50'000'000, "its replica elsewhere");
    for (const LockModel::Waiter& waiter : model_.line) {
      const uint64_t ms = lock_.ms_until_room(waiter.mode, MonotonicMs(now_));
      ASSERT_EQ(ms == 0, model_.admits(waiter.mode));
    }
  }

  std::mt19937_64 random_;
  uint64_t owners_;
  uint64_t now_ = 1000;
  uint64_t last_token_ = 0;
  uint64_t next_waiter_ = 0;
  Lock lock_, replica_, elsewhere_;
  LockModel model_;
  LockChanges changes_{kClock};
  bool has_new_limit_ = false;
};

TEST(LockModel, RandomHistoriesAgree) {
  run_seeds(kSeeds, [](uint64_t seed) { History(seed).run(); });
}

}  // namespace
}  // namespace millrace::testing
