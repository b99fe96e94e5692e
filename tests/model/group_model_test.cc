// Random histories of a log with groups: the engine, a replica that gets only the effects, and the model must agree
// after every step.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include "tests/model/group_model.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/log/group_codec.h"
#include "engine/log/group_effects.h"
#include "engine/log/log_codec.h"
#include "tests/model/log_bytes.h"
#include "tests/model/seeds.h"
#include "tests/model/test_packer.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kSeeds = 400;
constexpr int kSteps = 250;
constexpr uint64_t kMostMessages = 400;
constexpr BlockLimits kLimits{.bytes = 256, .messages = 20};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    default_pending_max_ = chance(3) ? between(1, 40) : 1'000'000;
    longest_retry_ = chance(2) ? 20 : 500;
  }

  // Compacts and packs after every step.
  void force_compaction() {
    compacts_always_ = true;
    model_.retention.latest = true;
    for (Log* log : {&log_, &replica_}) log->set_retention(model_.retention);
  }

  void run() {
    for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) {
      const char* what = take_step();
      if (compacts_always_) compact();
      settle();
      // Servers may hold blocks in different ways.
      pack(replica_);
      if (compacts_always_) pack(log_);
      SCOPED_TRACE(::testing::Message() << "after step " << step << " at " << now_ << ": " << what);
      compare();
    }
  }

 private:
  // --- random things ---
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  std::string some_name() { return std::string(1, static_cast<char>(between('a', 'c'))); }
  // A group that exists, or null.
  GroupModel* some_group() {
    if (groups_.empty()) return nullptr;
    auto found = groups_.begin();
    std::advance(found, between(0, groups_.size() - 1));
    name_ = found->first;
    return &found->second;
  }
  Group& group(Log& log) { return *log.group(name_); }
  std::pair<uint64_t, uint64_t> some_range() {
    const uint64_t from = between(model_.first() > 3 ? model_.first() - 3 : 1, model_.next + 3);
    return {from, chance(2) ? from : from + between(0, chance(5) ? INT64_MAX - from : 80)};
  }
  std::optional<Retry> some_retry() {
    if (chance(5)) return std::nullopt;
    return Retry{.retry_ms = static_cast<uint32_t>(between(1, longest_retry_)),
                 .expire_ms = chance(2) ? 0 : between(1, 4 * longest_retry_)};
  }

  // --- steps ---
  const char* take_step() {
    if (model_.messages.size() > kMostMessages) return evict(model_.first() + kMostMessages / 2);
    switch (between(0, 29)) {
      case 0:
        return evict(model_.first() + between(0, model_.messages.size() / (chance(5) ? 1 : 8)));
      case 1:
        return set_retention();
      case 2:
        return enforce_age();
      case 3:
        return chance(3) ? seek() : "nothing";
      case 4:
        return chance(3) ? drop() : repeat();
      case 5:
        return change_settings();
      case 6:
        return give_up_in_all();
      case 7:
        return reload();
      case 8:
        return fail_over();
      case 9:
        return chance(2) ? postpone() : compact();
      case 10:
      case 11:
      case 12:
        return nack();
      case 13:
      case 14:
      case 15:
      case 16:
        return acknowledge();
      case 17:
      case 18:
      case 19:
      case 20:
        return pass_time();
      case 21:
      case 22:
      case 23:
        return write();
      default:
        return read();
    }
  }

  const char* write() {
    const uint64_t count = chance(3) ? between(2, 90) : between(1, 5);
    model_.tick(now_);
    for (Log* log : {&log_, &replica_}) log->tick(UnixMs(now_));
    for (uint64_t i = 0; i < count; ++i) {
      const std::string tag = "tag " + std::to_string(between(0, chance(2) ? 60 : 3));
      const std::string entry(between(0, 20), 'e');
      model_.append(tag, entry);
      for (Log* log : {&log_, &replica_}) log->append(tag, entry, kLimits);
    }
    const uint64_t evicted = model_.enforce_size_limits();
    for (Log* log : {&log_, &replica_}) EXPECT_EQ(log->enforce_size_limits(), evicted);
    tell_model_of_eviction();
    return "write";
  }

  const char* read() {
    name_ = some_name();
    const auto retry = some_retry();
    const uint64_t count = chance(4) ? between(0, 150) : between(1, 12);
    std::optional<std::string> consumer;
    if (chance(2)) consumer = "consumer " + std::to_string(between(1, 3));

    if (!groups_.contains(name_)) {
      const uint64_t start = chance(2) ? model_.first() : model_.next;
      groups_.emplace(name_, GroupModel{.next = start});
      log_.create_group(name_, Offset(start));
    }
    GroupModel& model = groups_.at(name_);
    give_up(model);
    Delivery delivery = group(log_).plan(log_.next(), count, UnixMs(now_), retry, consumer, default_pending_max_);
    log_.locate(delivery);
    group(log_).apply(delivery);
    const auto applied = apply_delivery(replica_, encode_effect(name_, delivery));
    EXPECT_TRUE(applied) << applied.error().text;
    if (!retry) {
      group(log_).finish(delivery.again);
      EXPECT_TRUE(apply_finish(replica_, encode_effect(name_, delivery.again)));
    }

    std::vector<ModelDelivery> delivered;
    for (size_t i = 0; i < delivery.again.size(); ++i) {
      delivery.again[i].each([&](Offset offset) { delivered.push_back({offset.value(), delivery.attempts[i]}); });
    }
    Message message{};
    Log::Cursor cursor(log_, delivery.fresh_first);
    for (uint64_t i = 0; i < delivery.fresh_count && cursor.next(message); ++i) {
      delivered.push_back({message.offset.value(), 1});
    }
    EXPECT_EQ(delivered, model.read(model_, count, now_, retry, consumer, default_pending_max_));
    for (const ModelDelivery& each : delivered) promise_after_delivery(each.offset, model);
    return "read";
  }

  // This check uses neither the model nor the engine, only what workers were promised.
  void promise_after_delivery(uint64_t offset, const GroupModel& model) {
    auto& not_before = not_before_[name_];
    const auto promised = not_before.find(offset);
    if (promised != not_before.end()) {
      EXPECT_LE(promised->second, now_) << offset << " is delivered too early, or after it was done";
    }
    const auto pending = model.pending.find(offset);
    not_before[offset] = pending == model.pending.end() ? UINT64_MAX : pending->second.retry_at;
  }

  // Does the work in slices, as the module does, until nothing is left to do.
  void give_up(GroupModel& model) {
    const std::vector<ModelGivenUp> expected = model.due_to_give_up(now_);
    model.give_up(expected);
    std::vector<ModelGivenUp> given_up;
    const uint64_t limit = chance(3) ? between(1, 4) : 1000;
    do {
      const GivingUp giving_up = group(log_).give_up_due(UnixMs(now_), limit);
      group(log_).apply(giving_up);
      if (giving_up.empty()) continue;
      const auto applied = apply_giving_up(replica_, encode_effect(name_, giving_up));
      EXPECT_TRUE(applied) << applied.error().text;
      for (const GivingUp::Part& part : giving_up.parts) {
        part.messages.each([&](Offset offset) {
          given_up.push_back({offset.value(), part.attempts, part.expired});
          not_before_[name_][offset.value()] = UINT64_MAX;
        });
      }
    } while (group(log_).next_event().value_or(UnixMs(UINT64_MAX)) <= UnixMs(now_));
    std::ranges::sort(given_up);
    EXPECT_EQ(given_up, expected);
    const auto next = model.next_event(now_);
    EXPECT_EQ(group(log_).next_event(), next ? std::optional(UnixMs(*next)) : std::nullopt);
  }
  const char* give_up_in_all() {
    for (auto& [name, model] : groups_) {
      name_ = name;
      give_up(model);
    }
    return "give_up_due";
  }
  // The dead letters cannot be written: messages that should be given up wait.
  const char* postpone() {
    GroupModel* model = some_group();
    if (model == nullptr) return "nothing";
    GivingBack back{.at = UnixMs(now_ + between(1, 1000)), .how = {.postpones_expiry = true}, .pieces = {}};
    const std::vector<ModelGivenUp> expected = model->due_to_give_up(now_);
    for (const ModelGivenUp& each : expected) {
      model->give_back(each.offset, each.offset, back.at.value(), back.how);
      not_before_[name_][each.offset] = back.at.value();
    }
    for (const GivingUp::Part& part : group(log_).give_up_due(UnixMs(now_), SIZE_MAX).parts) {
      const Offset last = part.messages.first + 63 - static_cast<uint64_t>(std::countl_zero(part.messages.bits));
      back.pieces.push_back({part.messages.first, last});
    }
    give_back(back);
    return "postpone";
  }
  uint64_t give_back(const GivingBack& back) {
    uint64_t count = 0;
    for (const GivingBack::Piece& piece : back.pieces) {
      count += group(log_).give_back(piece.from, piece.to, back.at, back.how);
    }
    const auto applied = apply_giving_back(replica_, encode_effect(name_, back));
    EXPECT_TRUE(applied) << applied.error().text;
    return count;
  }

  const char* acknowledge() {
    GroupModel* model = some_group();
    if (model == nullptr) return "nothing";
    const auto [from, to] = some_range();
    const auto consumer = some_consumer();
    for (uint64_t offset = from; offset <= std::min(to, model_.next); ++offset) {
      if (model->names(offset, from, to, consumer)) not_before_[name_][offset] = UINT64_MAX;
    }
    const uint64_t count = model->acknowledge(from, to, consumer);
    for (Log* log : {&log_, &replica_}) {
      uint64_t gone = 0;
      for (const PendingPart& part : named_by(group(*log), from, to, consumer)) {
        gone += group(*log).acknowledge(part.messages.first, part.messages.end() - 1);
      }
      EXPECT_EQ(gone, count);
    }
    return "acknowledge";
  }
  const char* nack() {
    GroupModel* model = some_group();
    if (model == nullptr) return "nothing";
    const auto [from, to] = some_range();
    const auto consumer = some_consumer();
    GivingBack back{.at = UnixMs(now_ + (chance(2) ? 0 : between(1, longest_retry_))),
                    .how = {.postpones_expiry = false, .releases = chance(2), .is_uncounted = chance(3)},
                    .pieces = {}};
    for (uint64_t offset = from; offset <= std::min(to, model_.next); ++offset) {
      if (model->names(offset, from, to, consumer)) not_before_[name_][offset] = back.at.value();
    }
    for (const PendingPart& part : named_by(group(log_), from, to, consumer)) {
      back.pieces.push_back({part.messages.first, part.messages.end() - 1});
    }
    EXPECT_EQ(give_back(back), model->give_back(from, to, back.at.value(), back.how, consumer));
    return "give back";
  }
  const char* repeat() {
    GroupModel* model = some_group();
    const auto consumer = some_consumer();
    if (model == nullptr || !consumer) return "nothing";
    const auto [from, to] = some_range();
    const uint64_t count = between(1, 80);
    Repetition again{UnixMs(now_), static_cast<uint32_t>(between(1, longest_retry_)), {}};
    std::vector<uint64_t> offsets;
    for (const PendingPart& part : group(log_).held_by(*consumer, Offset(from), count, SIZE_MAX)) {
      again.messages.push_back(part.messages);
      part.messages.each([&](Offset offset) { offsets.push_back(offset.value()); });
    }
    group(log_).repeat(again.messages, again.at, again.retry_ms);
    EXPECT_TRUE(apply_repetition(replica_, encode_effect(name_, again)));
    EXPECT_EQ(offsets, model->repeat(*consumer, from, count, now_, again.retry_ms));
    for (const uint64_t offset : offsets) not_before_[name_][offset] = now_ + again.retry_ms;
    return "repeat";
  }
  std::optional<std::string> some_consumer() {
    if (chance(2)) return std::nullopt;
    return "consumer " + std::to_string(between(1, 3));
  }
  static std::vector<PendingPart> named_by(const Group& group, uint64_t from, uint64_t to,
                                           const std::optional<std::string>& consumer) {
    std::optional<ByteView> name;
    if (consumer) name = *consumer;
    PendingSearch all;
    return group.pending_in(Offset(from), Offset(to), name, all);
  }
  const char* evict(uint64_t before) {
    const uint64_t evicted = model_.evict_before(before);
    for (Log* log : {&log_, &replica_}) EXPECT_EQ(log->evict_before(Offset(before)), evicted);
    tell_model_of_eviction();
    return "evict";
  }
  const char* enforce_age() {
    const uint64_t evicted = model_.enforce_age(now_);
    EXPECT_EQ(log_.enforce_age(UnixMs(now_)), evicted);
    replica_.evict_before(log_.first());
    tell_model_of_eviction();
    return "enforce_age";
  }
  const char* set_retention() {
    model_.retention = {.count = chance(2) ? 0 : between(50, 300),
                        .age_ms = chance(2) ? 0 : between(100, 20'000),
                        .bytes = chance(2) ? 0 : between(500, 5000),
                        .acked = chance(2),
                        .latest = chance(2)};
    for (Log* log : {&log_, &replica_}) log->set_retention(model_.retention);
    return "set_retention";
  }
  const char* seek() {
    GroupModel* model = some_group();
    if (model == nullptr) return "nothing";
    const uint64_t to = between(model_.first(), model_.next);
    model->seek(to);
    for (Log* log : {&log_, &replica_}) group(*log).seek(Offset(to), log->missing_from(Offset(to)));
    not_before_.erase(name_);
    return "seek";
  }
  const char* drop() {
    if (some_group() == nullptr) return "nothing";
    groups_.erase(name_);
    not_before_.erase(name_);
    for (Log* log : {&log_, &replica_}) EXPECT_TRUE(log->drop_group(name_));
    return "drop";
  }
  const char* change_settings() {
    GroupModel* model = some_group();
    if (model == nullptr) return "nothing";
    model->settings = {.pending_max = chance(2) ? 0 : between(1, 60),
                       .max_attempts = chance(2) ? 0 : static_cast<uint32_t>(between(1, 4)),
                       .dead_letter = chance(2) ? "" : "dead " + some_name(),
                       .idle_ms = 0};
    for (Log* log : {&log_, &replica_}) group(*log).set(model->settings);
    return "set";
  }
  const char* pass_time() {
    now_ += chance(20) ? between(0, 100'000) : chance(3) ? between(0, longest_retry_) : between(0, 5);
    return "time passes";
  }
  const char* reload() {
    auto again = log_from_bytes(log_to_bytes(log_));
    EXPECT_TRUE(again) << again.error().text;
    if (!again) return "reload";
    EXPECT_TRUE(same_groups(log_, *again));
    log_ = chance(2) ? std::move(*again) : log_.clone();
    return "reload or clone";
  }
  // The replica is told which messages are removed, and nothing else.
  const char* compact() {
    if (!model_.retention.latest) return "nothing";
    const uint64_t budget = chance(3) ? 1'000 : between(1, 50);
    for (uint64_t slices = chance(3) ? 10'000 : 1; slices > 0 && log_.wants_compaction(); --slices) {
      const Removal removal = log_.compact(kTestTagKey, budget, kLimits);
      if (removal.empty()) continue;
      const auto applied = apply_removal(replica_, encode_effect(removal), kLimits);
      EXPECT_TRUE(applied) << applied.error().text;
      for (const Removal::Range& range : removal.ranges) {
        for (Offset offset = range.from; offset < range.to; ++offset) {
          EXPECT_TRUE(model_.remove(offset.value()));
          for (auto& [name, model] : groups_) model.on_compacted(offset.value());
        }
      }
      for (auto& [name, model] : groups_) model.on_first(model_.first());
    }
    return "compact";
  }
  const char* fail_over() {
    std::swap(log_, replica_);
    return "fail over";
  }

  // --- after each step ---
  void tell_model_of_eviction() {
    for (const uint64_t offset : std::exchange(model_.just_evicted, {})) {
      for (auto& [name, model] : groups_) model.on_evicted(offset);
    }
    for (auto& [name, model] : groups_) model.on_first(model_.first());
  }
  void pack(Log& log) {
    while (log.has_unpacked()) log.pack_next(test_packer(), 1);
  }
  void settle() {
    uint64_t evicted = 0;
    const auto all_are_done_with = [&](uint64_t offset) {
      return std::ranges::all_of(groups_, [&](const auto& named) { return named.second.is_done_with(offset); });
    };
    if (model_.retention.acked && !groups_.empty()) {
      while (!model_.messages.empty() && all_are_done_with(model_.first())) {
        evicted += model_.evict_before(model_.first() + 1);
      }
    }
    for (Log* log : {&log_, &replica_}) EXPECT_EQ(log->enforce_acked(), evicted);
    tell_model_of_eviction();
  }

  void compare() {
    for (const Log* log : {&log_, &replica_}) {
      SCOPED_TRACE(log == &log_ ? "the log" : "its replica");
      ASSERT_STREQ(log->check(), nullptr);
      ASSERT_EQ(log->first(), Offset(model_.first()));
      ASSERT_EQ(log->next(), Offset(model_.next));
      ASSERT_EQ(log->groups().size(), groups_.size());
      for (const auto& [name, model] : groups_) {
        SCOPED_TRACE(name);
        compare_group(log->groups().at(name), model);
      }
    }
  }
  void compare_group(const Group& group, const GroupModel& model) {
    ASSERT_EQ(group.next(), Offset(model.next));
    ASSERT_EQ(pending_of(group), model.listed());
    ASSERT_EQ(group.settings(), model.settings);
    ASSERT_EQ(group.counters().lost, model.counters.lost);
    ASSERT_EQ(group.counters(), model.counters);
    ASSERT_EQ(group.fresh_is_next(), model.fresh_is_next);
    ASSERT_EQ(group.consumers().count(), model.consumers().size());
    const auto undelivered = std::ranges::count_if(
        model_.messages, [&](const ModelMessage& message) { return message.offset >= model.next; });
    ASSERT_EQ(group.lag(log_.next()), static_cast<uint64_t>(undelivered));
  }

  std::mt19937_64 random_;
  bool compacts_always_ = false;
  uint64_t default_pending_max_;
  uint64_t longest_retry_;
  uint64_t now_ = 1000;
  Log log_;
  Log replica_;
  LogModel model_;
  std::map<std::string, GroupModel> groups_;
  std::string name_;  // the group that a step is about
  // When a worker may see an offset of a group again.
  std::map<std::string, std::map<uint64_t, uint64_t>> not_before_;
};

void run_histories(bool compacted) {
  run_seeds(kSeeds, [&](uint64_t seed) {
    History history(seed);
    if (compacted) history.force_compaction();
    history.run();
  });
}

TEST(GroupModel, RandomHistoriesAgreeWithTheModel) { run_histories(false); }

TEST(GroupModel, RandomHistoriesAgreeWithTheModelWhenTheLogIsCompactedAndPackedAtEveryStep) { run_histories(true); }

}  // namespace
}  // namespace millrace::testing
