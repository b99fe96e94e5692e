// Random histories of two engines: a leader that decides, and a follower that gets only the leader's effects, like
// replicas and append-only files. Both must hold equal channels after every step, with fetches that wait among the
// steps.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include <gtest/gtest.h>

#include <list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/channel/channel_effects.h"
#include "engine/channel/channel_operations.h"
#include "engine/channel/channel_parts.h"
#include "engine/waiting/waiting_room.h"
#include "tests/model/channel_bytes.h"
#include "tests/model/seeds.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kSeeds = 300;
constexpr int kSteps = 400;

class FetchedIds final : public FetchSink {
 public:
  std::vector<std::string> ids;
  std::string receipt;

 private:
  void begin(uint64_t) override {}
  void message(const Message& message) override { ids.emplace_back(message.tag); }
  void end(std::optional<ByteView> given, bool) override { receipt = given.value_or(""); }
};

// A process that keeps one channel.
struct Engine {
  ChannelLimits limits;
  ChannelOperations operations{[](HashKey& secret) { secret.fill(7); }, limits};
  OwnPlace<Channel> place{"ch"};
  std::optional<UnixMs> expires_at;

  void take(const Consequences& follow) {
    if (follow.expires_at) expires_at = follow.expires_at;
  }
  void remove() {
    place.remove();
    expires_at.reset();
  }
};

struct WaitingFetch : Waiter {
  explicit WaitingFetch(std::string subscriber) : name(std::move(subscriber)) {}
  std::string name;
  FetchRequest request{.subscriber = name, .max = 5, .block_ms = 0};
};

ChannelEffect effect_of(const Effect& told) {
  using Kind = ChannelEffect::Kind;
  ChannelEffect effect;
  effect.bytes = told.bytes;
  if (ByteView(told.name) == kChannelTouch) {
    effect.kind = Kind::Touch;
  } else if (ByteView(told.name) == kChannelCreated) {
    effect.kind = Kind::Part;
    effect.part = {number_of(ChannelPart::Created), told.bytes, {}};
  } else {
    EXPECT_STREQ(told.name, kChannelClock);
    effect.clock = UnixMs(std::stoull(told.bytes));
  }
  return effect;
}

// Counts what has happened to waiting fetches, in all histories.
struct Happened {
  uint64_t served = 0;
  uint64_t told_gone = 0;
  uint64_t kept_alive = 0;
};

class History {
 public:
  History(uint64_t seed, Happened& happened) : random_(seed), happened_(happened), leaps_(chance(2)) {
    for (Engine* engine : {leader_, follower_}) {
      engine->limits.expire_ms = between(50, 500);
      if (!chance(3)) engine->limits.blocks = {.bytes = 200, .messages = 7};
    }
  }

