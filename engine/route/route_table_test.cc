#include "engine/route/route_table.h"

#include <gtest/gtest.h>

#include "engine/route/route_match.h"

namespace millrace {

namespace {

constexpr HashKey kKey{4, 5, 6};
constexpr RouteChannel kTasks{"shop", "task", std::nullopt, std::nullopt};

struct GivenJson {
  explicit GivenJson(ByteView json) : filter(*parse_filter(json)), normal(filter_json(filter)) {}
  Filter filter;
  std::string normal;
};

class RouteTableTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(table_.check(), nullptr); }

  DeviceName name(ByteView device) { return *parse_device_name(device); }
  void at(uint64_t ms) { table_.tick(UnixMs(ms)); }
  void subscribe(ByteView device, ByteView json = {}, std::optional<uint64_t> ttl = {}) {
    const TargetSlot target = json.empty() ? table_.everything(kTasks) : filtered(json);
    table_.subscribe(name(device), target, ttl);
  }
  TargetSlot filtered(ByteView json) {
    const GivenJson given(json);
    return table_.filtered(kTasks, given.filter, given.normal);
  }
  void set_filter(ByteView id, ByteView json) {
    const GivenJson given(json);
    table_.set_filter(kTasks, id, given.filter, given.normal);
  }
  static RouteChange change_of(ByteView document) {
    RouteChange change;
    change.about = kTasks;
    change.document = document;
    return change;
  }
  std::set<std::string> heard(ByteView document, uint64_t ms = 1000) {
    EXPECT_TRUE(matcher_.match(table_, change_of(document), UnixMs(ms)));
    std::set<std::string> names;
    for (const auto& found : matcher_.found()) names.insert(table_.device_at(found.device).name);
    return names;
  }
  using Names = std::set<std::string>;

  RouteTable table_{kKey};
  RouteMatcher matcher_;
};

TEST_F(RouteTableTest, a_device_is_its_id_and_its_transport) {
  EXPECT_EQ(name("device-123|websockets-transport").id, "device-123");
  EXPECT_EQ(name("device-123|websockets-transport").transport, "websockets-transport");
  EXPECT_EQ(name("a|b|ws").id, "a|b");
  for (ByteView none : {"", "|", "a|", "|ws", "a"}) EXPECT_FALSE(parse_device_name(none)) << none;
}

TEST_F(RouteTableTest, what_leaves_takes_a_shared_filter_from_nobody) {
  subscribe("a|ws", R"({"p":1})");
  subscribe("b|ws", R"({"p":{"$eq":1}})");
  EXPECT_EQ(table_.counts().filters, 1u);
  table_.delete_device("a|ws");
  table_.sweep(100);
  EXPECT_EQ(heard(R"({"p":1})"), Names{"b|ws"});
  table_.delete_device("b|ws");
  table_.sweep(100);
  EXPECT_TRUE(table_.empty());
  EXPECT_EQ(table_.counts().filters, 0u);
}

TEST_F(RouteTableTest, a_name_and_an_anonymous_filter_share_what_is_evaluated) {
  set_filter("mine", R"({"p":1})");
  subscribe("a|ws", R"({"p":1})");
  table_.subscribe(name("b|ws"), table_.find_filter_id(kTasks, "mine"), {});
  EXPECT_EQ(table_.counts().filters, 1u);
  EXPECT_EQ(heard(R"({"p":1})"), (Names{"a|ws", "b|ws"}));
  set_filter("mine", R"({"p":2})");
  EXPECT_EQ(table_.counts().filters, 2u);
  EXPECT_EQ(heard(R"({"p":1})"), Names{"a|ws"});
  EXPECT_EQ(heard(R"({"p":2})"), Names{"b|ws"});
}

TEST_F(RouteTableTest, a_name_stays_when_nobody_has_subscribed) {
  set_filter("mine", R"({"p":1})");
  table_.subscribe(name("b|ws"), table_.find_filter_id(kTasks, "mine"), {});
  EXPECT_TRUE(table_.unsubscribe("b|ws", table_.find_filter_id(kTasks, "mine")));
  EXPECT_NE(table_.find_filter_id(kTasks, "mine"), TargetSlot::none());
  EXPECT_EQ(table_.delete_target(table_.find_filter_id(kTasks, "mine")), 0u);
  EXPECT_EQ(table_.find_filter_id(kTasks, "mine"), TargetSlot::none());
  table_.sweep(10);
}

TEST_F(RouteTableTest, what_has_ended_in_a_silence_does_not_come_back_when_the_device_does) {
  at(1000);
  subscribe("a|ws", {}, 50);
  at(1100);
  EXPECT_TRUE(table_.touch("a|ws"));
  EXPECT_TRUE(heard("{}", 1100).empty());
  subscribe("a|ws");
  EXPECT_EQ(heard("{}", 1100), Names{"a|ws"});
}

TEST_F(RouteTableTest, showing_itself_renews_a_device_and_what_it_has) {
  at(1000);
  table_.set_device(name("a|ws"), {.user = {}, .agent = {}, .ttl_ms = 100});
  subscribe("a|ws", {}, 80);
  for (uint64_t ms = 1050; ms < 2000; ms += 50) {
    at(ms);
    EXPECT_TRUE(table_.touch("a|ws"));
    table_.sweep(10);
  }
  EXPECT_EQ(heard("{}", 2029), Names{"a|ws"});
  EXPECT_TRUE(heard("{}", 2030).empty());
  EXPECT_NE(table_.device("a|ws", UnixMs(2049)), nullptr);
  EXPECT_EQ(table_.device("a|ws", UnixMs(2050)), nullptr);
  at(2050);
  table_.sweep(10);
  EXPECT_TRUE(table_.empty());
}

TEST_F(RouteTableTest, a_device_with_many_subscriptions_goes_at_once_and_is_swept_in_slices) {
  for (int i = 0; i < 2000; ++i) subscribe("a|ws", R"({"p":)" + std::to_string(i) + "}");
  subscribe("b|ws", R"({"p":7})");
  EXPECT_EQ(table_.delete_device("a|ws"), 2000u);
  EXPECT_EQ(heard(R"({"p":7})"), Names{"b|ws"});
  EXPECT_EQ(table_.counts().subscriptions, 1u);
  EXPECT_EQ(table_.counts().devices, 1u);
  int slices = 1;
  while (table_.sweep(100)) ++slices;
  EXPECT_EQ(slices, 21);
  EXPECT_EQ(table_.subscriptions().size(), 1u);
  EXPECT_EQ(table_.counts().filters, 1u);
}

TEST_F(RouteTableTest, one_more_subscription_of_a_known_device_to_a_known_filter_is_small) {
  for (int i = 0; i < 1000; ++i) {
    subscribe("first|ws", R"({"p":)" + std::to_string(i) + "}");
    table_.set_device(name("d" + std::to_string(i) + "|ws"), {});
  }
  const uint64_t before = table_.memory();
  for (int i = 0; i < 1000; ++i) {
    for (int j = 0; j < 10; ++j) {
      subscribe("d" + std::to_string((i * 7 + j * 131) % 1000) + "|ws", R"({"p":)" + std::to_string(i) + "}");
    }
  }
  EXPECT_LE((table_.memory() - before) / 10'000, 64u);
}

}  // namespace

}  // namespace millrace
