// Random histories of a routing table in two engines: one decides, and the other gets the effects. After every step
// both hold tables with equal facts, however much each has swept. In between a table is saved and loaded, and the two
// engines change roles.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/route/route_codec.h"
#include "engine/route/route_effects.h"
#include "engine/route/route_operations.h"
#include "tests/model/random_filters.h"
#include "tests/model/route_facts.h"
#include "tests/model/seeds.h"

namespace millrace {

namespace {

using testing::route_facts;

using testing::RandomFilters;

const std::vector<std::string> kDevices = {"a|ws", "a|mqtt", "b|ws", "c|ws", "d|push", "e|ws"};
const std::vector<std::string> kFilterNames = {"mine", "yours"};

// Queues without any limit, by their names.
class EndlessQueues final : public Queues {
 public:
  Result<void> may_use(const Place<RouteTable>&, ByteView) override { return {}; }
  Result<uint64_t> room(const Place<RouteTable>&, ByteView) override { return UINT64_MAX; }
  Offset write(const Place<RouteTable>&, ByteView queue, ByteView, ByteView entry) override {
    auto& entries = written[std::string(queue)];
    entries.emplace_back(entry);
    return Offset(entries.size());
  }

  std::map<std::string, std::vector<std::string>> written;
};

// Allows this many steps after the first.
class FewSteps final : public Budget {
 public:
  explicit FewSteps(uint64_t steps) : left_(steps) {}
  bool is_spent() const override { return left_ == 0 || left_-- == 0; }

 private:
  mutable uint64_t left_;
};

struct Engine {
  explicit Engine(const HashKey& hash_key) : key(hash_key), operations(hash_key, queues) {}

  // Like a restarted server.
  void reload() {
    if (place.get() == nullptr) return;
    RouteTable loaded(key);
    encode_route_table(*place.get(), [&](ByteView part) { EXPECT_TRUE(restore_route_part(loaded, part)); });
    place.remove();
    place.put(std::move(loaded));
  }

  HashKey key;
  EndlessQueues queues;
  RouteOperations operations;
  OwnPlace<RouteTable> place{"table"};
};

struct Executed {
  std::string answer;
  Consequences follow;
};

std::string text_of(bool answer) { return answer ? "yes" : "no"; }
std::string text_of(uint64_t answer) { return std::to_string(answer); }
std::string text_of(Done) { return "done"; }
std::string text_of(const std::string& answer) { return answer; }
std::string text_of(const std::optional<uint64_t>& answer) { return answer ? std::to_string(*answer) : "none"; }
std::string text_of(const std::optional<Subscribed>& to) {
  return to ? to->channel + " " + to->filter_id.value_or("everything") : "unknown";
}
std::string text_of(const Dispatched& answer) { return dispatch_answer(answer.transports); }

template <class Answer>
Executed executed(Outcome<Answer>&& outcome) {
  return {outcome.answer ? text_of(*outcome.answer) : outcome.answer.error().text, std::move(outcome.consequences)};
}

using Request = std::function<Executed(Engine&, const Call&, const Budget&)>;

class RouteReplication {
 public:
  explicit RouteReplication(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 12; ++i) {
      Filter filter = *parse_filter(random_.text(random_.filter(1)));
      std::string json = filter_json(filter);
      filters_.push_back({std::move(filter), std::move(json)});
    }
    for (const GivenFilter& each : filters_) ids_.push_back(filter_id(each.json));
  }

  void step() {
    // Sometimes so late that more has expired than a small budget can sweep.
    if (random_.chance(3)) now_ += random_.chance(20) ? 2000 : random_.between(1, 40);
    switch (random_.between(0, 21)) {
      case 0:
        return set_device();
      case 1:
        return touch();
      case 2:
        return delete_device();
      case 3:
        return unsubscribe();
      case 4:
        return set_filter();
      case 5:
        return delete_filter();
      case 6:
        return dispatch();
      case 7:
      case 8:
        return look_after();
      case 18:
        return move();
      case 19:
        return delete_transport();
      case 20:
        return dispatch_once();
      case 21:
        return random_.chance(3) ? set_presence() : copy();
      case 9:
        if (random_.chance(3)) return engines_[random_.between(0, 1)].reload();
        if (random_.chance(3)) leader_ = 1 - leader_;
        return random_.chance(10) ? delete_everything() : touch();
      default:
        return subscribe();
    }
  }

