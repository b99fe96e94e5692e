#include "engine/route/route_operations.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/route/route_codec.h"
#include "engine/route/route_effects.h"

namespace millrace {

namespace {

constexpr RouteChannel kOrders{"shop", "order", std::nullopt, std::nullopt};

// Queues by their names, with a limit for each that has one.
class LimitedQueues final : public Queues {
 public:
  Result<void> may_use(const Place<RouteTable>&, ByteView queue) override {
    if (queue.starts_with("theirs:")) return fail(ErrorCode::NoRights, "not yours");
    if (queue.starts_with("one") && queue != "one") return fail(ErrorCode::NoRights, "not yours");
    return {};
  }
  Result<uint64_t> room(const Place<RouteTable>&, ByteView queue) override {
    if (queue == "text") return fail(ErrorCode::WrongType, "no log");
    const auto limit = limits.find(std::string(queue));
    return limit == limits.end() ? UINT64_MAX : limit->second;
  }
  Offset write(const Place<RouteTable>&, ByteView queue, ByteView tag, ByteView) override {
    written.push_back(std::string(queue) + " " + std::string(tag));
    return Offset(written.size());
  }

  std::map<std::string, uint64_t> limits;
  std::vector<std::string> written;
};

class NoTime final : public Budget {
 public:
  bool is_spent() const override { return true; }
};

class RouteOperationsTest : public ::testing::Test {
 protected:
  static DeviceName name(ByteView device) { return *parse_device_name(device); }
  static GivenFilter filter(ByteView json) {
    Filter parsed = *parse_filter(json);
    std::string normal = filter_json(parsed);
    return {std::move(parsed), std::move(normal)};
  }
  static Call at(uint64_t ms) {
    Call call;
    call.now.wall = UnixMs(ms);
    return call;
  }
  static RouteSubscribeRequest subscription(ByteView device, std::optional<uint64_t> ttl_ms = {}) {
    return {.device = name(device),
            .channel = kOrders,
            .filter = {},
            .filter_id = {},
            .ttl_ms = ttl_ms,
            .only_known = false};
  }

  auto subscribe(const RouteSubscribeRequest& request, uint64_t ms = 1000, const Budget& budget = NoLimit()) {
    return routes_.subscribe(place_, request, at(ms), budget);
  }
  auto dispatch(std::span<const ByteView> queues, uint64_t ms = 1000) {
    DispatchRequest request = paid();
    request.queues = queues;
    return routes_.dispatch(place_, request, at(ms));
  }
  static DispatchRequest paid() {
    DispatchRequest request;
    request.change.about = kOrders;
    request.change.document = "{}";
    request.event = "paid";
    return request;
  }
  auto touch(ByteView device, uint64_t ms) { return routes_.touch_devices(place_, {{device}}, at(ms), NoLimit()); }
  auto remove(ByteView device, const Call& call) {
    return routes_.delete_device(place_, {.device = name(device), .transport = {}}, call, NoLimit());
  }

  static std::vector<std::string> effects_of(const Consequences& follow) {
    std::vector<std::string> told;
    follow.effects.each([&] { told.emplace_back("request"); },
                        [&](const Effect& effect) { told.push_back(effect.name + (" " + effect.bytes)); });
    return told;
  }
  static std::vector<std::string> events_of(const Consequences& follow) {
    return {follow.events.begin(), follow.events.end()};
  }
  using Told = std::vector<std::string>;

