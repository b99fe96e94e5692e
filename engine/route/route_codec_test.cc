#include "engine/route/route_codec.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/model/route_facts.h"
#include "tests/model/seeds.h"

namespace millrace {

namespace {

using testing::route_facts;

constexpr HashKey kKey{7, 8, 9};

std::vector<std::string> parts_of(const RouteTable& table) {
  std::vector<std::string> parts;
  encode_route_table(table, [&](ByteView part) { parts.emplace_back(part); });
  return parts;
}

// Devices with and without everything, two channels, all three kinds of targets.
void fill(RouteTable& table) {
  table.tick(UnixMs(5000));
  table.set_device(*parse_device_name("d1|ws"), {"u1", "an agent", 900});
  table.set_device(*parse_device_name("d2|mqtt"), {});
  const RouteChannel tasks{"shop", "task", "u1", "t7"};
  const Filter filter = *parse_filter(R"({"p":{"$in":["a","b"]},"n":{"$gt":3}})");
  const std::string json = filter_json(filter);
  table.subscribe(*parse_device_name("d1|ws"), table.everything({"shop", "task", {}, {}}), 400);
  table.subscribe(*parse_device_name("d2|mqtt"), table.filtered(tasks, filter, json), {});
  table.set_filter(tasks, "mine", filter, json);
  table.subscribe(*parse_device_name("d1|ws"), table.find_filter_id(tasks, "mine"), 77);
  table.set_filter(tasks, "nobody's", filter, json);
}

TEST(RouteCodec, a_table_is_the_same_after_it_was_written_and_read) {
  RouteTable table(kKey);
  fill(table);
  RouteTable read(HashKey{});
  for (const std::string& part : parts_of(table)) ASSERT_TRUE(restore_route_part(read, part));
  EXPECT_EQ(read.check(), nullptr);
  EXPECT_EQ(route_facts(read), route_facts(table));
  EXPECT_EQ(read.clock(), table.clock());
  EXPECT_EQ(read.next_date(), UnixMs(5077));
  EXPECT_EQ(parts_of(read), parts_of(table));
}

TEST(RouteCodec, what_has_died_is_not_written) {
  RouteTable table(kKey);
  fill(table);
  table.tick(UnixMs(5900));
  RouteTable read(HashKey{});
  for (const std::string& part : parts_of(table)) ASSERT_TRUE(restore_route_part(read, part));
  EXPECT_EQ(read.device("d1|ws", UnixMs(0)), nullptr);
  EXPECT_EQ(read.counts().devices, 1u);
  EXPECT_EQ(read.counts().subscriptions, 1u);
  EXPECT_EQ(read.counts().filters, 1u);
}

TEST(RouteCodec, a_target_with_many_devices_is_several_parts) {
  RouteTable table(kKey);
  for (int i = 0; i < 30'000; ++i) {
    table.subscribe(*parse_device_name("d" + std::to_string(i) + "|ws"), table.everything({"a", "m", {}, {}}), {});
  }
  const auto parts = parts_of(table);
  for (const std::string& part : parts) EXPECT_LT(part.size(), 20'000u);
  RouteTable read(kKey);
  for (const std::string& part : parts) ASSERT_TRUE(restore_route_part(read, part));
  EXPECT_EQ(read.counts().subscriptions, 30'000u);
  EXPECT_EQ(read.check(), nullptr);
}

TEST(RouteCodec, what_is_younger_than_the_tables_clock_is_refused) {
  RouteTable table(kKey);
  fill(table);
  RouteTable read(kKey);  // without the head, its clock stands at 0
  const auto parts = parts_of(table);
  ASSERT_EQ(parts[1].front(), 'D');
  const auto refused = restore_route_part(read, parts[1]);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "a device beyond its table's time");
  EXPECT_TRUE(read.empty());
}

TEST(RouteCodec, a_subscription_of_a_device_that_is_gone_is_refused) {
  RouteTable table(kKey);
  fill(table);
  RouteTable read(kKey);
  const auto parts = parts_of(table);
  ASSERT_TRUE(restore_route_part(read, parts[0]));
  ASSERT_TRUE(restore_route_part(read, parts[1]));
  read.delete_device("d1|ws");
  const auto refused = restore_route_part(read, parts[2]);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "a subscription of a device that is not there");
  EXPECT_EQ(read.check(), nullptr);
}

TEST(RouteCodec, a_part_that_comes_twice_is_refused) {
  RouteTable table(kKey);
  fill(table);
  const auto parts = parts_of(table);
  RouteTable read(kKey);
  for (const std::string& part : parts) ASSERT_TRUE(restore_route_part(read, part));
  const auto facts = route_facts(read);
  for (const std::string& part : parts) {
    // The head, and a name without subscriptions, can be repeated.
    const auto again = restore_route_part(read, part);
    EXPECT_TRUE(again || again.error().code == ErrorCode::Corrupt);
    EXPECT_EQ(route_facts(read), facts);
  }
}

TEST(RouteCodec, damaged_parts_are_refused_and_change_nothing_or_are_valid) {
  RouteTable table(kKey);
  fill(table);
  const auto parts = parts_of(table);
  std::mt19937 random(3);
  const uint64_t runs = testing::runs_of(20'000);
  uint64_t refused = 0;
  for (uint64_t i = 0; i < runs; ++i) {
    RouteTable read(kKey);
    for (const std::string& part : parts) {
      std::string bytes = part;
      if (random() % 3 == 0) bytes[random() % bytes.size()] = static_cast<char>(random());
      if (random() % 8 == 0) bytes.resize(random() % (bytes.size() + 1));
      const auto before = route_facts(read);
      if (restore_route_part(read, bytes)) continue;
      ++refused;
      ASSERT_EQ(route_facts(read), before);
    }
    ASSERT_EQ(read.check(), nullptr);
  }
  EXPECT_GT(refused, runs / 4);
}

}  // namespace

}  // namespace millrace
