// Random histories of a pool: senders, workers that crash, stall, come back, leave and join
// again, and time that passes. After every step the ledger of what was sent and done agrees with the pool. So does a
// repeater, which executes the same operations and is sometimes restored from its bytes.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include <gtest/gtest.h>

#include <random>

#include "tests/model/pool_bytes.h"
#include "tests/model/pool_ledger.h"
#include "tests/model/seeds.h"

namespace millrace::testing {
namespace {

using Step = PoolLedger::Step;

struct Scale {
  uint64_t recipients;
  uint64_t begin_with;  // how many recipients belong to the first worker at the beginning
  int steps;
};

class History {
 public:
  History(uint64_t seed, Scale scale) : random_(seed), scale_(scale) {
    for (const char* name : {"w1", "w2", "w3", "w4", "w5"}) actors_.push_back({.name = name, .hands = {}});
    stale_ms_ = chance(2) ? 15'000 : 100;
    set_settings();
    if (scale_.begin_with > 0) begin_with_many(seed % 3);
  }

  void run() {
    for (int step = 0; step < scale_.steps && !::testing::Test::HasFailure(); ++step) {
      ledger_.begin(pool_);
      const char* what = take_step();
      SCOPED_TRACE(::testing::Message() << "after step " << step << " at " << pool_.now().value() << ": " << what);
      compare();
    }
  }

 private:
  // A worker as a process: what it is doing, and the messages that it believes to have in flight.
  struct Actor {
    std::string name;
    enum class Mood { Well, Stalled, Crashed } mood = Mood::Crashed;
    std::vector<std::pair<std::string, uint64_t>> hands;
  };

  // --- random things ---
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  std::string some_recipient() { return "r" + std::to_string(between(1, scale_.recipients)); }
  Actor& some_actor() { return actors_[between(0, actors_.size() - 1)]; }

  // --- the pool and its repeater ---
  template <class Operation>
  auto both(Operation operation) {
    auto answer = operation(pool_);
    EXPECT_EQ(answer, operation(repeater_)) << "the repeater answers otherwise";
    return answer;
  }
  void in_both(const std::function<void(Pool&)>& operation) {
    for (Pool* pool : {&pool_, &repeater_}) operation(*pool);
  }
  // A number or a failure as text, for comparing.
  template <class Value>
  static std::string text(const Result<Value>& result) {
    return result ? std::to_string(*result) : result.error().text;
  }
  static std::string text(const Pool& pool, const Result<Routed>& routed) {
    if (!routed) return routed.error().text;
    return pool.worker(routed->worker).name + " " + std::to_string(routed->pending);
  }

  void set_settings() {
    const PoolSettings settings{.stale_ms = stale_ms_,
                                .policy = chance(3) ? AssignmentPolicy::LeastPending : AssignmentPolicy::RoundRobin};
    in_both([&](Pool& pool) { pool.set(settings); });
  }
  // The first worker owns many recipients, most of them idle, and is removed in one of several ways. The next steps
  // happen while the recipients move.
  void begin_with_many(uint64_t way_to_go) {
    ledger_.begin(pool_);
    Actor& first = actors_[0];
    join(first);
    for (uint64_t i = 1; i <= scale_.begin_with; ++i) {
      const std::string name = "r" + std::to_string(i);
      const bool is_pushed = chance(20);
      send(name, !is_pushed);
      if (is_pushed || chance(5)) continue;
      both([&](Pool& pool) { return text(pool.done(*pool.find_worker(first.name), name, 1)); });
      --ledger_.recipients[name].routed;
    }
    compare();
    pull(first);
    for (Actor* other : {&actors_[1], &actors_[2]}) join(*other);
    compare();
    if (way_to_go == 0) {
      first.mood = Actor::Mood::Crashed;
      both([&](Pool& pool) { return pool.tick(pool.now() + stale_ms_ + 1); });
    } else {
      leave(first, way_to_go == 1);
    }
    compare();
  }

  // --- steps ---
  const char* take_step() {
    switch (between(0, 19)) {
      case 0:
        return pass_time();
      case 1:
        return chance(2) ? "nothing" : rebalance();
      case 2:
      case 3:
        return settle_one_slice();
      case 4:
        return settle_all();
      case 5:
        if (chance(4)) set_settings();
        return "set";
      case 6:
        return chance(3) ? reload() : "nothing";
      case 7:
      case 8:
      case 9:
      case 10:
        ledger_.begin(pool_, Step::Message);
        send(some_recipient(), chance(3));
        return "a message";
      default:
        return act(some_actor());
    }
  }

  void send(const std::string& name, bool is_routed) {
    const bool can_send = pool_.can_send(name, pool_.now());
    if (is_routed) {
      both([&](Pool& pool) { return text(pool, pool.route(name)); });
      if (can_send) ledger_.on_routed(name);
      return;
    }
    std::vector<std::string> payloads;
    for (uint64_t i = between(1, 4); i > 0; --i) payloads.push_back(std::to_string(++last_payload_));
    const std::vector<ByteView> views(payloads.begin(), payloads.end());
    both([&](Pool& pool) { return text(pool, pool.push(name, views, {.bytes = 64, .messages = 3})); });
    if (can_send) ledger_.on_pushed(name, payloads);
  }

