// Two engines: a leader that decides, and a follower that gets the leader's effects. After every step of a random
// history both hold the same logs. Restarts, as encoding and decoding, come in between; so do readers that wait.
//
// A failure names its seed; MILLRACE_SEED=<seed> runs that history alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/log/log_digest.h"
#include "engine/log/log_effects.h"
#include "engine/log/log_operations.h"
#include "engine/log/log_parts.h"
#include "engine/waiting/waiting_room.h"
#include "tests/model/frames.h"
#include "tests/model/log_bytes.h"
#include "tests/model/seeds.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kSeeds = 1000;
constexpr int kSteps = 250;
const std::vector<std::string> kGroups = {"billing", "audit", "search"};
const std::vector<std::string> kTags = {"new", "paid", "sent"};
constexpr const char* kLog = "orders";
constexpr const char* kLetters = "letters";

// Counts the messages that it gets.
class Counting final : public MessageSink {
 public:
  void begin(const LogBounds&, std::optional<uint64_t>) override {}
  void evicted(uint64_t count) override { entries += count; }
  void message(const Message&, uint32_t) override { ++entries; }
  void end(uint64_t told) override { EXPECT_EQ(told, entries); }
  uint64_t entries = 0;
};

// The logs of one process. Also writes dead letters on behalf of the log, and back.
class Process final : public OtherLogs {
 public:
  // Called for every write to the dead letters, or from them.
  std::function<void(const Place<Log>&, const WriteRequest&, const Consequences&)> on_write =
      [](const auto&, const auto&, const auto&) {};

  Result<void> may_write(const Place<Log>&, ByteView) override { return {}; }
  bool write(const Place<Log>&, ByteView to, const WriteRequest& request) override {
    if (refuses_letters) return false;
    OwnPlace<Log>& target = to == kLetters ? letters : log;
    EXPECT_EQ(to, target.name());
    auto [written, follow] = operations.write(target, request, {.now = now});
    on_write(target, request, follow);
    return written.has_value();
  }

  std::string facts() const {
    DigestText text;
    for (const Place<Log>* place : {static_cast<const Place<Log>*>(&log), static_cast<const Place<Log>*>(&letters)}) {
      if (place->get() != nullptr) digest(*place->get(), text);
    }
    return text.text();
  }

  // Like a server that is stopped and started again.
  void restart() {
    for (OwnPlace<Log>* place : {&log, &letters}) {
      if (place->get() == nullptr) continue;
      auto loaded = log_from_bytes(log_to_bytes(*place->get()));
      ASSERT_TRUE(loaded) << loaded.error().text;
      place->remove();
      place->put(std::move(*loaded));
    }
  }

  LogLimits limits;
  BlockPacker packer;
  HashKey tag_key{};
  LogOperations operations{*this, limits, packer, tag_key, [](HashKey& bytes) { bytes.fill(++drawn_); }};
  OwnPlace<Log> log{kLog};
  OwnPlace<Log> letters{kLetters};
  Now now;
  bool refuses_letters = false;
  static inline unsigned char drawn_ = 0;
};