  void check() {
    const RouteTable* here = leader().place.get();
    const RouteTable* there = follower().place.get();
    ASSERT_EQ(here == nullptr, there == nullptr);
    if (here == nullptr) return;
    ASSERT_EQ(here->check(), nullptr);
    ASSERT_EQ(there->check(), nullptr);
    ASSERT_EQ(here->clock(), there->clock());
    ASSERT_EQ(route_facts(*here), route_facts(*there));
    const auto due = here->next_date();
    unswept_ += due && *due <= here->clock();
  }

  uint64_t refused() const { return refused_; }
  uint64_t removed() const { return removed_; }
  // The number of steps after which the engine that decides had not yet swept everything that has expired.
  uint64_t unswept() const { return unswept_; }

 private:
  Engine& leader() { return engines_[leader_]; }
  Engine& follower() { return engines_[1 - leader_]; }
  Call decides() const {
    Call call;
    call.now.wall = UnixMs(now_);
    return call;
  }

  const auto& some(const auto& list) { return list[random_.between(0, list.size() - 1)]; }
  DeviceName some_device() { return *parse_device_name(some(kDevices)); }
  std::optional<uint64_t> some_ttl() {
    if (random_.chance(3)) return std::nullopt;
    return random_.chance(5) ? 0 : random_.between(1, 1000);
  }
  RouteChannel some_channel() {
    return {"app", "task", random_.chance(2) ? std::nullopt : std::optional<ByteView>("u"), std::nullopt};
  }
  ByteView some_filter_id() { return random_.chance(2) ? some(kFilterNames) : some(ids_); }

  void execute(const Request& request) {
    const Executed done = request(leader(), decides(), FewSteps(random_.between(0, 2)));
    const Call repeats{.now = {}, .decides = false};
    done.follow.effects.each([&] { EXPECT_EQ(request(follower(), repeats, NoLimit()).answer, done.answer); },
                             [&](const Effect& effect) { apply(effect); });
    if (!done.follow.is_removed) return;
    ++removed_;
    follower().place.remove();
  }

  void apply(const Effect& effect) {
    ASSERT_EQ(effect.kind, Effect::Kind::Apply);
    RouteEffect told;
    if (effect.name == std::string(kRouteClock)) {
      told.clock = UnixMs(std::stoull(effect.bytes));
    } else if (effect.name == std::string(kRouteGone)) {
      told.gone = effect.bytes;
    } else {
      ASSERT_STREQ(effect.name, kRouteDispatched);
      told.dispatched = effect.bytes;
    }
    ASSERT_TRUE(follower().operations.apply(follower().place, told, {.now = {}, .decides = false}, NoLimit()).answer);
  }