  const char* pass_time() {
    const uint64_t ms = chance(3) ? stale_ms_ + between(0, 2) : between(0, stale_ms_ / 2);
    both([&](Pool& pool) { return pool.tick(pool.now() + ms); });
    return "time passes";
  }
  const char* rebalance() {
    ledger_.begin(pool_, Step::Rebalance);
    const uint64_t most = chance(4) ? UINT64_MAX : between(0, 5);
    EXPECT_LE(both([&](Pool& pool) { return pool.rebalance(most); }), most);
    return "rebalance";
  }
  const char* settle_one_slice() {
    both([](Pool& pool) { return pool.settle(); });
    return "settle";
  }
  // Calls settle() until the pool has nothing to do now; every call must make progress.
  const char* settle_all() {
    while (pool_.next_settle() == pool_.now() && !::testing::Test::HasFailure()) {
      const std::string before = pool_to_bytes(pool_);
      both([](Pool& pool) { return pool.settle(); });
      EXPECT_NE(pool_to_bytes(pool_), before) << "it asked to be called and did nothing";
    }
    const bool any_living = std::ranges::any_of(pool_.working(), [&](WorkerId id) { return is_living(id); });
    if (!any_living) return "settle all, nobody lives";
    for (const auto* ids : {&pool_.working(), &pool_.going()}) {
      for (WorkerId id : *ids) {
        const Worker& worker = pool_.worker(id);
        EXPECT_NE(worker.state, Worker::State::Dead);
        EXPECT_FALSE(pool_.is_stale(worker) && worker.busy > 0) << worker.name << " is left to die";
        if (worker.state == Worker::State::Leaving) expect_only_in_flight(id);
      }
    }
    return "settle all";
  }
  bool is_living(WorkerId id) const {
    return pool_.worker(id).state == Worker::State::Working && !pool_.is_stale(pool_.worker(id));
  }
  void expect_only_in_flight(WorkerId id) const {
    pool_.each_recipient(id, 0, UINT64_MAX, [](const Recipient& recipient) {
      EXPECT_TRUE(recipient.is_in_flight()) << recipient.name() << " could have gone";
    });
  }

  const char* reload() {
    auto again = pool_from_bytes(pool_to_bytes(repeater_), HashKey{1});
    EXPECT_TRUE(again) << again.error().text;
    if (!again) return "reload";
    repeater_ = std::move(*again);
    if (chance(2)) return "reload the repeater";
    ledger_.on_replaced(pool_, repeater_);
    std::swap(pool_, repeater_);
    return "the repeater takes over";
  }

  // --- what workers do ---
  const char* act(Actor& actor) {
    if (actor.mood == Actor::Mood::Crashed) {
      if (!chance(4)) return "nothing";
      actor.hands.clear();
      join(actor);
      return "join";
    }
    if (actor.mood == Actor::Mood::Stalled) {
      if (chance(4)) actor.mood = Actor::Mood::Well;
      return "nothing";
    }
    if (chance(25)) return actor.mood = Actor::Mood::Stalled, "stall";
    if (chance(30)) return actor.mood = Actor::Mood::Crashed, "crash";
    if (!pool_.find_worker(actor.name)) {
      // It was considered dead, and what it has in flight belongs to other workers now.
      actor.mood = Actor::Mood::Crashed;
      return "it hears that it is dead";
    }
    if (chance(20)) return leave(actor, chance(2));
    if (chance(20)) {
      actor.hands.clear();
      join(actor);
      return "join again";
    }
    switch (between(0, 4)) {
      case 0:
        in_both([&](Pool& pool) { pool.touch(*pool.find_worker(actor.name)); });
        return "heartbeat";
      case 1:
        return done(actor);
      case 2:
        return acknowledge(actor);
      default:
        return pull(actor);
    }
  }

  void join(Actor& actor) {
    const bool is_new = !pool_.find_worker(actor.name);
    in_both([&](Pool& pool) { pool.join(actor.name); });
    ledger_.on_joined(*pool_.find_worker(actor.name), is_new);
    actor.mood = Actor::Mood::Well;
  }
  const char* leave(Actor& actor, bool lets_go) {
    ledger_.begin(pool_, lets_go ? Step::LetGo : Step::Leave, life_of(actor));
    both([&](Pool& pool) { return pool.leave(*pool.find_worker(actor.name), lets_go); });
    return lets_go ? "let go" : "leave";
  }
  Life life_of(const Actor& actor) const { return ledger_.life_of(*pool_.find_worker(actor.name)); }

