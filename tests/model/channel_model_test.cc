// Random histories of a channel: the engine, a repeater, and the model must agree after every step. The repeater gets
// only the effects, like replicas and the AOF.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include "tests/model/channel_model.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/channel/receipt.h"
#include "tests/model/channel_bytes.h"
#include "tests/model/seeds.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kSeeds = 200;
constexpr int kSteps = 250;

struct IssuedReceipt {
  std::string text;
  std::string subscriber;
  uint64_t number;  // number of the publication that it is for
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    // Half of the histories cross the seam, two of three have tiny blocks, few have many subscribers.
    model_.birth = chance(2) ? ChannelModel::kLargest - static_cast<int64_t>(between(0, 100)) : some_clock();
    if (!chance(3)) limits_ = {.bytes = static_cast<uint32_t>(between(64, 512)), .messages = 7};
    crowds_ = chance(40);
    ids_ = between(3, 300);
    model_.expire = between(1, 500);
    model_.now = model_.active = now_;
    const ChannelHead head = {.secret = {static_cast<unsigned char>(seed), 2, 3},
                              .birth = Clock(model_.birth),
                              .expire_ms = model_.expire,
                              .active = UnixMs(now_)};
    channel_ = Channel(head);
    repeater_ = Channel(head);
  }

  void run() {
    for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) {
      const char* what = take_step();
      SCOPED_TRACE(::testing::Message() << "after step " << step << " at " << now_ << ": " << what);
      compare();
    }
  }

 private:
  // --- random things ---
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  int64_t some_clock() { return static_cast<int64_t>(between(0, Clock::kCount - 1)) + Clock::kMin; }
  std::string some_name() { return std::string(1, static_cast<char>(between('a', 'f'))); }
  std::string some_id() {
    const std::string id = std::to_string(between(1, ids_));
    return chance(20) ? id + std::string(300, '\0') : id;
  }
  std::string some_content() { return std::string(chance(30) ? between(0, 2000) : between(0, 40), 'x'); }

  // --- the beginning of every command ---
  // When time moves, this is an effect of its own.
  void move_time() {
    const bool moved = channel_.tick(UnixMs(now_));
    EXPECT_EQ(moved, model_.tick(now_));
    if (moved) repeater_.tick(UnixMs(now_));
  }
  // Finds a subscriber as commands do; null, with nothing changed, if it does not exist.
  ModelSubscriber* open(const std::string& name) {
    const uint64_t present = std::max(now_, model_.now);
    const auto found = model_.subscribers.find(name);
    const bool lives = found != model_.subscribers.end() && model_.lives(found->second.active, present);
    EXPECT_EQ(channel_.alive(name, UnixMs(present)) != nullptr, lives);
    return lives ? &found->second : nullptr;
  }
  Subscriber& subscriber(Channel& channel, const std::string& name) { return *channel.alive(name, channel.now()); }

  // --- steps ---
  const char* take_step() {
    switch (between(0, 19)) {
      case 0:
      case 1:
        return subscribe();
      case 2:
        return chance(2) ? unsubscribe() : "nothing";
      case 3:
      case 4:
      case 5:
        return fetch();
      case 6:
      case 7:
        return acknowledge();
      case 8:
        return reload();
      case 9:
        return fail_over();
      case 10:
        return crowds_ && chance(3) ? subscribe_crowd() : "nothing";
      case 11:
      case 12:
      case 13:
        return pass_time();
      default:
        return publish();
    }
  }
  const char* publish() {
    move_time();
    bool is_new = false;
    std::vector<std::pair<std::string, std::string>> pairs(chance(3) ? between(2, 30) : 1);
    for (auto& [id, content] : pairs) {
      id = some_id();
      content = some_content();
      const auto clock = channel_.publish(id, content, limits_);
      const auto expected = model_.publish(id, content);
      EXPECT_EQ(clock.has_value(), expected.has_value());
      if (clock && expected) {
        EXPECT_EQ(clock->value(), *expected);
      }
      is_new |= clock.has_value();
    }
    // A publication of only duplicates has no effect; with other messages, duplicates are part of the effect. The
    // repeater divides messages into blocks on its own.
    if (!is_new) return "publish duplicates";
    for (const auto& [id, content] : pairs) repeater_.publish(id, content, {});
    return "publish";
  }
  const char* subscribe() {
    const std::string name = some_name();
    move_time();
    const uint64_t expire = chance(6) ? between(1, 500) : 0;
    const uint64_t acknowledged = model_.subscribe(name).acknowledged;
    if (expire != 0) model_.set_expire(expire);
    for (Channel* channel : {&channel_, &repeater_}) {
      EXPECT_EQ(channel->subscribe(name).position, Offset(acknowledged));
      if (expire != 0) channel->set_expire(expire);
    }
    return expire != 0 ? "subscribe with another expiry" : "subscribe";
  }
  // More than expire in one slice.
  const char* subscribe_crowd() {
    move_time();
    for (uint64_t i = between(900, 2200); i > 0; --i) {
      const std::string name = "crowd " + std::to_string(i);
      model_.subscribe(name);
      for (Channel* channel : {&channel_, &repeater_}) channel->subscribe(name);
    }
    return "subscribe a crowd";
  }
  const char* unsubscribe() {
    const std::string name = some_name();
    if (open(name) == nullptr) return "unsubscribe nobody";
    move_time();
    model_.subscribers.erase(name);
    for (Channel* channel : {&channel_, &repeater_}) EXPECT_TRUE(channel->unsubscribe(name));
    return "unsubscribe";
  }
  const char* fetch() {
    const std::string name = some_name();
    ModelSubscriber* model = open(name);
    if (model == nullptr) return "fetch for nobody";
    move_time();
    const uint64_t max = chance(3) ? between(1, 10) : 64;
    const Fetch fetch = channel_.fetch(subscriber(channel_, name), max);
    const auto waiting = model_.waiting_for(*model);
    EXPECT_EQ(fetch.count, std::min(waiting.size(), max));
    EXPECT_EQ(fetch.more, waiting.size() > max);
    if (fetch.count > 0 && !waiting.empty()) {
      EXPECT_EQ(fetch.from, Offset(waiting.front().number));
      const auto receipt = channel_.receipt_for(fetch.last());
      receipts_.push_back(
          {issue_receipt(channel_.head().secret, "channel", name, receipt), name, waiting[fetch.count - 1].number});
    }
    model_.touch(*model);
    for (Channel* channel : {&channel_, &repeater_}) channel->touch(subscriber(*channel, name));
    return "fetch";
  }
  // With a receipt of any age, whose subscription may have ended, or that belongs to another subscriber.
  const char* acknowledge() {
    if (receipts_.empty()) return "nothing";
    const IssuedReceipt& receipt = receipts_[chance(2) ? receipts_.size() - 1 : between(0, receipts_.size() - 1)];
    const std::string name = chance(6) ? some_name() : receipt.subscriber;
    ModelSubscriber* model = open(name);
    if (model == nullptr) return "acknowledge for nobody";
    for (Channel* channel : {&channel_, &repeater_}) {
      const auto read = read_receipt(channel->head().secret, "channel", name, receipt.text);
      EXPECT_EQ(read.has_value(), name == receipt.subscriber);
      if (!read) return "acknowledge with a foreign receipt";
      EXPECT_EQ(read->clock.value(), model_.clock_after(receipt.number));
      // A receipt for another message at that clock, as from a history that this channel never had.
      const Offset offset(receipt.number);
      if (offset >= channel->messages().first()) {
        EXPECT_EQ(channel->acknowledge(subscriber(*channel, name), {read->clock, read->mark ^ 1}), Ack::Invalid);
      }
    }
    acknowledge_number(name, *model, receipt.number);
    // A receipt from a later state of the channel.
    if (chance(4)) acknowledge_number(name, *model, model_.publications + between(1, 5));
    return "acknowledge";
  }
  // Time moves only if the receipt is valid: a refused command changes nothing.
  void acknowledge_number(const std::string& name, ModelSubscriber& model, uint64_t number) {
    const ModelAck expected = model_.acknowledge(model, number);
    for (Channel* channel : {&channel_, &repeater_}) {
      const Ack ack = channel->acknowledge(subscriber(*channel, name), Clock(model_.clock_after(number)));
      EXPECT_EQ(static_cast<int>(ack), static_cast<int>(expected));
    }
    if (expected == ModelAck::Invalid) return;
    move_time();
    model_.touch(model);
    for (Channel* channel : {&channel_, &repeater_}) channel->touch(subscriber(*channel, name));
  }
  const char* pass_time() {
    if (chance(10)) {
      now_ -= between(0, 50);  // the host's clock is set back
    } else {
      now_ += chance(20) ? between(0, 5000) : chance(3) ? between(0, model_.expire) : between(0, 3);
    }
    return "time passes";
  }
  const char* reload() {
    Channel& either = chance(2) ? channel_ : repeater_;
    const std::string bytes = channel_to_bytes(either);
    auto again = channel_from_bytes(bytes);
    EXPECT_TRUE(again) << again.error().text;
    if (!again) return "reload";
    EXPECT_EQ(channel_to_bytes(*again), bytes);
    either = chance(3) ? either.clone() : std::move(*again);
    return "reload or clone";
  }
  const char* fail_over() {
    std::swap(channel_, repeater_);
    return "fail over";
  }

  // --- after each step ---
  void compare() {
    ASSERT_TRUE(same_channels(channel_, repeater_));
    for (const Channel* channel : {&channel_, &repeater_}) {
      SCOPED_TRACE(channel == &channel_ ? "the channel" : "its repeater");
      ASSERT_STREQ(channel->check(), nullptr);
      ASSERT_EQ(channel->clock().value(), model_.clock_after(model_.publications));
      ASSERT_EQ(channel->now(), UnixMs(model_.now));
      ASSERT_EQ(channel->head().expire_ms, model_.expire);
      ASSERT_EQ(channel->expires_at(), UnixMs(model_.active + model_.expire));
      ASSERT_EQ(messages_of(*channel), model_.messages);
      ASSERT_EQ(subscribers_of(*channel), model_.subscribers);
      compare_later(*channel, model_.now + (chance(2) ? 0 : between(0, 2 * model_.expire)));
    }
  }
  static std::vector<ModelPublication> messages_of(const Channel& channel) {
    std::vector<ModelPublication> messages;
    MessageBlocks::Cursor cursor(channel.messages(), Offset(0));
    for (Message message; cursor.next(message);) {
      messages.push_back(
          {message.offset.value(), std::string(message.tag), std::string(message.entry), message.written.value()});
    }
    return messages;
  }
  static std::map<std::string, ModelSubscriber> subscribers_of(const Channel& channel) {
    std::map<std::string, ModelSubscriber> subscribers;
    for (const Subscriber& each : channel.subscribers()) {
      if (channel.alive(each.name, channel.now()) == nullptr) continue;
      subscribers[each.name] = {each.position.value(), each.active.value()};
    }
    return subscribers;
  }
  // What read-only commands see, at a time to which the channel has not been moved.
  void compare_later(const Channel& channel, uint64_t at) {
    SCOPED_TRACE(::testing::Message() << "seen at " << at);
    const std::string id = some_id(), name = some_name();
    const auto found = channel.find(id, UnixMs(at));
    const auto expected = model_.find(id, at);
    ASSERT_EQ(found, expected ? std::optional(Offset(*expected)) : std::nullopt);
    const auto dead = std::ranges::count_if(model_.messages, [&](const auto& m) { return !model_.lives(m.date, at); });
    ASSERT_EQ(channel.messages().next() - channel.first_alive(UnixMs(at)),
              model_.messages.size() - static_cast<size_t>(dead));
    const auto known = model_.subscribers.find(name);
    ASSERT_EQ(channel.alive(name, UnixMs(at)) != nullptr,
              known != model_.subscribers.end() && model_.lives(known->second.active, at));
  }

  std::mt19937_64 random_;
  BlockLimits limits_;
  bool crowds_;
  uint64_t ids_;
  uint64_t now_ = 1'000'000;
  Channel channel_{ChannelHead{}};
  Channel repeater_{ChannelHead{}};
  ChannelModel model_;
  std::vector<IssuedReceipt> receipts_;
};

TEST(ChannelModel, RandomHistoriesAgreeWithTheModel) {
  run_seeds(kSeeds, [](uint64_t seed) { History(seed).run(); });
}

}  // namespace
}  // namespace millrace::testing