  LimitedQueues queues_;
  RouteOperations routes_{HashKey{1}, queues_};
  OwnPlace<RouteTable> place_{"table"};
};

TEST_F(RouteOperationsTest, the_clock_is_told_before_the_request_and_only_if_it_moved) {
  const auto first = routes_.set_device(place_, {name("a|ws"), {}}, at(1000), NoLimit());
  EXPECT_EQ(effects_of(first.consequences), (Told{"CLOCK 1000", "request"}));
  EXPECT_EQ(events_of(first.consequences), Told{"route.device-set"});
  const auto second = touch("a|ws", 1000);
  EXPECT_EQ(effects_of(second.consequences), Told{"request"});
}

TEST_F(RouteOperationsTest, an_engine_that_repeats_stamps_with_the_tables_clock) {
  const Call repeats{.now = {.wall = UnixMs(9999)}, .decides = false};
  ASSERT_TRUE(
      routes_.apply(place_, {.clock = UnixMs(500), .gone = {}, .dispatched = {}, .part = {}}, repeats, NoLimit())
          .answer);
  const auto done = routes_.set_device(place_, {name("a|ws"), {}}, repeats, NoLimit());
  EXPECT_EQ(effects_of(done.consequences), Told{"request"});
  EXPECT_EQ(place_.get()->device("a|ws", UnixMs(500))->seen, UnixMs(500));
}

TEST_F(RouteOperationsTest, a_filter_that_is_named_must_be_there) {
  RouteSubscribeRequest request = subscription("a|ws");
  request.filter_id = "mine";
  const auto refused = subscribe(request);
  ASSERT_FALSE(refused.answer);
  EXPECT_EQ(refused.answer.error().code, ErrorCode::NoFilter);
  EXPECT_EQ(refused.answer.error().text, "no filter 'mine' on app:shop:model:order; ROUTE.SETFILTER makes one");
  EXPECT_TRUE(refused.consequences.effects.empty());
  EXPECT_EQ(place_.get(), nullptr);
  const std::string id = filter_id(filter("{\"a\":1}").json);
  request.filter_id = id;
  EXPECT_EQ(subscribe(request).answer.error().text,
            "no filter '" + id + "' on app:shop:model:order; subscribe with FILTER and its JSON");
}

// Whether it is swept yet must not matter: an engine that repeats may have swept it.
TEST_F(RouteOperationsTest, a_filter_whose_last_subscription_has_ended_is_not_there_by_its_id) {
  RouteSubscribeRequest request = subscription("a|ws", 100);
  request.filter = filter("{\"a\":1}");
  const auto made = subscribe(request);
  ASSERT_TRUE(made.answer);
  request.filter.reset();
  request.filter_id = *(*made.answer)->filter_id;
  EXPECT_TRUE(subscribe(request, 1099).answer);
  const auto refused = subscribe(request, 1199);
  ASSERT_FALSE(refused.answer);
  EXPECT_EQ(refused.answer.error().code, ErrorCode::NoFilter);
  EXPECT_EQ(place_.get()->clock(), UnixMs(1099));
}

TEST_F(RouteOperationsTest, a_filter_with_a_name_is_there_without_subscriptions) {
  ASSERT_TRUE(routes_.set_filter(place_, {"mine", filter("{\"a\":1}"), kOrders}, at(1000), NoLimit()).answer);
  RouteSubscribeRequest request = subscription("a|ws");
  request.filter_id = "mine";
  EXPECT_EQ((*subscribe(request).answer)->filter_id, "mine");
}

TEST_F(RouteOperationsTest, what_is_not_there_is_no_error_and_changes_nothing) {
  EXPECT_EQ(*touch("a|ws", 1000).answer, 0u);
  EXPECT_EQ(*remove("a|ws", at(1000)).answer, 0u);
  EXPECT_FALSE(*routes_.move_device(place_, {name("a|ws"), name("b|ws")}, at(1000), NoLimit()).answer);
  EXPECT_FALSE(*routes_.unsubscribe(place_, subscription("a|ws"), at(1000), NoLimit()).answer);
  EXPECT_EQ(*routes_.delete_filter(place_, {"mine", kOrders}, at(1000), NoLimit()).answer, std::nullopt);
  EXPECT_EQ(place_.get(), nullptr);
  ASSERT_TRUE(subscribe(subscription("a|ws")).answer);
  const auto missed = touch("b|ws", 1001);
  EXPECT_EQ(effects_of(missed.consequences), Told{"CLOCK 1001"});
  EXPECT_TRUE(missed.consequences.events.empty());
}

TEST_F(RouteOperationsTest, a_table_goes_with_the_last_that_was_in_it) {
  ASSERT_TRUE(subscribe(subscription("a|ws")).answer);
  const auto done = remove("a|ws", at(1000));
  EXPECT_EQ(*done.answer, 1u);
  EXPECT_TRUE(done.consequences.is_removed);
  EXPECT_FALSE(done.consequences.due);
  EXPECT_EQ(place_.get(), nullptr);
}

TEST_F(RouteOperationsTest, an_engine_that_repeats_keeps_an_empty_table_until_it_is_told) {
  ASSERT_TRUE(subscribe(subscription("a|ws")).answer);
  const Call repeats{.now = {}, .decides = false};
  const auto done = remove("a|ws", repeats);
  EXPECT_FALSE(done.consequences.is_removed);
  ASSERT_NE(place_.get(), nullptr);
  EXPECT_TRUE(place_.get()->empty());
}

TEST_F(RouteOperationsTest, sweeping_stops_when_the_budget_is_spent_and_is_due_again) {
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(subscribe(subscription("d" + std::to_string(i) + "|ws", 50)).answer);
  ASSERT_TRUE(subscribe(subscription("stays|ws")).answer);
  const Consequences begun = routes_.look_after(place_, at(1050), NoTime());
  EXPECT_EQ(effects_of(begun), Told{"CLOCK 1050"});
  EXPECT_EQ(events_of(begun), Told{"route.sweep"});
  EXPECT_EQ(begun.due, UnixMs(1050));
  EXPECT_EQ(place_.get()->subscriptions().size(), 81u);
  // The clock has not moved, and is told all the same: those who repeat sweep each time they hear of it.
  const Consequences done = routes_.look_after(place_, at(1050), NoLimit());
  EXPECT_EQ(effects_of(done), Told{"CLOCK 1050"});
  EXPECT_EQ(done.due, std::nullopt);
  EXPECT_EQ(place_.get()->subscriptions().size(), 1u);
  EXPECT_TRUE(effects_of(routes_.look_after(place_, at(2000), NoLimit())).empty());
}

TEST_F(RouteOperationsTest, an_effect_that_is_refused_makes_no_table) {
  const auto refused =
      routes_.apply(place_, {.clock = {}, .gone = {}, .dispatched = {}, .part = "nonsense"}, at(1000), NoLimit());
  ASSERT_FALSE(refused.answer);
  EXPECT_EQ(refused.answer.error().code, ErrorCode::Corrupt);
  EXPECT_EQ(place_.get(), nullptr);
}

TEST_F(RouteOperationsTest, a_dispatch_writes_to_the_queue_of_each_transport_that_has_devices) {
  for (ByteView device : {"a|ws", "b|ws", "c|push"}) ASSERT_TRUE(subscribe(subscription(device)).answer);
  const auto done = dispatch(std::vector<ByteView>{"ws", "log:ws", "mqtt", "log:mqtt"});
  ASSERT_TRUE(done.answer);
  EXPECT_EQ(queues_.written, Told{"log:ws paid"});
  EXPECT_TRUE(done.consequences.effects.empty());
  const auto& transports = done.answer->transports;
  ASSERT_EQ(transports.size(), 2u);
  EXPECT_EQ(transports[0].transport, "ws");
  EXPECT_EQ(transports[0].devices, 2u);
  EXPECT_EQ(transports[0].offset, Offset(1));
  EXPECT_EQ(transports[1].transport, "push");
  EXPECT_FALSE(transports[1].offset);
  EXPECT_FALSE(done.answer->next_page);
  EXPECT_EQ(routes_.counters().matches, 1u);
  EXPECT_EQ(routes_.counters().matched, 3u);
  EXPECT_EQ(routes_.counters().dispatched, 1u);
  EXPECT_EQ(place_.get()->matches(), 1u);
}

TEST_F(RouteOperationsTest, a_dispatch_is_refused_as_a_whole_and_not_counted) {
  for (ByteView device : {"a|ws", "b|mqtt"}) ASSERT_TRUE(subscribe(subscription(device)).answer);
  queues_.limits["nearly full"] = 1;
  const struct {
    std::vector<ByteView> queues;
    ErrorCode code;
  } rows[] = {
      {{"ws", "log:ws", "mqtt", "text"}, ErrorCode::WrongType},
      {{"ws", "log:ws", "nobody's", "text"}, ErrorCode::WrongType},
      {{"ws", "nearly full", "mqtt", "nearly full"}, ErrorCode::Full},
  };
  for (const auto& row : rows) {
    const auto refused = dispatch(row.queues);
    ASSERT_FALSE(refused.answer);
    EXPECT_EQ(refused.answer.error().code, row.code);
  }
  EXPECT_TRUE(queues_.written.empty());
  EXPECT_EQ(routes_.counters().matches, 0u);
  EXPECT_EQ(place_.get()->matches(), 0u);
  EXPECT_TRUE(place_.get()->top_channels().entries().empty());
  EXPECT_EQ(place_.get()->transports()[place_.get()->transports().find("ws")].matched, 0u);
}

TEST_F(RouteOperationsTest, a_missing_table_has_no_devices_but_documents_are_looked_at) {
  EXPECT_TRUE(dispatch(std::vector<ByteView>{"ws", "log:ws"}).answer->transports.empty());
  const auto matched = routes_.match(nullptr, paid().change, UnixMs(1000));
  ASSERT_TRUE(matched);
  EXPECT_TRUE(matched->matcher.found().empty());
  RouteChange broken = paid().change;
  broken.document = "{";
  EXPECT_EQ(routes_.match(nullptr, broken, UnixMs(1000)).error().code, ErrorCode::Syntax);
  EXPECT_EQ(place_.get(), nullptr);
}

TEST_F(RouteOperationsTest, a_dispatch_with_a_prefix_has_a_queue_for_every_transport_it_may_use) {
  for (ByteView device : {"a|ws", "c|push"}) ASSERT_TRUE(subscribe(subscription(device)).answer);
  DispatchRequest request = paid();
  request.prefix = "log:";
  ASSERT_TRUE(routes_.dispatch(place_, request, at(1000)).answer);
  EXPECT_EQ(queues_.written, (Told{"log:ws paid", "log:push paid"}));
  request.prefix = "theirs:";
  EXPECT_EQ(routes_.dispatch(place_, request, at(1000)).answer.error().code, ErrorCode::NoRights);
  EXPECT_EQ(queues_.written.size(), 2u);
}

TEST_F(RouteOperationsTest, a_dispatch_with_an_id_counts_once_and_those_who_repeat_are_told_the_id) {
  ASSERT_TRUE(subscribe(subscription("a|ws")).answer);
  DispatchRequest request = paid();
  request.prefix = "log:";
  request.id = "once";
  const auto first = routes_.dispatch(place_, request, at(1000));
  EXPECT_EQ(effects_of(first.consequences).size(), 1u);
  EXPECT_EQ(events_of(first.consequences), Told{"route.dispatch"});
  const auto again = routes_.dispatch(place_, request, at(1000));
  EXPECT_EQ(again.answer->transports.front().offset, first.answer->transports.front().offset);
  EXPECT_TRUE(again.consequences.empty());
  EXPECT_EQ(queues_.written, Told{"log:ws paid"});
  EXPECT_EQ(routes_.counters().repeated, 1u);
}

TEST_F(RouteOperationsTest, a_move_is_refused_if_the_new_name_is_taken) {
  for (ByteView device : {"a|ws", "b|ws"}) ASSERT_TRUE(subscribe(subscription(device)).answer);
  const auto refused = routes_.move_device(place_, {name("a|ws"), name("b|ws")}, at(1000), NoLimit());
  EXPECT_EQ(refused.answer.error().code, ErrorCode::Exists);
  EXPECT_EQ(**routes_.move_device(place_, {name("a|ws"), name("a|push")}, at(1000), NoLimit()).answer, 1u);
  EXPECT_EQ(place_.get()->device("a|ws", UnixMs(1000)), nullptr);
  EXPECT_EQ(place_.get()->check(), nullptr);
}

TEST_F(RouteOperationsTest, devices_that_have_died_do_not_count_among_those_of_a_transport_that_are_deleted) {
  routes_.set_device(place_, {name("a|ws"), {}}, at(1000), NoLimit());
  routes_.set_device(place_, {name("b|ws"), {}}, at(1000), NoLimit());
  // The latest are taken first.
  for (const char* dead : {"c|ws", "d|ws"}) {
    routes_.set_device(place_, {name(dead), {.user = {}, .agent = {}, .ttl_ms = 10}}, at(1000), NoLimit());
  }
  const DeviceDelRequest one{.device = {}, .transport = "ws", .count = 1};
  const auto done = routes_.delete_device(place_, one, at(2000), NoTime());
  EXPECT_EQ(*done.answer, 1u);
  EXPECT_EQ(effects_of(done.consequences), (Told{"CLOCK 2000", "GONE \4b|ws"}));
  EXPECT_EQ(*routes_.delete_device(place_, one, at(2000), NoTime()).answer, 1u);
  EXPECT_EQ(*routes_.delete_device(place_, one, at(2000), NoTime()).answer, 0u);
}

TEST_F(RouteOperationsTest, devices_of_a_transport_are_deleted_until_the_budget_is_spent) {
  for (int i = 0; i < 100; ++i) {
    const std::string device = std::to_string(i) + "|ws";
    routes_.set_device(place_, {name(device), {}}, at(1000), NoLimit());
  }
  const DeviceDelRequest all{.device = {}, .transport = "ws", .count = 1000};
  uint64_t calls = 0;
  uint64_t deleted = 0;
  while (const uint64_t count = *routes_.delete_device(place_, all, at(1000), NoTime()).answer) {
    deleted += count;
    ++calls;
    if (place_.get() != nullptr) {
      EXPECT_STREQ(place_.get()->check(), nullptr);
    }
  }
  EXPECT_EQ(deleted, 100u);
  EXPECT_GT(calls, 2u);
}

TEST_F(RouteOperationsTest, a_list_of_deleted_devices_that_is_cut_short_changes_nothing) {
  routes_.set_device(place_, {name("a|ws"), {}}, at(1000), NoLimit());
  for (const char* gone : {"\4a|ws\4b|w", "\4a|ws\xff", "\5a|ws"}) {
    const auto applied =
        routes_.apply(place_, {.clock = {}, .gone = gone, .dispatched = {}, .part = {}}, at(1000), NoLimit());
    ASSERT_FALSE(applied.answer);
    EXPECT_EQ(applied.answer.error().code, ErrorCode::Corrupt);
    EXPECT_NE(place_.get()->device("a|ws", UnixMs(1000)), nullptr);
  }
}

TEST_F(RouteOperationsTest, filters_that_were_loaded_are_compiled_without_waiting_for_a_change) {
  OwnPlace<RouteTable> other{"other"};
  for (int i = 0; i < 10; ++i) {
    RouteSubscribeRequest request = subscription("a|ws");
    request.filter = filter(R"({"n":)" + std::to_string(i) + "}");
    ASSERT_TRUE(routes_.subscribe(other, request, at(1000), NoLimit()).answer);
  }
  EXPECT_EQ(other.get()->upkeep_date(), std::nullopt);
  const Call repeats{.now = {.wall = UnixMs(1000)}, .decides = false};
  encode_route_table(*other.get(), [&](ByteView part) {
    const RouteEffect effect{.clock = {}, .gone = {}, .dispatched = {}, .part = part};
    ASSERT_TRUE(routes_.apply(place_, effect, repeats, NoLimit()).answer);
  });
  const auto compiled = [&] {
    const RouteTable& table = *place_.get();
    return table.channel(table.find_channel(kOrders.key())).filters->index().count_compiled();
  };
  EXPECT_EQ(compiled(), 0u);
  size_t visits = 0;
  for (; place_.get()->upkeep_date() && visits < 100; ++visits) {
    const Consequences follow = routes_.look_after(place_, at(1000), NoTime());
    EXPECT_TRUE(effects_of(follow).empty() && events_of(follow).empty());
    EXPECT_EQ(follow.due, place_.get()->upkeep_date());
  }
  EXPECT_EQ(compiled(), 10u);
  EXPECT_GT(visits, 1u);
}

TEST_F(RouteOperationsTest, presence_is_told_as_events_and_dispatched_if_a_prefix_is_set) {
  RouteSubscribeRequest watches = subscription("watcher|ws");
  watches.channel = {"chat", kPresenceModel, std::nullopt, std::nullopt};
  ASSERT_TRUE(subscribe(watches).answer);
  const auto first = routes_.set_device(place_, {name("a|ws"), {}}, at(1000), NoLimit());
  EXPECT_EQ(*first.consequences.named_events, Told{"route.connected a|ws"});
  EXPECT_TRUE(queues_.written.empty());
  EXPECT_EQ(routes_.set_presence(place_, {"theirs:"}, at(1000), NoLimit()).answer.error().code, ErrorCode::NoRights);
  const auto narrow = routes_.set_presence(place_, {"one"}, at(1000), NoLimit());
  EXPECT_EQ(narrow.answer.error().text, "this user may not TWRITE to all logs that begin with 'one'");
  ASSERT_EQ(*routes_.set_presence(place_, {"p:"}, at(1000), NoLimit()).answer, "p:");
  const auto left = remove("a|ws", at(1000));
  EXPECT_EQ(*left.consequences.named_events, Told{"route.left a|ws"});
  EXPECT_EQ(queues_.written, Told{"p:ws route.left"});
  // One that repeats sends the event, and dispatches nothing.
  const Call repeats{.now = {}, .decides = false};
  const auto repeated = routes_.set_device(place_, {name("b|ws"), {}}, repeats, NoLimit());
  EXPECT_EQ(*repeated.consequences.named_events, Told{"route.connected b|ws"});
  EXPECT_EQ(queues_.written.size(), 1u);
}

}  // namespace

}  // namespace millrace