  const char* pull(Actor& actor) {
    const WorkerId id = *pool_.find_worker(actor.name);
    const bool works = pool_.worker(id).state == Worker::State::Working;
    in_both([&](Pool& pool) { pool.touch(*pool.find_worker(actor.name)); });
    for (uint64_t left = between(1, 6); left > 0; --left) {
      const std::string got = both([&](Pool& pool) {
        Pool::PulledPayload pulled;
        if (!pool.deliver(*pool.find_worker(actor.name), pulled)) return std::string();
        return std::string(pulled.recipient) + " " + std::to_string(pulled.sequence.value()) + " " +
               std::string(pulled.payload);
      });
      if (got.empty()) {
        EXPECT_FALSE(works && has_waiting(life_of(actor))) << "something waits and is not delivered";
        break;
      }
      EXPECT_TRUE(works) << "who leaves gets nothing";
      expect_delivery(actor, got);
    }
    return "pull";
  }
  bool has_waiting(Life life) const {
    return std::ranges::any_of(ledger_.recipients, [&](const auto& named) {
      return named.second.owner == life && named.second.undelivered < named.second.next();
    });
  }
  // The delivery goes to the recipient's owner, is the next in order, and equals what was sent.
  void expect_delivery(Actor& actor, const std::string& got) {
    const std::string name = got.substr(0, got.find(' '));
    ASSERT_TRUE(ledger_.recipients.contains(name));
    LedgerRecipient& recipient = ledger_.recipients[name];
    ASSERT_EQ(recipient.owner, life_of(actor));
    ASSERT_LT(recipient.undelivered, recipient.next());
    const std::string& payload = recipient.queue[recipient.undelivered - recipient.first];
    EXPECT_EQ(got, name + " " + std::to_string(recipient.undelivered) + " " + payload);
    actor.hands.emplace_back(name, recipient.undelivered++);
  }

  // What it finishes may belong to another worker by now.
  const char* acknowledge(Actor& actor) {
    std::string name = some_recipient();
    uint64_t sequence = between(0, 5);
    if (!actor.hands.empty() && !chance(10)) {
      const size_t which = between(0, actor.hands.size() - 1);
      std::tie(name, sequence) = actor.hands[which];
      actor.hands.erase(actor.hands.begin() + static_cast<ptrdiff_t>(which));
    }
    const Life life = life_of(actor);
    const std::string answer =
        both([&](Pool& pool) { return text(pool.acknowledge(*pool.find_worker(actor.name), name, Offset(sequence))); });
    const auto found = ledger_.recipients.find(name);
    if (found == ledger_.recipients.end() || found->second.owner != life) {
      EXPECT_EQ(answer, "the recipient belongs to another worker now, or to none");
      return "a late acknowledgement";
    }
    LedgerRecipient& recipient = found->second;
    if (sequence >= recipient.undelivered) {
      EXPECT_EQ(answer, "that sequence has not been delivered");
      return "an early acknowledgement";
    }
    const uint64_t count = sequence < recipient.first ? 0 : sequence + 1 - recipient.first;
    EXPECT_EQ(answer, std::to_string(count));
    recipient.queue.erase(recipient.queue.begin(), recipient.queue.begin() + static_cast<ptrdiff_t>(count));
    recipient.first += count;
    return "acknowledge";
  }

  const char* done(Actor& actor) {
    const std::string name = some_recipient();
    const Life life = life_of(actor);
    const auto found = ledger_.recipients.find(name);
    const bool is_owner = found != ledger_.recipients.end() && found->second.owner == life;
    const uint64_t routed = is_owner ? found->second.routed : 0;
    const uint64_t count = chance(2) ? between(1, 3) : std::max<uint64_t>(1, routed);
    const std::string answer =
        both([&](Pool& pool) { return text(pool.done(*pool.find_worker(actor.name), name, count)); });
    if (!is_owner) {
      EXPECT_EQ(answer, "the recipient belongs to another worker now, or to none");
      return "a late done";
    }
    if (count > routed) {
      EXPECT_EQ(answer, "only " + std::to_string(routed) + " routed messages of it are pending");
      return "more done than there is";
    }
    found->second.routed -= count;
    EXPECT_EQ(answer, std::to_string(found->second.pending()));
    return "done";
  }

  // --- after each step ---
  void compare() {
    ledger_.compare(pool_);
    ASSERT_STREQ(repeater_.check(), nullptr);
    ASSERT_EQ(pool_to_bytes(pool_), pool_to_bytes(repeater_)) << "the repeater is another pool";
    ASSERT_EQ(pool_.next_settle(), repeater_.next_settle());
    in_both([](Pool& pool) { pool.take_evicted(); });
  }

  std::mt19937_64 random_;
  Scale scale_;
  uint64_t stale_ms_ = 0;
  Pool pool_{HashKey{}};
  Pool repeater_{HashKey{}};
  PoolLedger ledger_;
  std::vector<Actor> actors_;
  uint64_t last_payload_ = 0;
};

void run_histories(uint64_t seeds, Scale scale) {
  run_seeds(seeds, [&](uint64_t seed) { History(seed, scale).run(); });
}

TEST(PoolHistory, RandomHistoriesAgreeWithTheLedgerAndTheRepeater) {
  run_histories(300, {.recipients = 15, .begin_with = 0, .steps = 400});
}

TEST(PoolHistory, SoDoThoseWithMoreRecipientsThanOneSlice) {
  run_histories(3, {.recipients = 2 * Pool::kSlice + 1000, .begin_with = 2 * Pool::kSlice + 500, .steps = 50});
}

}  // namespace
}  // namespace millrace::testing