  void set_device() {
    const DeviceSetRequest request{some_device(), {"user", std::nullopt, some_ttl()}};
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.set_device(at.place, request, call, budget));
    });
  }

  void touch() {
    const DeviceTouchRequest request{{some(kDevices), some(kDevices)}};
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.touch_devices(at.place, request, call, budget));
    });
  }

  void move() {
    const DeviceMoveRequest request{some_device(), some_device()};
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.move_device(at.place, request, call, budget));
    });
  }

  void delete_transport() {
    const DeviceDelRequest request{.device = {}, .transport = "ws", .count = random_.between(1, 3)};
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.delete_device(at.place, request, call, budget));
    });
  }

  void set_presence() {
    const PresenceRequest request{random_.chance(2) ? ByteView("p:") : ByteView()};
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.set_presence(at.place, request, call, budget));
    });
  }

  // The dispatch is not repeated: the other engine gets the id.
  void dispatch_once() {
    DispatchRequest request;
    request.change.about = some_channel();
    request.event = "event";
    request.prefix = "log:";
    const std::string id = std::to_string(random_.between(0, 5));
    request.id = id;
    execute([&](Engine& at, const Call& call, const Budget&) {
      auto outcome = at.operations.dispatch(at.place, request, call);
      EXPECT_EQ(text_of(*at.operations.dispatch(at.place, request, call).answer), text_of(*outcome.answer));
      return executed(std::move(outcome));
    });
  }

  // A copy holds the same, even if not everything is swept.
  void copy() {
    for (Engine& each : engines_) {
      if (each.place.get() == nullptr) continue;
      RouteTable copied = each.place.get()->clone();
      ASSERT_EQ(copied.check(), nullptr);
      ASSERT_EQ(route_facts(copied), route_facts(*each.place.get()));
      each.place.remove();
      each.place.put(std::move(copied));
    }
  }

  void delete_device() { delete_device(some_device()); }
  void delete_device(const DeviceName& device) {
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.delete_device(at.place, {.device = device, .transport = {}}, call, budget));
    });
  }

  RouteSubscribeRequest some_subscription() {
    RouteSubscribeRequest request{.device = some_device(),
                                  .channel = some_channel(),
                                  .filter = {},
                                  .filter_id = {},
                                  .ttl_ms = {},
                                  .only_known = random_.chance(5)};
    if (random_.chance(3)) return request;
    if (random_.chance(2)) {
      request.filter_id = some_filter_id();
    } else {
      request.filter = some(filters_);
    }
    return request;
  }

  void subscribe() {
    RouteSubscribeRequest request = some_subscription();
    request.ttl_ms = some_ttl();
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      auto outcome = at.operations.subscribe(at.place, request, call, budget);
      refused_ += !outcome.answer;
      return executed(std::move(outcome));
    });
  }

  void unsubscribe() {
    const RouteSubscribeRequest request = some_subscription();
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.unsubscribe(at.place, request, call, budget));
    });
  }

  void set_filter() {
    const SetFilterRequest request{some(kFilterNames), some(filters_), some_channel()};
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.set_filter(at.place, request, call, budget));
    });
  }

  void delete_filter() { delete_filter({some_filter_id(), some_channel()}); }
  void delete_filter(const DelFilterRequest& request) {
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.delete_filter(at.place, request, call, budget));
    });
  }

  void delete_everything() {
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return executed(at.operations.set_presence(at.place, {ByteView()}, call, budget));
    });
    for (const std::string& device : kDevices) delete_device(*parse_device_name(device));
    for (const std::string& name : kFilterNames) {
      delete_filter({name, {"app", "task", std::nullopt, std::nullopt}});
      delete_filter({name, {"app", "task", "u", std::nullopt}});
    }
  }

  void look_after() {
    execute([&](Engine& at, const Call& call, const Budget& budget) {
      return Executed{"", at.operations.look_after(at.place, call, budget)};
    });
  }

  // Both find the same devices, though the order may differ.
  void dispatch() {
    const std::string document = random_.text(random_.document());
    const ByteView queues[] = {"ws", "log:ws", "mqtt", "log:mqtt"};
    DispatchRequest request;
    request.change.about = some_channel();
    request.change.document = document;
    request.event = "event";
    request.queues = queues;
    std::array<std::map<std::string, uint64_t>, 2> devices;
    for (size_t i = 0; i < 2; ++i) {
      const auto outcome = engines_[i].operations.dispatch(engines_[i].place, request, decides());
      ASSERT_TRUE(outcome.answer);
      EXPECT_TRUE(outcome.consequences.effects.empty());
      for (const DispatchedTransport& each : outcome.answer->transports) {
        devices[i][each.transport] = each.devices;
        EXPECT_EQ(each.offset.has_value(), each.transport != "push");
        if (each.offset) {
          EXPECT_EQ(each.offset->value(), engines_[i].queues.written["log:" + each.transport].size());
        }
      }
    }
    EXPECT_EQ(devices[0], devices[1]);
  }

  RandomFilters random_;
  std::vector<GivenFilter> filters_;
  std::vector<std::string> ids_;  // of the filters
  Engine engines_[2] = {Engine(HashKey{1}), Engine(HashKey{2})};
  size_t leader_ = 0;
  uint64_t now_ = 1000;
  uint64_t refused_ = 0;
  uint64_t removed_ = 0;
  uint64_t unswept_ = 0;
};

TEST(RouteReplication, the_engine_that_is_told_the_effects_holds_an_equal_table) {
  uint64_t refused = 0;
  uint64_t removed = 0;
  uint64_t unswept = 0;
  testing::run_seeds(200, [&](uint64_t seed) {
    RouteReplication history(seed);
    for (int i = 0; i < 500 && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(::testing::Message() << "step " << i);
      history.step();
      history.check();
    }
    refused += history.refused();
    removed += history.removed();
    unswept += history.unswept();
  });
  if (!testing::everything_has_happened()) return;
  EXPECT_GT(refused, 0u);
  EXPECT_GT(removed, 0u);
  EXPECT_GT(unswept, 0u);
}

}  // namespace
}  // namespace millrace