  void run() {
    for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) {
      may_tell_gone_ = leaps_;
      const char* what = take_step();
      SCOPED_TRACE(::testing::Message() << "after step " << step << " at " << now_ << ": " << what);
      compare();
    }
  }

 private:
  static constexpr int kKey = 0;

  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  std::string some_name() { return std::string(1, static_cast<char>(between('a', 'f'))); }
  WaitingLines* lines() { return room_.find(kKey); }

  Call deciding(bool may_wait = false) const {
    Call call{.now = {}, .decides = true, .may_wait = may_wait};
    call.now.wall = UnixMs(now_);
    return call;
  }
  static Call repeating() { return {.now = {}, .decides = false, .may_wait = false}; }

  // --- what a host does with consequences ---
  // `repeat` executes the request on the follower, and returns its consequences.
  template <class Repeat>
  void carry_out(const Consequences& follow, Repeat repeat) {
    leader_->take(follow);
    follow.effects.each([&] { follower_->take(repeat()); },
                        [&](const Effect& effect) {
                          if (effect.kind == Effect::Kind::Command) {
                            ASSERT_STREQ(effect.name, kExpireCommand);
                            follower_->expires_at = UnixMs(std::stoull(effect.bytes));
                            return;
                          }
                          auto applied = follower_->operations.apply(follower_->place, effect_of(effect), repeating());
                          ASSERT_TRUE(applied.answer) << applied.answer.error().text;
                          follower_->take(applied.consequences);
                        });
    if (follow.due && (!due_ || *follow.due < *due_)) due_ = follow.due;
    serve([&] { return lines(); }, follow.wake,
          [&](Waiter& waiter) { return try_again(static_cast<WaitingFetch&>(waiter)); });
  }

  bool try_again(WaitingFetch& fetch) {
    FetchedIds sink;
    const auto outcome = leader_->operations.fetch(leader_->place, fetch.request, deciding(true), sink);
    const bool waits = outcome.consequences.wait.has_value();
    if (waits) {
      lines()->wait_on(fetch, *outcome.consequences.wait);
    } else if (outcome.answer) {
      EXPECT_FALSE(sink.ids.empty());
      ++happened_.served;
      receipts_.emplace_back(fetch.name, sink.receipt);
    } else {
      EXPECT_TRUE(may_tell_gone_) << "a subscriber that waits has expired";
      ++happened_.told_gone;
    }
    if (!waits) room_.remove(kKey, fetch);
    carry_out(outcome.consequences, [&] { return repeat_fetch(fetch.request); });
    if (!waits) std::erase_if(waiting_, [&](const WaitingFetch& other) { return &other == &fetch; });
    return !waits;
  }

  Consequences repeat_fetch(FetchRequest request) {
    FetchedIds sink;
    auto outcome = follower_->operations.fetch(follower_->place, request, repeating(), sink);
    EXPECT_TRUE(outcome.answer);
    return std::move(outcome.consequences);
  }

  // Executes everything that is due up to a date; or nothing, if the clock leaps there.
  void move_time_to(uint64_t date, bool leaps) {
    while (!leaps && due_ && due_->value() <= date) {
      now_ = std::max(now_, std::exchange(due_, std::nullopt)->value());
      expire_key();
      look_after();
    }
    now_ = date;
    expire_key();
  }
  void look_after() {
    const Consequences follow = leader_->operations.look_after(leader_->place, lines(), deciding());
    happened_.kept_alive += !follow.effects.empty();
    carry_out(follow, [] { return Consequences(); });
  }
  void expire_key() {
    if (!leader_->expires_at || leader_->expires_at->value() >= now_) return;
    EXPECT_TRUE(may_tell_gone_ || lines() == nullptr) << "a channel has expired that somebody waits for";
    remove_key();
  }
  void remove_key() {
    leader_->remove();
    follower_->remove();
    for (WaitingFetch& fetch : waiting_) {
      lines()->set_mark(fetch, ChannelOperations::start_afresh(fetch.request).mark);
    }
    Consequences follow;
    follow.wake = ChannelOperations::wake_all();
    carry_out(follow, [] { return Consequences(); });
  }

  // --- steps ---
  const char* take_step() {
    switch (between(0, 19)) {
      case 0:
      case 1:
      case 2:
        return subscribe();
      case 3:
        return unsubscribe();
      case 4:
      case 5:
        return fetch(false);
      case 6:
      case 7:
      case 8:
        return fetch(true);
      case 9:
      case 10:
        return acknowledge();
      case 11:
        return restart();
      case 12:
        return chance(4) ? fail_over() : "nothing";
      case 13:
        return chance(5) ? remove() : create();
      case 14:
      case 15:
      case 16:
        return pass_time();
      default:
        return publish();
    }
  }
  const char* create() {
    const CreateRequest request{.expire_ms = chance(2) ? std::optional(between(1, 300)) : std::nullopt,
                                .clock = Clock(static_cast<int64_t>(between(0, 1000)))};
    const bool was_there = leader_->place.get() != nullptr;
    const auto outcome = leader_->operations.create(leader_->place, request, deciding());
    EXPECT_EQ(outcome.answer.has_value(), !was_there);
    carry_out(outcome.consequences, [] { return Consequences(); });
    return "create";
  }
  const char* subscribe() {
    const std::string name = some_name();
    const SubscribeRequest request{
        .subscriber = name, .expire_ms = chance(4) ? std::optional(between(1, chance(2) ? 20 : 300)) : std::nullopt};
    const auto outcome = leader_->operations.subscribe(leader_->place, request, deciding(), lines());
    EXPECT_TRUE(outcome.answer);
    carry_out(outcome.consequences, [&] {
      auto repeated = follower_->operations.subscribe(follower_->place, request, repeating(), nullptr);
      EXPECT_TRUE(repeated.answer);
      EXPECT_EQ(*repeated.answer, *outcome.answer);
      return std::move(repeated.consequences);
    });
    return "subscribe";
  }
  const char* unsubscribe() {
    const std::string name = some_name();
    may_tell_gone_ = true;
    const auto outcome = leader_->operations.unsubscribe(leader_->place, name, deciding());
    carry_out(outcome.consequences, [&] {
      auto repeated = follower_->operations.unsubscribe(follower_->place, name, repeating());
      EXPECT_TRUE(*repeated.answer);
      return std::move(repeated.consequences);
    });
    EXPECT_TRUE(!*outcome.answer || lines() == nullptr || !lines()->has_line(name)) << "it still waits";
    return "unsubscribe";
  }
  const char* publish() {
    std::vector<std::string> words(2 * (chance(3) ? between(2, 20) : 1));
    for (std::string& word : words) word = std::to_string(between(1, 200));
    const std::vector<ByteView> pairs(words.begin(), words.end());
    const auto outcome = leader_->operations.publish_several(leader_->place, {pairs}, deciding());
    EXPECT_TRUE(outcome.answer);
    carry_out(outcome.consequences, [&] {
      auto repeated = follower_->operations.publish_several(follower_->place, {pairs}, repeating());
      EXPECT_TRUE(repeated.answer);
      EXPECT_EQ(*repeated.answer, *outcome.answer);
      return std::move(repeated.consequences);
    });
    return "publish";
  }
  const char* fetch(bool may_wait) {
    WaitingFetch fetch(some_name());
    FetchedIds sink;
    const auto outcome = leader_->operations.fetch(leader_->place, fetch.request, deciding(may_wait), sink);
    if (outcome.consequences.wait) {
      WaitingFetch& waits = waiting_.emplace_back(fetch.name);
      waits.request.has_waited = true;
      room_.add(kKey, waits, *outcome.consequences.wait);
    } else if (!sink.receipt.empty()) {
      receipts_.emplace_back(fetch.name, sink.receipt);
    }
    carry_out(outcome.consequences, [&] { return repeat_fetch(fetch.request); });
    return outcome.consequences.wait ? "a fetch that waits" : "fetch";
  }
  const char* acknowledge() {
    if (receipts_.empty()) return "nothing";
    const auto [name, receipt] = receipts_[!chance(4) ? receipts_.size() - 1 : between(0, receipts_.size() - 1)];
    const ChannelAckRequest request{.subscriber = name, .receipt = receipt};
    const auto outcome = leader_->operations.acknowledge(leader_->place, request, deciding());
    EXPECT_TRUE(outcome.answer || outcome.consequences.effects.empty());
    carry_out(outcome.consequences, [&] {
      auto repeated = follower_->operations.acknowledge(follower_->place, request, repeating());
      EXPECT_TRUE(repeated.answer);
      EXPECT_EQ(*repeated.answer, *outcome.answer);
      return std::move(repeated.consequences);
    });
    return "acknowledge";
  }
  const char* restart() {
    Engine& either = chance(2) ? *leader_ : *follower_;
    if (either.place.get() == nullptr) return "nothing";
    auto again = channel_from_bytes(channel_to_bytes(*either.place.get()));
    EXPECT_TRUE(again) << again.error().text;
    either.place.remove();
    either.place.put(std::move(*again));
    return "restart";
  }
  const char* fail_over() {
    std::swap(leader_, follower_);
    return "fail over";
  }
  const char* remove() {
    if (leader_->place.get() == nullptr) return "nothing";
    may_tell_gone_ = true;
    remove_key();
    EXPECT_TRUE(waiting_.empty());
    return "remove";
  }
  const char* pass_time() {
    if (leaps_ && chance(10)) {
      now_ -= between(0, 50);  // the clock is set back
      return "the clock goes back";
    }
    const bool leaps = leaps_ && chance(5);
    move_time_to(now_ + (chance(3) ? between(0, 600) : between(0, 5)), leaps);
    return leaps ? "the clock leaps" : "time passes";
  }

  // --- after each step ---
  void compare() {
    const Channel* led = leader_->place.get();
    const Channel* followed = follower_->place.get();
    ASSERT_EQ(led == nullptr, followed == nullptr);
    ASSERT_EQ(leader_->expires_at, follower_->expires_at);
    ASSERT_EQ(waiting_.size(), lines() == nullptr ? 0 : lines()->size());
    if (lines() != nullptr) {
      ASSERT_STREQ(lines()->check(), nullptr);
    }
    if (led == nullptr) return;
    ASSERT_STREQ(led->check(), nullptr);
    ASSERT_STREQ(followed->check(), nullptr);
    ASSERT_TRUE(same_channels(*led, *followed));
    ASSERT_EQ(leader_->expires_at, led->expires_at());
  }

  std::mt19937_64 random_;
  Happened& happened_;
  Engine engines_[2];
  Engine* leader_ = &engines_[0];
  Engine* follower_ = &engines_[1];
  WaitingRoom<int> room_;
  std::list<WaitingFetch> waiting_;
  std::vector<std::pair<std::string, std::string>> receipts_;  // and which subscriber's
  std::optional<UnixMs> due_;
  uint64_t now_ = 1'000'000;
  bool leaps_;                  // the clock is set sometimes, so that waiting subscribers may expire
  bool may_tell_gone_ = false;  // a fetch that waits may fail in this step
};

TEST(ChannelReplication, AFollowerThatGetsTheEffectsHoldsAnEqualChannel) {
  Happened happened;
  run_seeds(kSeeds, [&](uint64_t seed) { History(seed, happened).run(); });
  if (!everything_has_happened()) return;
  EXPECT_GT(happened.served, 100u);
  EXPECT_GT(happened.told_gone, 5u);
  EXPECT_GT(happened.kept_alive, 100u);
}

}  // namespace
}  // namespace millrace::testing