struct WaitingRead : Waiter {
  std::string group;
  ReadRequest request;
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    leader_.now.wall = UnixMs(10'000'000);
    leader_.now.monotonic = MonotonicMs(500);
    leader_.limits.batches_at_once = between(1, 6);
    leader_.limits.blocks = {.bytes = static_cast<uint32_t>(between(64, 600))};
    // A follower may divide messages into blocks in another way.
    follower_.limits.blocks = {.bytes = static_cast<uint32_t>(between(64, 600))};
    leader_.on_write = [this](const Place<Log>& to, const WriteRequest& request, const Consequences& follow) {
      OwnPlace<Log>& place = to.name() == kLetters ? follower_.letters : follower_.log;
      repeat(place, follow,
             [&](OwnPlace<Log>& log) { return follower_.operations.write(log, request, kRepeating).consequences; });
    };
  }

  void run() {
    for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) {
      const char* what = take_step();
      SCOPED_TRACE(::testing::Message() << "after step " << step << ": " << what);
      ASSERT_EQ(follower_.facts(), leader_.facts());
      for (const Process* process : {&leader_, &follower_}) {
        if (process->log.get() != nullptr) {
          ASSERT_EQ(process->log.get()->check(), nullptr);
        }
      }
    }
  }

 private:
  static constexpr Call kRepeating{.now = {}, .decides = false, .may_wait = false};

  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  const std::string& any(const std::vector<std::string>& of) { return of[random_() % of.size()]; }
  Call call() const { return {.now = leader_.now, .decides = true, .may_wait = false}; }

  // Tells the follower. `repeat_request` does there what the leader was asked for.
  template <class RepeatRequest>
  void repeat(OwnPlace<Log>& place, const Consequences& follow, RepeatRequest repeat_request) {
    follow.effects.each([&] { repeat_request(place); },
                        [&](const Effect& effect) {
                          if (effect.kind == Effect::Kind::Command) {
                            ASSERT_STREQ(effect.name, kEvictCommand);
                            const EvictRequest request{.up_to = Offset(std::stoull(effect.bytes)), .keep = {}};
                            follower_.operations.evict(place, request, kRepeating);
                          } else if (effect.kind == Effect::Kind::Words) {
                            repeat_acknowledgement(place, effect.bytes);
                          } else {
                            const auto applied =
                                follower_.operations.apply(place, effect_of(effect), kRepeating).answer;
                            ASSERT_TRUE(applied) << effect.name << ": " << applied.error().text;
                          }
                        });
  }

  void repeat_acknowledgement(OwnPlace<Log>& place, ByteView bytes) {
    std::vector<ByteView> words;
    for (Decoder in(bytes); !in.finished();) words.push_back(in.bytes(in.number()));
    AckRequest request{.group = words.at(0), .consumer = {}, .ranges = {}};
    if (words.at(1) == "CONSUMER") request.consumer = words.at(2);
    for (size_t i = request.consumer ? 3 : 1; i < words.size(); ++i) {
      const std::string range(words[i]);
      request.ranges.push_back({Offset(std::stoull(range)), Offset(std::stoull(range.substr(range.find('-') + 1)))});
    }
    EXPECT_GT(follower_.operations.acknowledge(place, request, kRepeating).answer.value_or(0), 0U);
  }

  static LogEffect effect_of(const Effect& told) {
    const std::map<std::string, LogEffect::Kind> kinds = {
        {kLogDelivered, LogEffect::Kind::Delivered},    {kLogFinished, LogEffect::Kind::Finished},
        {kLogGivenUp, LogEffect::Kind::GivenUp},        {kLogGivenBack, LogEffect::Kind::GivenBack},
        {kLogRepeated, LogEffect::Kind::Repeated},      {kLogUsed, LogEffect::Kind::Used},
        {kLogDropped, LogEffect::Kind::Dropped},        {kLogCompacted, LogEffect::Kind::Compacted},
        {kLogTagsDeleted, LogEffect::Kind::TagsDeleted}};
    LogEffect effect{};
    if (told.name == std::string(kLogClock)) {
      effect.clock = UnixMs(std::stoull(told.bytes));
    } else if (told.name == std::string(kLogDue)) {
      effect.kind = LogEffect::Kind::Due;
      effect.count = std::stoull(told.bytes);
    } else if (const auto part = std::ranges::find(kLogParts, std::string(told.name), &PartKind::word);
               part != std::end(kLogParts)) {
      effect.kind = LogEffect::Kind::Part;
      effect.part = {.kind = static_cast<uint8_t>(part - kLogParts), .bytes = told.bytes, .block = {}};
    } else {
      effect.kind = kinds.at(told.name);
      effect.bytes = told.bytes;
    }
    return effect;
  }

  // Executes a request on the leader's log, tells the follower, and serves waiting readers.
  template <class Execute>
  // True if the request goes on in another turn.
  bool both(Execute execute) {
    auto outcome = execute(leader_.operations, leader_.log, call());
    tell(outcome.consequences, execute);
    return outcome.consequences.wait.has_value();
  }
  template <class Execute>
  void tell(const Consequences& follow, Execute execute) {
    repeat(follower_.log, follow, [&](OwnPlace<Log>& log) { execute(follower_.operations, log, kRepeating); });
    if (follow.wait && !follow.wait->goes_on) return;
    serve(
        [&] { return room_.find(kLog); }, follow.wake,
        [&](Waiter& waiter) {
          auto& reader = static_cast<WaitingRead&>(waiter);
          Counting sink;
          const Call how{
              .now = leader_.now, .decides = true, .may_wait = true, .in_line = room_.find(kLog)->line_length(waiter)};
          auto again = leader_.operations.read(leader_.log, reader.request, how, sink);
          repeat(follower_.log, again.consequences, [](OwnPlace<Log>&) { FAIL() << "a read is never repeated"; });
          if (again.consequences.wait) {
            room_.find(kLog)->set_mark(waiter, again.consequences.wait->mark);
            return false;
          }
          if (again.answer) {
            EXPECT_GT(sink.entries, 0U);
          }
          room_.remove(kLog, waiter);
          return true;
        });
  }

  // Both clocks go on; sometimes the wall clock is set.
  void pass_time(uint64_t ms) {
    leader_.now.wall = leader_.now.wall + ms;
    leader_.now.monotonic = leader_.now.monotonic + ms;
    if (!chance(50)) return;
    leader_.now.wall = chance(2) ? leader_.now.wall + between(0, 5000) : leader_.now.wall - between(0, 5000);
  }

  const char* take_step() {
    pass_time(chance(4) ? between(0, 300) : between(0, 2));
    leader_.refuses_letters = chance(20);
    switch (between(0, 17)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return write();
      case 4:
      case 5:
      case 6:
      case 7:
        return read();
      case 8:
        return acknowledge();
      case 9:
        return give_back();
      case 10:
        return evict();
      case 11:
        return retain();
      case 12:
        return chance(4) ? redrive() : look_after();
      case 13:
        return change_group();
      case 14:
        return wait();
      case 15:
        return delete_some();
      case 16:
        return change_schedule();
      default:
        return restart();
    }
  }

  const char* write() {
    std::vector<std::string> texts;
    for (uint64_t i = between(1, 12); i > 0; --i) {
      texts.push_back(any(kTags));
      texts.emplace_back(between(0, 40), 'x');
    }
    const std::vector<ByteView> pairs(texts.begin(), texts.end());
    WriteRequest request{.backlog = std::nullopt, .pairs = pairs};
    std::string frame;
    if (chance(4)) {
      frame = frame_of(pairs, {.bytes = static_cast<uint32_t>(between(10, 100))}, chance(2));
      request.frame = frame;
      request.pairs = {};
    }
    if (chance(10)) request.backlog = between(0, 30);
    const std::string id = "id " + std::to_string(between(0, 20));
    if (chance(3)) request.id = id;
    if (chance(4)) {
      chance(2) ? void(request.delay_ms = between(0, 500))
                : void(request.at = leader_.now.wall - 100 + between(0, 400));
    }
    if (chance(20)) leader_.limits.ids_ms = between(1, 1000);
    both([&](LogOperations& logs, Place<Log>& log, const Call& how) { return logs.write(log, request, how); });
    return "write";
  }

  ReadRequest group_read(ByteView group) {
    GroupRead read{.name = group, .at_tail = chance(4), .consumer = {}, .retry = {}, .with_attempts = chance(2)};
    if (!chance(4)) read.retry = Retry{static_cast<uint32_t>(between(1, 200)), chance(2) ? between(1, 400) : 0};
    if (chance(2)) read.consumer = any(kTags);
    ReadRequest request;
    read.is_mine = read.consumer && chance(3);
    request.group = read;
    request.start = StartOffset::before_next(between(0, 200));
    request.count = between(1, 70);
    return request;
  }

  const char* read() {
    ReadRequest request = group_read(any(kGroups));
    Counting sink;
    const auto outcome = leader_.operations.read(leader_.log, request, call(), sink);
    EXPECT_TRUE(outcome.answer);
    tell(outcome.consequences, [](LogOperations&, Place<Log>&, const Call&) {
      ADD_FAILURE() << "a read is never repeated";
      return 0;
    });
    return "read";
  }

  const char* wait() {
    auto reader = std::make_unique<WaitingRead>();
    reader->group = any(kGroups);
    if (chance(3)) {
      reader->request.start = StartOffset::before_next(between(0, 3));
      reader->request.count = 5;
      if (chance(2)) reader->request.tags = {kTags.front()};
    } else {
      reader->request = group_read(reader->group);
      reader->request.group->is_mine = false;
    }
    reader->request.block_ms = 0;
    Counting sink;
    const auto outcome = leader_.operations.read(leader_.log, reader->request,
                                                 {.now = leader_.now, .decides = true, .may_wait = true}, sink);
    repeat(follower_.log, outcome.consequences, [](OwnPlace<Log>&) { FAIL() << "a read is never repeated"; });
    if (!outcome.consequences.wait) return "a read that may wait, and is answered";
    EXPECT_EQ(sink.entries, 0U);
    room_.add(kLog, *reader, *outcome.consequences.wait);
    readers_.push_back(std::move(reader));
    return "a read that waits";
  }

  std::vector<OffsetRange> some_ranges() {
    std::vector<OffsetRange> ranges;
    const uint64_t next = leader_.log.get() == nullptr ? 1 : leader_.log.get()->next().value();
    uint64_t at = 1;
    for (uint64_t i = between(1, 3); i > 0; --i) {
      at += between(0, next);
      ranges.push_back({Offset(at), Offset(at + between(0, 20))});
      at = ranges.back().to.value() + 1;
    }
    return ranges;
  }

  std::optional<ByteView> some_consumer() {
    if (chance(2)) return std::nullopt;
    return any(kTags);
  }

  const char* acknowledge() {
    AckRequest request{.group = any(kGroups), .consumer = some_consumer(), .ranges = some_ranges()};
    const bool in_parts = chance(2);
    while (both([&](LogOperations& logs, Place<Log>& log, const Call& how) {
      return logs.acknowledge(log, request,
                              {.now = how.now, .decides = how.decides, .may_wait = how.decides && in_parts});
    })) {
    }
    return in_parts ? "acknowledge in parts" : "acknowledge";
  }

  // Given back, given up at once, or kept for longer.
  const char* give_back() {
    if (chance(4)) {
      const ExtendRequest request{any(kGroups), some_consumer(), between(1, 300), some_ranges()};
      both([&](LogOperations& logs, Place<Log>& log, const Call& how) { return logs.extend(log, request, how); });
      return "extend";
    }
    NackRequest request{.group = any(kGroups),
                        .consumer = some_consumer(),
                        .delay_ms = chance(2) ? between(0, 100) : 0,
                        .is_uncounted = chance(3),
                        .dead_because = {},
                        .ranges = some_ranges()};
    if (chance(4)) request.dead_because = "poison";
    both([&](LogOperations& logs, Place<Log>& log, const Call& how) { return logs.give_back(log, request, how); });
    return "give back";
  }

  const char* evict() {
    EvictRequest request{.up_to = {}, .keep = between(0, 200)};
    if (chance(2) && leader_.log.get() != nullptr) {
      request = {.up_to = leader_.log.get()->first() + between(0, 30), .keep = std::nullopt};
    }
    both([&](LogOperations& logs, Place<Log>& log, const Call& how) { return logs.evict(log, request, how); });
    return "evict";
  }

  const char* delete_some() {
    DeleteRequest request;
    chance(3) ? void(request.tags = {any(kTags)}) : void(request.ranges = some_ranges());
    const Log* const log = leader_.log.get();
    if (chance(3) && log != nullptr) request = {{{log->last(), log->last()}}, {}};
    both([&](auto& logs, auto& place, const Call& how) { return logs.delete_messages(place, request, how); });
    return "delete";
  }

  const char* change_schedule() {
    TicketsRequest request;
    const Log* const log = leader_.log.get();
    if (log == nullptr || log->extras() == nullptr) return "change no schedule";
    log->extras()->schedule.each([&](const Schedule::Waiting& one) {
      if (chance(3)) request.tickets.push_back(one.ticket);
    });
    request.tickets.push_back({UnixMs(1), 1});
    const bool is_now = chance(2);
    both([&](LogOperations& logs, Place<Log>& place, const Call& how) {
      return is_now ? logs.release_now(place, request, how) : logs.cancel(place, request, how);
    });
    return is_now ? "release now" : "cancel";
  }

  const char* retain() {
    RetainRequest request;
    if (chance(3)) request.count = chance(2) ? 0 : between(1, 200);
    if (chance(3)) request.age_ms = chance(2) ? 0 : between(1, 500);
    if (chance(3)) request.bytes = chance(2) ? 0 : between(100, 4000);
    if (chance(4)) request.latest = chance(2);
    if (chance(4)) request.acked = chance(3);
    if (chance(6)) request.ids_ms = chance(2) ? 0 : static_cast<uint32_t>(between(1, 600));
    if (chance(4)) request.refuse = chance(2);
    both([&](LogOperations& logs, Place<Log>& log, const Call& how) { return logs.retain(log, request, how); });
    return "retain";
  }

  const char* look_after() {
    Consequences follow = leader_.operations.look_after(leader_.log, call(), NoLimit());
    tell(follow, [](LogOperations&, Place<Log>&, const Call&) {
      ADD_FAILURE() << "nobody has asked for anything";
      return 0;
    });
    return "look after";
  }

  const char* change_group() {
    const std::string& group = any(kGroups);
    switch (between(0, 4)) {
      case 4: {
        using Where = SeekGroupRequest::Where;
        CreateGroupRequest request{{chance(2) ? Where::First : Where::Next, group, {}}, {group, {}, {}, {}}};
        if (chance(3)) request.at = {Where::AtOffset, group, Offset(between(1, 300))};
        if (chance(2)) request.settings.max_attempts = static_cast<uint32_t>(between(0, 4));
        if (chance(2)) request.settings.idle_ms = between(0, 2000);
        both([&](LogOperations& logs, Place<Log>& log, const Call& how) {
          return logs.create_group(log, request, how);
        });
        return "create a group";
      }
      case 0:
        both([&](LogOperations& logs, Place<Log>& log, const Call& how) { return logs.drop_group(log, group, how); });
        return "drop a group";
      case 1: {
        using Where = SeekGroupRequest::Where;
        SeekGroupRequest request{chance(2) ? Where::First : Where::Next, group, {}};
        if (chance(2)) request = {Where::AtOffset, group, Offset(between(1, 300))};
        both([&](LogOperations& logs, Place<Log>& log, const Call& how) { return logs.seek_group(log, request, how); });
        return "seek";
      }
      default: {
        SetGroupRequest request{group, {}, {}, {}};
        if (chance(2)) request.pending_max = between(0, 50);
        if (chance(2)) request.max_attempts = static_cast<uint32_t>(between(0, 4));
        if (chance(2)) request.dead_letter = chance(3) ? ByteView() : ByteView(kLetters);
        if (chance(3)) request.idle_ms = between(0, 1000);
        both([&](LogOperations& logs, Place<Log>& log, const Call& how) { return logs.set_group(log, request, how); });
        return "set a group";
      }
    }
  }

  // The dead letters go back: the follower is told what is written to the log and what is evicted.
  const char* redrive() {
    const auto outcome = leader_.operations.redrive(leader_.letters, {.count = between(1, 20), .to = {}}, call());
    repeat(follower_.letters, outcome.consequences, [](OwnPlace<Log>&) { FAIL() << "a redrive is never repeated"; });
    return "redrive";
  }

  const char* restart() {
    (chance(2) ? leader_ : follower_).restart();
    return "restart";
  }

  std::mt19937_64 random_;
  Process leader_;
  Process follower_;
  WaitingRoom<std::string> room_;
  std::vector<std::unique_ptr<WaitingRead>> readers_;
};

TEST(LogReplication, AFollowerThatGetsTheEffectsHoldsTheSame) {
  run_seeds(kSeeds, [](uint64_t seed) { History(seed).run(); });
}

}  // namespace
}  // namespace millrace::testing
