// Random histories of a routing table, compared with the simple model: devices that are added, show that they are
// alive, expire and are deleted; subscriptions with and without filters and names; changes with and without old
// documents. The table is sometimes swept, and sometimes saved and loaded. After every step check() passes.
#include "tests/model/route_model.h"

#include <gtest/gtest.h>

#include "engine/route/route_codec.h"
#include "engine/route/route_match.h"
#include "tests/model/random_filters.h"
#include "tests/model/route_facts.h"

namespace millrace {

namespace {

using testing::route_facts;

using testing::Json;
using testing::RandomFilters;
using testing::RouteModel;

constexpr HashKey kKey{1, 2, 3};
const std::vector<std::string> kDevices = {"a|ws", "a|mqtt", "b|ws", "c|ws", "d|push", "e|ws"};
const std::vector<std::string> kNames = {"mine", "yours"};

class RouteHistory {
 public:
  explicit RouteHistory(uint64_t seed) : random_(seed) {
    for (int i = 0; i < 12; ++i) filters_.push_back(random_.text(random_.filter(1)));
  }

  void step() {
    if (random_.chance(3)) now_ += random_.between(1, 40);
    table_->tick(UnixMs(now_));
    switch (random_.between(0, 9)) {
      case 0:
        return set_device();
      case 1:
        return touch();
      case 2:
        return random_.chance(4) ? remove_device() : touch();
      case 3:
        return unsubscribe();
      case 4:
        return set_filter();
      case 5:
        return random_.chance(3) ? remove_target() : match();
      case 6:
        return match();
      case 7:
        return random_.chance(6) ? reload() : sweep();
      default:
        return subscribe();
    }
  }

  void check() const {
    ASSERT_EQ(table_->check(), nullptr);
    for (const std::string& name : kDevices) {
      const Device* device = table_->device(name, UnixMs(now_));
      ASSERT_EQ(device != nullptr, model_.lives(name, now_)) << name;
      if (device == nullptr) continue;
      const auto& expected = model_.devices.at(name);
      EXPECT_EQ(device->user, expected.user);
      EXPECT_EQ(device->connected.value(), expected.connected);
      EXPECT_EQ(device->seen.value(), expected.seen);
      const auto is_mine = [&](const auto& each) {
        return each.first.first == name && model_.lives(name, each.first.second, now_);
      };
      EXPECT_EQ(table_->count_subscriptions(*device, UnixMs(now_)),
                static_cast<uint64_t>(std::ranges::count_if(model_.subscriptions, is_mine)));
    }
  }

 private:
  const auto& some(const auto& list) { return list[random_.between(0, list.size() - 1)]; }
  DeviceName name_of(const std::string& device) const { return *parse_device_name(device); }
  std::optional<uint64_t> maybe_ttl() {
    if (random_.chance(2)) return std::nullopt;
    return random_.chance(4) ? 0 : random_.between(1, 100);
  }

  RouteChannel some_channel() {
    return {"app", "task", random_.chance(2) ? std::nullopt : std::optional<ByteView>("u"),
            random_.chance(2) ? std::nullopt : std::optional<ByteView>("i")};
  }

  struct Chosen {
    RouteChannel channel;
    RouteModel::Target target;
    std::optional<Filter> filter;
    std::string json;  // normal
    std::string name;
  };
  Chosen choose() {
    Chosen chosen{.channel = some_channel()};
    chosen.target.first = chosen.channel.name();
    if (random_.chance(3)) return chosen;
    if (random_.chance(3)) {
      chosen.name = some(kNames);
      chosen.target.second = "#" + chosen.name;
      return chosen;
    }
    const std::string& json = some(filters_);
    chosen.filter = *parse_filter(json);
    chosen.json = filter_json(*chosen.filter);
    chosen.target.second = "=" + chosen.json;
    model_.filters[chosen.target.second] = json;
    return chosen;
  }
  TargetSlot find(const Chosen& chosen) const {
    if (!chosen.name.empty()) return table_->find_filter_id(chosen.channel, chosen.name);
    if (!chosen.filter) return table_->find_everything(chosen.channel);
    const TargetSlot found = table_->find_filter(chosen.channel, chosen.json);
    EXPECT_EQ(found, table_->find_filter_id(chosen.channel, filter_id(chosen.json)));
    return found;
  }

  void set_device() {
    const std::string& device = some(kDevices);
    const auto ttl = maybe_ttl();
    std::optional<std::string> user;
    if (random_.chance(2)) user = "user" + std::to_string(random_.between(1, 3));
    EXPECT_EQ(table_->set_device(name_of(device), {user, std::nullopt, ttl}), model_.set(device, now_, user, ttl));
  }

  void touch() {
    const std::string& device = some(kDevices);
    EXPECT_EQ(table_->touch(device), model_.touch(device, now_));
  }

  void remove_device() {
    const std::string& device = some(kDevices);
    EXPECT_EQ(table_->delete_device(device), model_.remove(device, now_));
  }

