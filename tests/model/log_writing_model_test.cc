// A log with ids, a schedule, deletions and back-pressure, compared with the simplest model: a list of messages, a list
// of those that wait, a map of ids. After every step of a random history both answer and hold the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/log/log_operations.h"
#include "tests/model/frames.h"
#include "tests/model/log_bytes.h"
#include "tests/model/seeds.h"

namespace millrace::testing {
namespace {

constexpr uint64_t kSeeds = 1000;
constexpr int kSteps = 200;
const std::vector<std::string> kTags = {"new", "paid", "sent"};

class NoOthers final : public OtherLogs {
 public:
  Result<void> may_write(const Place<Log>&, ByteView) override { return {}; }
  bool write(const Place<Log>&, ByteView, const WriteRequest&) override { return false; }
};

// What a read gives, one line for each entry.
class Lines final : public MessageSink {
 public:
  void begin(const LogBounds&, std::optional<uint64_t>) override {}
  void evicted(uint64_t count) override { lines.insert(lines.end(), count, "null"); }
  void message(const Message& message, uint32_t) override {
    lines.push_back(std::to_string(message.offset.value()) + " " + std::string(message.tag) + " " +
                    std::string(message.entry));
  }
  void end(uint64_t told) override { EXPECT_EQ(told, lines.size()); }
  void frame(ByteView frame) override {
    const ReadFrame read = read_frame(frame);
    EXPECT_EQ(read.failure, "");
    for (const FrameMessage& message : read.messages) {
      lines.push_back(std::to_string(message.offset.value()) + " " + message.tag + " " + message.entry);
    }
    end_of_frame = read.head.end;
  }
  std::vector<std::string> lines;
  Offset end_of_frame;
};

struct Model {
  struct Message {
    std::string tag;
    std::string entry;
    bool is_deleted = false;
  };
  struct Waiting {
    uint64_t date;
    uint64_t number;
    std::string tag;
    std::string entry;
  };
  struct Known {
    uint64_t date;
    std::string answer;
  };

  std::vector<Message> messages;  // of all offsets, from 1 on
  uint64_t evicted = 0;           // how many were evicted at the front
  std::vector<Waiting> waiting;
  uint64_t tickets = 0;
  std::map<std::string, Known> ids;
  uint64_t group = 0;  // how many offsets a group without pending messages has passed

  uint64_t alive() const {
    return static_cast<uint64_t>(std::ranges::count(messages.begin() + static_cast<ptrdiff_t>(evicted), messages.end(),
                                                    false, &Message::is_deleted));
  }
  uint64_t alive_from(uint64_t passed) const {
    uint64_t count = 0;
    for (uint64_t i = std::max(passed, evicted); i < messages.size(); ++i) count += messages[i].is_deleted ? 0 : 1;
    return count;
  }
  // As a limit by count does: evicts messages, and deleted ones before them.
  void keep(uint64_t count) {
    while (alive() > count) ++evicted;
  }
  std::vector<std::string> read(uint64_t from, uint64_t count, bool skip) const {
    std::vector<std::string> lines;
    for (uint64_t at = from; at <= messages.size() && lines.size() < count; ++at) {
      const bool is_gone = at <= evicted || messages[at - 1].is_deleted;
      if (is_gone && skip) continue;
      lines.push_back(is_gone ? "null"
                              : std::to_string(at) + " " + messages[at - 1].tag + " " + messages[at - 1].entry);
    }
    return lines;
  }
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {
    limits_.blocks = {.bytes = static_cast<uint32_t>(between(64, 600))};
    limits_.ids_ms = between(20, 300);
    place_.put(Log());
    place_.get()->create_group("g", Offset(1));
  }

  void run() {
    for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) {
      now_ = now_ + between(0, 30);
      SCOPED_TRACE(::testing::Message() << "step " << step);
      take_step();
      ASSERT_EQ(log().check(), nullptr);
      compare();
    }
  }

 private:
  uint64_t between(uint64_t min, uint64_t max) { return min + random_() % (max - min + 1); }
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }
  Log& log() { return *place_.get(); }
  Call call() const {
    return {.now = {.wall = now_, .monotonic = MonotonicMs(1), .clock_id = 0, .served = {}, .served_period = 0}};
  }

  void take_step() {
    switch (between(0, 9)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return write();
      case 4:
        return delete_some();
      case 5:
        return change_schedule();
      case 6:
        return read_with_group();
      case 7:
        return retain();
      case 8:
        return pack_and_reload();
      default:
        return look_after();
    }
  }

