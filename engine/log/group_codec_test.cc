#include "engine/log/group_codec.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "engine/log/group_effects.h"
#include "tests/model/group_view.h"

namespace millrace {
namespace {

using testing::pending_of;
using testing::same_groups;

constexpr uint64_t kTooLarge = uint64_t{1} << 63;
constexpr uint64_t kDateTooLarge = kNeverExpires + 1;  // encoded: such dates are stored plus one
constexpr Retry kRetry100{.retry_ms = 100, .expire_ms = 0};

std::string numbers(std::initializer_list<uint64_t> values) {
  std::string bytes;
  for (uint64_t value : values) append_varint(bytes, value);
  return bytes;
}
// The encoding of a name or key.
std::string named(const std::string& text) { return numbers({text.size()}) + text; }
std::string holder(const std::string& text) { return numbers({text.size() + 1}) + text; }

// Messages 11 to 30 exist.
Log some_log() {
  Log log;
  for (int i = 0; i < 30; ++i) log.append("t", "e");
  log.evict_before(Offset(11));
  return log;
}
// The same with a group "g" that has delivered messages 11 to 24.
Log log_with_group() {
  Log log = some_log();
  log.create_group("g", Offset(25));
  return log;
}
void read(Log& log, uint64_t count, uint64_t now, std::optional<Retry> retry, std::optional<ByteView> consumer) {
  Group& group = *log.group("g");
  group.apply(group.give_up_due(UnixMs(now), SIZE_MAX));
  group.apply(group.plan(log.next(), count, UnixMs(now), retry, consumer, 1'000'000));
}

Log reloaded(const Log& log) {
  Log again = log.clone();
  for (const auto& [name, group] : log.groups()) {
    again.drop_group(name);
    const auto restored = restore_group(again, encode_group(name, group));
    EXPECT_TRUE(restored) << restored.error().text;
    for (const std::string& part : encode_pending(name, group)) {
      const auto pending = restore_pending(again, part);
      EXPECT_TRUE(pending) << pending.error().text;
    }
  }
  EXPECT_STREQ(again.check(), nullptr);
  return again;
}

TEST(GroupCodec, WritesTheBytesThatItsHeaderDescribes) {
  Log log = log_with_group();
  Group& group = *log.group("g");
  group.restore({.lost = 1, .expired = 2, .exhausted = 3, .redelivered = 300});
  group.set({.pending_max = 4, .max_attempts = 5, .dead_letter = "dl"});
  EXPECT_EQ(encode_group("g", group), named("g") + numbers({25, 1, 2, 3, 300, 4, 5}) + named("dl"));
  EXPECT_TRUE(encode_pending("g", group).empty());
  group.set({.pending_max = 4, .max_attempts = 5, .dead_letter = "dl", .idle_ms = 600});
  group.set_used(UnixMs(700));
  group.restore_clock(UnixMs(800));
  group.restore_turn(true);
  EXPECT_EQ(encode_group("g", group),
            named("g") + numbers({25, 1, 2, 3, 300, 4, 5}) + named("dl") + numbers({1, 600, 700, 800}));
  EXPECT_EQ(encode_effect("g", UnixMs(9)), named("g") + numbers({9}));
  group.restore_pending({Offset(12), 0b110}, {.retry_at = 7, .expire_at = 9, .retry_ms = 3, .attempts = 2}, "c");
  group.restore_pending({Offset(20), 1}, {.retry_at = 8, .retry_ms = 4}, {});
  EXPECT_EQ(encode_pending("g", group),
            std::vector{named("g") + numbers({13, 0b11, 7, 3, 10, 2}) + holder("c") + numbers({7, 1, 8, 4, 0, 1, 0})});
  EXPECT_EQ(encode_effect("g", Delivery{.at = UnixMs(5),
                                        .consumer = "c",
                                        .retry_ms = 100,
                                        .expire_at = 50,
                                        .again = {{Offset(13), 3}},
                                        .fresh_first = Offset(25),
                                        .fresh_count = 2}),
            named("g") + numbers({5}) + holder("c") + numbers({100, 51, 25, 2, 13, 3}));
  EXPECT_EQ(encode_effect("g", GivingUp{{{{Offset(13), 3}, 2, true}, {{Offset(20), 1}, 1, false}}}),
            named("g") + numbers({13, 3, 2, 1, 20, 1, 1, 0}));
  EXPECT_EQ(encode_effect("g", GivingBack{UnixMs(9), {.postpones_expiry = true}, {{Offset(13), Offset(14)}}}),
            named("g") + numbers({9, 1, 13, 14}));
  EXPECT_EQ(encode_effect("g", GivingBack{UnixMs(9), {.releases = true, .is_uncounted = true}, {}}),
            named("g") + numbers({9, 6}));
  EXPECT_EQ(encode_effect("g", Repetition{UnixMs(9), 50, {{Offset(13), 3}}}), named("g") + numbers({9, 50, 13, 3}));
  EXPECT_EQ(encode_effect("g", std::vector<OffsetBits>{{Offset(13), 3}}), named("g") + numbers({13, 3}));
}

TEST(GroupCodec, RestoredGroupsEqualTheSavedOnes) {
  Log log = some_log();
  log.create_group("", log.next());
  log.create_group(std::string("\0\xff", 2), log.first())
      .set({.pending_max = 1, .max_attempts = 65535, .dead_letter = "d"});
  log.create_group("g", log.first());
  read(log, 4, 1000, kRetry100, "a consumer with a long name");
  read(log, 4, 1010, Retry{.retry_ms = 50, .expire_ms = 500}, "");
  read(log, 3, 1020, kRetry100, {});
  log.group("g")->acknowledge(Offset(11), Offset(12));
  log.group("g")->acknowledge(Offset(16), Offset(16));
  read(log, 2, 1200, kRetry100, "other");
  EXPECT_TRUE(same_groups(log, reloaded(log)));
}

TEST(GroupCodec, ManyPendingMessagesAreEncodedAsSeveralStrings) {
  Log log;
  for (int i = 0; i < 2500; ++i) log.append("t", "e");
  log.create_group("g", log.first());
  for (uint64_t i = 0; i < 2500; ++i) read(log, 1, i, Retry{.retry_ms = 100'000, .expire_ms = 0}, {});
  EXPECT_EQ(encode_pending("g", *log.group("g")).size(), 3u);
  EXPECT_TRUE(same_groups(log, reloaded(log)));
}

TEST(GroupCodec, EffectsMakeAReplicaEqual) {
  Log log = some_log(), replica = some_log();
  Group& group = log.create_group("g", log.first());
  const auto told = [&](const auto& applied) {
    EXPECT_TRUE(applied) << applied.error().text;
    EXPECT_STREQ(replica.check(), nullptr);
    EXPECT_TRUE(same_groups(log, replica));
  };
  const auto deliver = [&](uint64_t now, std::optional<Retry> retry, std::optional<ByteView> consumer) {
    const Delivery delivery = group.plan(log.next(), 5, UnixMs(now), retry, consumer, 1000);
    group.apply(delivery);
    told(apply_delivery(replica, encode_effect("g", delivery)));
    return delivery.count();
  };
  EXPECT_EQ(deliver(1000, Retry{.retry_ms = 100, .expire_ms = 300}, "c"), 5u) << "the replica makes the group";
  group.give_back(Offset(12), Offset(13), UnixMs(1010));
  told(apply_giving_back(replica, encode_effect("g", GivingBack{UnixMs(1010), {}, {{Offset(12), Offset(13)}}})));
  EXPECT_TRUE(group.give_up_due(UnixMs(1050), 1000).empty());
  EXPECT_EQ(deliver(1050, {}, {}), 5u) << "two again, three fresh and done at once";
  const GivingUp giving_up = group.give_up_due(UnixMs(1300), 1000);
  EXPECT_FALSE(giving_up.empty());
  group.apply(giving_up);
  told(apply_giving_up(replica, encode_effect("g", giving_up)));
  EXPECT_EQ(replica.group("g")->counters().expired, 5u);
}

TEST(GroupCodec, AnEmptyDeliveryCreatesAGroupAtItsStart) {
  for (const uint64_t begin : {11u, 20u, 31u}) {
    Log replica = some_log();
    Delivery delivery;
    delivery.fresh_first = Offset(begin);
    ASSERT_TRUE(apply_delivery(replica, encode_effect("new", delivery)));
    EXPECT_EQ(replica.group("new")->next(), Offset(begin));
    EXPECT_STREQ(replica.check(), nullptr);
  }
}

TEST(GroupCodec, ADeliveryFromBeforeTheLogStartsAtTheFirstMessage) {
  Log replica = some_log();
  Delivery delivery;
  delivery.fresh_first = Offset(10);
  ASSERT_TRUE(apply_delivery(replica, encode_effect("new", delivery)));
  EXPECT_EQ(replica.group("new")->next(), replica.first());
}

// --- what is refused ---

struct CorruptRow {
  const char* name;
  std::string bytes;
  const char* reason;
};

template <class Apply, size_t size>
void expect_refused(Apply apply, const CorruptRow (&rows)[size]) {
  for (const CorruptRow& row : rows) {
    SCOPED_TRACE(row.name);
    Log log = log_with_group();
    log.group("g")->restore_pending({Offset(12), 0b101}, {.retry_at = 7, .retry_ms = 3}, "c");
    const Log before = log.clone();
    const auto applied = apply(log, row.bytes);
    ASSERT_FALSE(applied) << "it was accepted";
    EXPECT_EQ(applied.error().code, ErrorCode::Corrupt);
    EXPECT_EQ(applied.error().text, row.reason);
    EXPECT_TRUE(same_groups(log, before)) << "it is not unchanged";
  }
}

TEST(GroupCodec, RefusesAnInvalidGroup) {
  constexpr char kLength[] = "a group of the wrong length";
  constexpr char kNumber[] = "a group with an impossible number";
  constexpr char kDates[] = "a group with impossible dates";
  const std::string end = named("");
  expect_refused(
      restore_group,
      {
          {"nothing", "", kLength},
          {"a name beyond the end", numbers({5}) + "new", kLength},
          {"a number missing", named("new") + numbers({11, 0, 0, 0, 0, 0}), kLength},
          {"no dead letter", named("new") + numbers({11, 0, 0, 0, 0, 0, 0}), kLength},
          {"a dead letter beyond the end", named("new") + numbers({11, 0, 0, 0, 0, 0, 0, 9}), kLength},
          {"a byte too many", named("new") + numbers({11, 0, 0, 0, 0, 0, 0}) + end + numbers({1, 2, 3, 4}) + "x",
           kLength},
          {"a number missing at its end", named("new") + numbers({11, 0, 0, 0, 0, 0, 0}) + end + numbers({1, 2, 3}),
           kLength},
          {"an impossible turn", named("new") + numbers({11, 0, 0, 0, 0, 0, 0}) + end + numbers({2, 0, 0, 0}), kDates},
          {"idle for too long",
           named("new") + numbers({11, 0, 0, 0, 0, 0, 0}) + end + numbers({0, kDateTooLarge, 0, 0}), kDates},
          {"used too late", named("new") + numbers({11, 0, 0, 0, 0, 0, 0}) + end + numbers({0, 0, kDateTooLarge, 0}),
           kDates},
          {"delivered too late",
           named("new") + numbers({11, 0, 0, 0, 0, 0, 0}) + end + numbers({0, 0, 0, kDateTooLarge}), kDates},
          {"before the log", named("new") + numbers({10, 0, 0, 0, 0, 0, 0}) + end, "a group outside its log"},
          {"behind the log", named("new") + numbers({32, 0, 0, 0, 0, 0, 0}) + end, "a group outside its log"},
          {"too many lost", named("new") + numbers({11, kTooLarge, 0, 0, 0, 0, 0}) + end, kNumber},
          {"too many expired", named("new") + numbers({11, 0, kTooLarge, 0, 0, 0, 0}) + end, kNumber},
          {"too many exhausted", named("new") + numbers({11, 0, 0, kTooLarge, 0, 0, 0}) + end, kNumber},
          {"too many redelivered", named("new") + numbers({11, 0, 0, 0, kTooLarge, 0, 0}) + end, kNumber},
          {"too many may be pending", named("new") + numbers({11, 0, 0, 0, 0, UINT64_MAX, 0}) + end, kNumber},
          {"too many attempts", named("new") + numbers({11, 0, 0, 0, 0, 0, 65536}) + end,
           "a group with an impossible number of attempts"},
          {"a name twice", named("g") + numbers({11, 0, 0, 0, 0, 0, 0}) + end, "two groups with the same name"},
      });
}

TEST(GroupCodec, RefusesInvalidPendingMessages) {
  constexpr char kMissing[] = "a pending message that was not delivered";
  constexpr char kTerms[] = "a pending message with impossible terms";
  constexpr char kEnd[] = "pending messages that end too early";
  const std::string g = named("g");
  expect_refused(restore_pending,
                 {
                     {"nothing", "", "a group that does not exist"},
                     {"no such group", named("h"), "a group that does not exist"},
                     {"a number missing", g + numbers({20, 1, 7, 3, 0}), kEnd},
                     {"no holder", g + numbers({20, 1, 7, 3, 0, 1}), kEnd},
                     {"a holder beyond the end", g + numbers({20, 1, 7, 3, 0, 1, 9}) + "short", kEnd},
                     {"the second one cut short", g + numbers({20, 1, 7, 3, 0, 1, 0, 2}), kEnd},
                     {"no bits", g + numbers({20, 0, 7, 3, 0, 1, 0}), kMissing},
                     {"the first bit is not set", g + numbers({20, 2, 7, 3, 0, 1, 0}), kMissing},
                     {"pending already", g + numbers({14, 1, 7, 3, 0, 1, 0}), kMissing},
                     {"between those that are pending", g + numbers({13, 1, 7, 3, 0, 1, 0}), kMissing},
                     {"evicted", g + numbers({10, 1, 7, 3, 0, 1, 0}), kMissing},
                     {"not delivered", g + numbers({25, 1, 7, 3, 0, 1, 0}), kMissing},
                     {"delivered in part", g + numbers({20, 0b100001, 7, 3, 0, 1, 0}), kMissing},
                     {"beyond all offsets", g + numbers({UINT64_MAX, 1, 7, 3, 0, 1, 0}), kMissing},
                     {"the same twice", g + numbers({20, 1, 7, 3, 0, 1, 0, 0, 1, 7, 3, 0, 1, 0}), kMissing},
                     {"one in the other", g + numbers({20, 0b101, 7, 3, 0, 1, 0, 1, 1, 7, 3, 0, 1, 0}), kMissing},
                     {"around the end of numbers",
                      g + numbers({20, 1, 7, 3, 0, 1, 0, UINT64_MAX - 1, 1, 7, 3, 0, 1, 0}), kMissing},
                     {"due too late", g + numbers({20, 1, kMaxPendingDate + 1, 3, 0, 1, 0}), kTerms},
                     {"expires too late", g + numbers({20, 1, 7, 3, kDateTooLarge + 1, 1, 0}), kTerms},
                     {"no interval", g + numbers({20, 1, 7, 0, 0, 1, 0}), kTerms},
                     {"an interval too long", g + numbers({20, 1, 7, kMaxRetryMs + 1, 0, 1, 0}), kTerms},
                     {"delivered too often", g + numbers({20, 1, 7, 3, 0, 65536, 0}), kTerms},
                 });
}

TEST(GroupCodec, RefusesAnInvalidDelivery) {
  constexpr char kLength[] = "a delivery of the wrong length";
  constexpr char kTerms[] = "a delivery with impossible terms";
  constexpr char kNothing[] = "a delivery of no messages";
  constexpr char kMissing[] = "a delivery of messages that do not exist";
  const std::string g = named("g");
  expect_refused(apply_delivery,
                 {
                     {"nothing", "", kLength},
                     {"a number missing", g + numbers({5, 0, 100, 0, 25}), kLength},
                     {"a holder beyond the end", g + numbers({5, 99, 100, 0, 25, 1}), kLength},
                     {"a piece cut short", g + numbers({5, 0, 100, 0, 25, 1, 14}), kNothing},
                     {"a piece of nothing", g + numbers({5, 0, 100, 0, 25, 1, 14, 0}), kNothing},
                     {"a piece beyond all offsets", g + numbers({5, 0, 100, 0, 25, 1, kTooLarge, 1}), kNothing},
                     {"too late", g + numbers({kMaxPendingDate + 1, 0, 100, 0, 25, 1}), kTerms},
                     {"an interval too long", g + numbers({5, 0, kMaxRetryMs + 1, 0, 25, 1}), kTerms},
                     {"expires too late", g + numbers({5, 0, 100, kDateTooLarge + 1, 25, 1}), kTerms},
                     {"not where the group is", g + numbers({5, 0, 100, 0, 24, 1}), kMissing},
                     {"more than there are", g + numbers({5, 0, 100, 0, 25, 7}), kMissing},
                     {"far more than there are", g + numbers({5, 0, 100, 0, 25, UINT64_MAX}), kMissing},
                     {"a new group behind the log", named("new") + numbers({5, 0, 100, 0, 32, 0}), kMissing},
                 });
}

TEST(GroupCodec, RefusesInvalidGivenUpMessages) {
  const std::string g = named("g");
  expect_refused(apply_giving_up,
                 {
                     {"nothing", "", "a group that does not exist"},
                     {"no such group", named("h") + numbers({12, 1, 1, 1}), "a group that does not exist"},
                     {"cut short", g + numbers({12, 1, 1}), "given-up messages that end too early"},
                     {"no bits", g + numbers({12, 0, 1, 1}), "giving up no messages"},
                     {"beyond all offsets", g + numbers({kTooLarge, 1, 1, 1}), "giving up no messages"},
                 });
}

TEST(GroupCodec, RefusesInvalidGivenBackMessages) {
  const std::string g = named("g");
  expect_refused(
      apply_giving_back,
      {
          {"nothing", "", "a group that does not exist"},
          {"no such group", named("h") + numbers({5, 0, 12, 12}), "a group that does not exist"},
          {"no date", g, "given-back messages that end too early"},
          {"cut short", g + numbers({5, 0, 12, 14, 16}), "given-back messages that end too early"},
          {"beyond all offsets", g + numbers({5, 0, 12, kTooLarge}), "given-back messages beyond the last offset"},
          {"in an unknown way", g + numbers({5, 8, 12, 12}), "messages given back in an unknown way"},
      });
}

TEST(GroupCodec, RefusesInvalidFinishedMessages) {
  const std::string g = named("g");
  expect_refused(apply_finish, {
                                   {"nothing", "", "a group that does not exist"},
                                   {"no such group", named("h") + numbers({12, 1}), "a group that does not exist"},
                                   {"cut short", g + numbers({12}), "finishing no messages"},
                                   {"no bits", g + numbers({12, 0}), "finishing no messages"},
                                   {"beyond all offsets", g + numbers({kTooLarge, 1}), "finishing no messages"},
                               });
}

TEST(GroupCodec, RefusesAnInvalidUseOrDrop) {
  const std::string g = named("g");
  expect_refused(apply_use, {
                                {"nothing", "", "a group that does not exist"},
                                {"no such group", named("h") + numbers({5}), "a group that does not exist"},
                                {"no date", g, "a use with an impossible date"},
                                {"too late", g + numbers({kDateTooLarge}), "a use with an impossible date"},
                                {"a byte too many", g + numbers({5}) + "x", "a use with an impossible date"},
                            });
  expect_refused(apply_drop, {{"no such group", "h", "a group that does not exist"}});
}

TEST(GroupCodec, RefusesAnInvalidRepetition) {
  const std::string g = named("g");
  constexpr char kTerms[] = "a repetition with impossible terms";
  expect_refused(apply_repetition,
                 {
                     {"nothing", "", "a group that does not exist"},
                     {"no such group", named("h") + numbers({5, 50, 12, 1}), "a group that does not exist"},
                     {"cut short", g + numbers({5, 50, 12}), "repeating no messages"},
                     {"no interval given", g + numbers({5}), "repeated messages that end too early"},
                     {"no interval", g + numbers({5, 0, 12, 1}), kTerms},
                     {"an interval too long", g + numbers({5, kMaxRetryMs + 1, 12, 1}), kTerms},
                     {"too late", g + numbers({kMaxPendingDate + 1, 50, 12, 1}), kTerms},
                 });
}

TEST(GroupCodec, EffectsOnMessagesThatAreNotPendingDoNothing) {
  Log log = log_with_group();
  const Log before = log.clone();
  EXPECT_TRUE(apply_giving_up(log, encode_effect("g", GivingUp{{{{Offset(12), 7}, 1, true}}})));
  EXPECT_TRUE(apply_giving_back(log, encode_effect("g", GivingBack{UnixMs(5), {}, {{Offset(14), Offset(12)}}})));
  EXPECT_TRUE(restore_pending(log, named("g")));
  EXPECT_TRUE(same_groups(log, before));
}

}  // namespace
}  // namespace millrace