  void subscribe() {
    const std::string& device = some(kDevices);
    const Chosen chosen = choose();
    if (!chosen.name.empty() && !model_.names.contains(chosen.target)) {
      EXPECT_EQ(find(chosen), TargetSlot::none());
      return;
    }
    const auto ttl = maybe_ttl();
    const TargetSlot target = !chosen.name.empty() ? find(chosen)
                              : chosen.filter      ? table_->filtered(chosen.channel, *chosen.filter, chosen.json)
                                                   : table_->everything(chosen.channel);
    table_->subscribe(name_of(device), target, ttl);
    model_.subscribe(device, chosen.target, now_, ttl);
  }

  void unsubscribe() {
    const std::string& device = some(kDevices);
    const Chosen chosen = choose();
    const TargetSlot target = find(chosen);
    EXPECT_EQ(target.is_some() && table_->unsubscribe(device, target), model_.unsubscribe(device, chosen.target, now_));
  }

  void set_filter() {
    const RouteChannel channel = some_channel();
    const std::string& name = some(kNames);
    const std::string& json = some(filters_);
    const Filter filter = *parse_filter(json);
    table_->set_filter(channel, name, filter, filter_json(filter));
    model_.names[{channel.name(), "#" + name}] = json;
  }

  void remove_target() {
    const Chosen chosen = choose();
    if (chosen.target.second.empty()) return;
    const TargetSlot target = find(chosen);
    const uint64_t expected = model_.remove_target(chosen.target, now_);
    EXPECT_EQ(target.is_none() ? 0 : table_->delete_target(target), expected);
  }

  void sweep() {
    const bool is_left = table_->sweep(random_.between(1, 5));
    if (is_left || table_->empty()) return;
    EXPECT_TRUE(!table_->next_date() || table_->next_date() > UnixMs(now_));
  }

  void reload() {
    auto loaded = std::make_unique<RouteTable>(kKey);
    encode_route_table(*table_, [&](ByteView part) { EXPECT_TRUE(restore_route_part(*loaded, part)); });
    EXPECT_EQ(route_facts(*loaded), route_facts(*table_));
    table_ = std::move(loaded);
  }

  void match() {
    const RouteChannel about = some_channel();
    const Json document = random_.document();
    const Json old = random_.document();
    const std::string texts[] = {random_.text(document), random_.text(old)};
    RouteChange change;
    change.about = about;
    if (!random_.chance(4)) change.document = texts[0];
    if (!random_.chance(4)) change.old = texts[1];
    ASSERT_TRUE(matcher_.match(*table_, change, UnixMs(now_)));

    std::set<std::string> channels;
    for (const RouteChannel& each : about.patterns()) channels.insert(each.name());
    const auto heard = [&](const std::optional<ByteView>& given, const Json& json) {
      return model_.heard(channels, now_, [&](const std::string& filter) {
        return given && testing::FilterModel::matches(testing::parse_json(filter), json);
      });
    };
    const auto now = heard(change.document, document);
    const auto before = heard(change.old, old);
    std::map<std::string, std::string> expected;
    if (!change.old) {
      for (const auto& device : now) expected[device] = "";
    } else if (!change.document) {
      for (const auto& device : before) expected[device] = "delete";
    } else {
      for (const auto& device : now) expected[device] = before.contains(device) ? "update" : "enter";
      for (const auto& device : before) {
        if (!now.contains(device)) expected[device] = "leave";
      }
    }
    std::map<std::string, std::string> found;
    for (const auto& each : matcher_.found()) {
      const auto meaning = matcher_.meaning(each);
      const Device& device = table_->device_at(each.device);
      EXPECT_TRUE(found.emplace(device.name, meaning ? meaning_name(*meaning) : "").second) << "found twice";
      // The device is told the combined result of all its subscriptions.
      bool matches_now = false;
      bool matched_before = false;
      matcher_.each_hit(each, [&](uint32_t number) {
        const RouteMatcher::Hit& hit = matcher_.hits()[number];
        const TargetSlot target = hit.target;
        EXPECT_TRUE(table_->subscriptions().find(each.device, target).is_some());
        EXPECT_TRUE(channels.contains(channel_of(table_->channel(table_->target(target).channel).key).name()));
        matches_now |= hit.matches_now;
        matched_before |= hit.matched_before;
      });
      EXPECT_EQ(std::pair(matches_now, matched_before), std::pair(each.matches_now, each.matched_before));
    }
    EXPECT_EQ(found, expected);
  }

  RandomFilters random_;
  uint64_t now_ = 1000;
  std::vector<std::string> filters_;
  std::unique_ptr<RouteTable> table_ = std::make_unique<RouteTable>(kKey);
  RouteModel model_;
  RouteMatcher matcher_;
};

TEST(RouteModel, random_histories_end_as_the_naive_table_says) {
  testing::run_seeds(60, [](uint64_t seed) {
    RouteHistory history(seed);
    for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(::testing::Message() << "step " << i);
      history.step();
      history.check();
    }
  });
}

}  // namespace
}  // namespace millrace