  // A write is refused if it would evict messages that the group has not finished; the model's only limit is one by
  // count.
  bool is_refused(uint64_t count) const {
    return refuse_ && limit_ != 0 && model_.alive() + count > limit_ &&
           model_.alive_from(model_.group) + count > limit_;
  }
  void append(const std::string& tag, const std::string& entry) { model_.messages.push_back({tag, entry}); }
  void enforce() {
    if (limit_ != 0) model_.keep(limit_);
    model_.group = std::max(model_.group, model_.evicted);
  }

  void write() {
    std::vector<std::string> texts;
    for (uint64_t i = between(1, 4); i > 0; --i) {
      texts.push_back(kTags[random_() % kTags.size()]);
      texts.emplace_back(between(0, 40), 'x');
    }
    const std::vector<ByteView> pairs(texts.begin(), texts.end());
    WriteRequest request{.backlog = std::nullopt, .pairs = pairs};
    std::string frame;
    if (chance(3)) {
      frame = frame_of(pairs, {.bytes = static_cast<uint32_t>(between(10, 100))}, chance(2));
      request.frame = frame;
      request.pairs = {};
    }
    const std::string id = "id " + std::to_string(between(0, 15));
    if (chance(2)) request.id = id;
    std::optional<uint64_t> date;
    if (chance(3)) {
      date = chance(2) ? now_.value() + between(0, 200) : between(0, now_.value() + 200);
      request.at = UnixMs(*date);
    }
    const auto outcome = operations_.write(place_, request, call());
    std::string answer;
    if (outcome.answer) {
      answer =
          outcome.answer->ticket ? text_of(*outcome.answer->ticket) : std::to_string(outcome.answer->offset.value());
    }
    const auto known = model_.ids.find(id);
    if (request.id && known != model_.ids.end() && now_.value() - known->second.date < limits_.ids_ms) {
      ASSERT_EQ(answer, known->second.answer) << "the first answer";
      return;
    }
    if (!date && is_refused(texts.size() / 2)) {
      ASSERT_FALSE(outcome.answer);
      ASSERT_EQ(outcome.answer.error().code, ErrorCode::Refused);
      return;
    }
    ASSERT_TRUE(outcome.answer) << outcome.answer.error().text;
    const std::string expected = date ? std::to_string(*date) + "-" + std::to_string(model_.tickets + 1)
                                      : std::to_string(model_.messages.size() + 1);
    for (size_t i = 0; i < texts.size(); i += 2) {
      if (date) {
        model_.waiting.push_back({*date, ++model_.tickets, texts[i], texts[i + 1]});
      } else {
        append(texts[i], texts[i + 1]);
      }
    }
    if (!date) enforce();
    ASSERT_EQ(answer, expected);
    if (request.id) model_.ids[id] = {now_.value(), answer};
  }

  void delete_some() {
    if (chance(4)) {
      const std::string& tag = kTags[random_() % kTags.size()];
      operations_.delete_messages(place_, {{}, {tag}}, call());
      // Due messages are written first, and then it is too late to delete them.
      const size_t end = model_.messages.size();
      look_after();
      for (size_t i = 0; i < end; ++i) model_.messages[i].is_deleted |= model_.messages[i].tag == tag;
      return;
    }
    const uint64_t from = between(1, model_.messages.size() + 2);
    const uint64_t to = chance(2) ? from : from + between(0, 20);
    const auto outcome = operations_.delete_messages(place_, {{{Offset(from), Offset(to)}}, {}}, call());
    uint64_t count = 0;
    for (uint64_t at = std::max(from, model_.evicted + 1); at <= std::min<uint64_t>(to, model_.messages.size()); ++at) {
      count += model_.messages[at - 1].is_deleted ? 0 : 1;
      model_.messages[at - 1].is_deleted = true;
    }
    ASSERT_EQ(*outcome.answer, count);
  }

  void change_schedule() {
    TicketsRequest request;
    std::vector<Model::Waiting> chosen;
    for (const Model::Waiting& one : model_.waiting) {
      if (chance(2)) chosen.push_back(one);
    }
    for (const Model::Waiting& one : chosen) request.tickets.push_back({UnixMs(one.date), one.number});
    const bool is_now = chance(2);
    if (is_now && is_refused(chosen.size())) {
      ASSERT_FALSE(operations_.release_now(place_, request, call()).answer);
      return;
    }
    const auto outcome =
        is_now ? operations_.release_now(place_, request, call()) : operations_.cancel(place_, request, call());
    ASSERT_EQ(*outcome.answer, chosen.size());
    std::ranges::sort(chosen, {}, [](const Model::Waiting& one) { return std::pair(one.date, one.number); });
    for (const Model::Waiting& one : chosen) {
      if (is_now) append(one.tag, one.entry);
      std::erase_if(model_.waiting, [&](const Model::Waiting& other) { return other.number == one.number; });
    }
    if (is_now) enforce();
  }

  // Due messages are written, one after the other, until a write is refused.
  void look_after() {
    operations_.look_after(place_, call(), NoLimit::instance());
    std::ranges::sort(model_.waiting, {}, [](const Model::Waiting& one) { return std::pair(one.date, one.number); });
    while (!model_.waiting.empty() && model_.waiting.front().date <= now_.value() && !is_refused(1)) {
      append(model_.waiting.front().tag, model_.waiting.front().entry);
      model_.waiting.erase(model_.waiting.begin());
      enforce();
    }
  }

  void read_with_group() {
    ReadRequest request;
    request.group = GroupRead{.name = "g", .at_tail = false, .consumer = {}, .retry = {}};
    request.count = between(1, 20);
    Lines given;
    ASSERT_TRUE(operations_.read(place_, request, call(), given).answer);
    std::vector<std::string> expected = model_.read(model_.group + 1, request.count, true);
    ASSERT_EQ(given.lines, expected);
    if (!expected.empty()) model_.group = std::stoull(expected.back());
  }

  void retain() {
    limit_ = chance(2) ? 0 : between(1, 60);
    refuse_ = chance(2);
    RetainRequest request;
    request.count = limit_;
    request.refuse = refuse_;
    operations_.retain(place_, request, call());
    enforce();
  }

  void pack_and_reload() {
    while (log().has_unpacked() && chance(3)) log().pack_next(packer_, 1);
    if (chance(2)) {
      auto loaded = log_from_bytes(log_to_bytes(log()));
      ASSERT_TRUE(loaded) << loaded.error().text;
      place_.remove();
      place_.put(std::move(*loaded));
    } else {
      Log copy = log().clone();
      place_.remove();
      place_.put(std::move(copy));
    }
  }

  void compare() {
    ASSERT_EQ(log().next().value(), model_.messages.size() + 1);
    ASSERT_EQ(log().count(), model_.alive());
    for (const bool skip : {false, true}) {
      ReadRequest request;
      request.start = StartOffset::at(Offset(between(1, model_.messages.size() + 1)));
      request.count = between(1, 40);
      request.skip = skip;
      Lines given;
      ASSERT_TRUE(operations_.read(place_, request, call(), given).answer);
      ASSERT_EQ(given.lines, model_.read(request.from->value(), request.count, skip)) << request.from->value();
    }
    compare_frame();
    const uint64_t waiting = log().extras() == nullptr ? 0 : log().extras()->schedule.size();
    ASSERT_EQ(waiting, model_.waiting.size());
    ASSERT_EQ(log().group("g")->lag(log().next()), model_.alive_from(model_.group));
  }

  // A reader that goes on where a frame ends misses nothing and sees nothing twice.
  void compare_frame() {
    ReadRequest request;
    request.start = StartOffset::at(Offset(between(1, model_.messages.size() + 1)));
    request.count = between(1, 40);
    request.is_framed = request.skip = true;
    Lines given;
    ASSERT_TRUE(operations_.read(place_, request, call(), given).answer);
    ASSERT_EQ(given.lines, model_.read(request.from->value(), request.count, true)) << request.from->value();
    const auto rest = model_.read(request.from->value(), UINT64_MAX, true);
    ASSERT_EQ(model_.read(given.end_of_frame.value(), UINT64_MAX, true),
              std::vector(rest.begin() + static_cast<ptrdiff_t>(given.lines.size()), rest.end()));
  }

  std::mt19937_64 random_;
  NoOthers others_;
  LogLimits limits_;
  BlockPacker packer_;
  HashKey tag_key_{};
  LogOperations operations_{others_, limits_, packer_, tag_key_, [](HashKey& bytes) { bytes.fill(5); }};
  OwnPlace<Log> place_{"log"};
  UnixMs now_{10'000'000};
  Model model_;
  uint64_t limit_ = 0;
  bool refuse_ = false;
};

TEST(LogWriting, IdsSchedulesAndDeletionsAnswerLikeANaiveModel) {
  run_seeds(kSeeds, [](uint64_t seed) { History(seed).run(); });
}

}  // namespace
}  // namespace millrace::testing
