// Objects of all families as parts: what is restored has the digest of what was saved, parts that make no whole object
// are refused, and so are those of older encodings.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/channel/channel_codec.h"
#include "engine/channel/channel_digest.h"
#include "engine/channel/channel_parts.h"
#include "engine/fact/fact_parts.h"
#include "engine/lock/lock_codec.h"
#include "engine/lock/lock_digest.h"
#include "engine/lock/lock_parts.h"
#include "engine/log/log_codec.h"
#include "engine/log/log_digest.h"
#include "engine/log/log_parts.h"
#include "engine/route/route_digest.h"
#include "engine/route/route_parts.h"
#include "engine/shard/pool_digest.h"
#include "engine/shard/pool_parts.h"
#include "engine/suggest/suggest_parts.h"
#include "tests/model/named_pool.h"
#include "tests/model/object_strings.h"
#include "tests/model/test_packer.h"

namespace millrace::testing {
namespace {

template <class Object>
std::string digest_of(const Object& object) {
  DigestText text;
  digest(object, text);
  return text.text();
}

struct SavedPart {
  uint8_t kind;
  std::string bytes;
  std::string block;
};

std::vector<SavedPart> parts_of(const std::function<void(const PartVisit&)>& each) {
  std::vector<SavedPart> parts;
  each([&](const Part& part) { parts.push_back({part.kind, std::string(part.bytes), std::string(part.block)}); });
  return parts;
}

// The restorer's result for all parts but one, or for all if `left_out` is none of them.
template <class Restorer>
std::string error_without(Restorer restorer, const std::vector<SavedPart>& parts, size_t left_out) {
  for (size_t at = 0; at < parts.size(); ++at) {
    if (at == left_out) continue;
    const auto added = restorer.add(parts[at].kind, parts[at].bytes, Buffer::copy_of(parts[at].block));
    if (!added) return added.error().text;
  }
  const auto finished = restorer.finish();
  return finished ? "" : finished.error().text;
}

template <class Object, class Restorer>
void expect_comes_back(const Object& object, Restorer restorer, const std::vector<SavedPart>& parts) {
  for (const SavedPart& part : parts) {
    ASSERT_TRUE(restorer.add(part.kind, part.bytes, Buffer::copy_of(part.block)));
  }
  const auto again = restorer.finish();
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->check(), nullptr);
  EXPECT_FALSE(digest_of(object).empty());
  EXPECT_EQ(digest_of(*again), digest_of(object));
}

std::string number(uint64_t value) {
  std::string bytes;
  append_varint(bytes, value);
  return bytes;
}

// An object from the strings of an older version.
template <class Restorer>
auto restored_from_older(Restorer restorer, const std::vector<std::string>& strings) {
  std::string bytes;
  for (const std::string& string : strings) append_string(bytes, string);
  const auto added = add_strings(restorer, {}, bytes, [] {});
  EXPECT_TRUE(added) << added.error().text;
  return restorer.finish();
}

// --- logs ---

Log some_log() {
  Log log;
  log.tick(UnixMs(1000));
  for (int i = 0; i < 5; ++i) log.append(i % 2 == 0 ? "a" : "b", std::to_string(i), {.bytes = 1024, .messages = 2});
  Group& group = log.create_group("workers", Offset(1));
  group.apply(group.plan(log.next(), 3, UnixMs(1000), Retry{.retry_ms = 100, .expire_ms = 0}, "ann", 1'000'000));
  log.set_retention({.count = 100});
  return log;
}

TEST(LogInParts, ComesBackWithTheSameDigest) {
  const Log log = some_log();
  const auto parts = parts_of([&](const PartVisit& visit) { each_part(log, visit); });
  expect_comes_back(log, LogRestorer(test_packer()), parts);
  std::string kinds;
  for (const SavedPart& part : parts) kinds += std::string(kLogParts[part.kind].word) + " ";
  EXPECT_EQ(kinds, "BLOCK BLOCK BLOCK HEAD GROUP PENDING ");
  EXPECT_EQ(error_without(LogRestorer(test_packer()), parts, 0), "a log head that does not belong to its blocks");
}

TEST(LogInParts, AreRefusedWithoutAHead) {
  const Log log;
  const auto parts = parts_of([&](const PartVisit& visit) { each_part(log, visit); });
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(error_without(LogRestorer(test_packer()), parts, 0), "a log without a head");
}

TEST(LogInParts, OfVersion2HasItsHeadFirst) {
  const Log log = some_log();
  std::vector<std::string> strings = {encode_log_head(log)};
  const auto parts = parts_of([&](const PartVisit& visit) { each_part(log, visit); });
  for (size_t at = 0; at < 3; ++at) strings.insert(strings.end(), {parts[at].bytes, parts[at].block});
  strings.insert(strings.end(), {parts[4].bytes, number(1), parts[5].bytes});
  const auto again = restored_from_older(LogRestorer(test_packer()), strings);
  ASSERT_TRUE(again);
  EXPECT_EQ(digest_of(*again), digest_of(log));
}

// --- channels ---

Channel some_channel() {
  Channel channel(ChannelHead{.secret = {1, 2, 3}, .birth = Clock(7), .expire_ms = 1000, .active = UnixMs(500)});
  for (const char* id : {"a", "b", "c"}) channel.publish(id, "content", {.bytes = 1024, .messages = 2});
  for (const char* name : {"ann", "bob"}) channel.subscribe(name);
  return channel;
}

TEST(ChannelInParts, ComesBackWithTheSameDigest) {
  const Channel channel = some_channel();
  const auto parts = parts_of([&](const PartVisit& visit) { each_part(channel, visit); });
  ASSERT_EQ(parts.size(), 5u);
  expect_comes_back(channel, ChannelRestorer(), parts);
}

TEST(ChannelInParts, HasOneHeadOfItsOwnAndOneOfItsMessages) {
  const Channel channel(ChannelHead{.secret = {}, .birth = Clock(0), .expire_ms = 1, .active = UnixMs(0)});
  auto parts = parts_of([&](const PartVisit& visit) { each_part(channel, visit); });
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(error_without(ChannelRestorer(), parts, 9), "");
  EXPECT_EQ(error_without(ChannelRestorer(), parts, 0), "a channel that does not begin with its head");
  EXPECT_EQ(error_without(ChannelRestorer(), parts, 1), "a channel without the head of its messages");
  EXPECT_EQ(error_without(ChannelRestorer(), {}, 0), "a channel without the head of its messages");
  parts.push_back(parts.front());
  EXPECT_EQ(error_without(ChannelRestorer(), parts, 9), "a channel with two heads");
}

TEST(ChannelInParts, OfVersion1HasBothHeadsFirst) {
  const Channel channel = some_channel();
  const auto parts = parts_of([&](const PartVisit& visit) { each_part(channel, visit); });
  std::vector<std::string> strings = {parts[0].bytes, parts[3].bytes};
  for (size_t at = 1; at < 3; ++at) strings.insert(strings.end(), {parts[at].bytes, parts[at].block});
  strings.insert(strings.end(), {number(1), parts[4].bytes});
  const auto again = restored_from_older(ChannelRestorer(), strings);
  ASSERT_TRUE(again);
  EXPECT_EQ(digest_of(*again), digest_of(channel));
}

// --- locks ---

constexpr uint64_t kClockId = 7;

Now lock_now() {
  Now now;
  now.wall = UnixMs(1'000'000);
  now.monotonic = MonotonicMs(5000);
  now.clock_id = kClockId;
  return now;
}

Lock some_lock(Token token) {
  Lock lock;
  lock.grant("ann", LockMode::limit(5), Lease::from(lock_now(), 100), token);
  lock.grant("bob", LockMode::limit(5), Lease::from(lock_now(), 200), token + 1);
  return lock;
}

std::vector<SavedPart> parts_of_lock(const Lock& lock) {
  return parts_of([&](const PartVisit& visit) { each_part(lock, kClockId, visit); });
}

TEST(LockInParts, ComesBackWithTheSameDigestAndItsTokensAreSeen) {
  const Lock lock = some_lock(Token(40));
  FencingTokens tokens;
  expect_comes_back(lock, LockRestorer(tokens, lock_now(), true), parts_of_lock(lock));
  EXPECT_EQ(tokens.last(), Token(41));
}

TEST(LockInParts, AreRefusedWithoutAHolder) {
  FencingTokens tokens;
  EXPECT_EQ(error_without(LockRestorer(tokens, lock_now(), true), {}, 0), "a lock without a holder");
}

TEST(LockInParts, HasTokensFarAheadOnlyIfItIsRepeated) {
  const auto parts = parts_of_lock(some_lock(kMaxToken - 1));
  FencingTokens tokens;
  EXPECT_EQ(error_without(LockRestorer(tokens, lock_now(), true), parts, 9),
            "a token far ahead of this server's clock");
  EXPECT_EQ(tokens.last(), Token(0));
  EXPECT_EQ(error_without(LockRestorer(tokens, lock_now(), false), parts, 9), "");
  EXPECT_EQ(tokens.last(), kMaxToken);
}

TEST(LockInParts, OfVersion1BeginsWithTheNumberOfItsStrings) {
  const Lock lock = some_lock(Token(40));
  FencingTokens tokens;
  const auto again =
      restored_from_older(LockRestorer(tokens, lock_now(), true), {number(1), parts_of_lock(lock)[0].bytes});
  ASSERT_TRUE(again);
  EXPECT_EQ(digest_of(*again), digest_of(lock));
}

// --- routing tables ---

RouteTable some_table() {
  RouteTable table{HashKey{}};
  table.tick(UnixMs(1000));
  table.set_device(*parse_device_name("a|ws"), {.user = "u", .agent = {}, .ttl_ms = 500});
  const RouteChannel channel{"shop", "task", std::nullopt, std::nullopt};
  table.subscribe(*parse_device_name("a|ws"), table.everything(channel), std::nullopt);
  return table;
}

TEST(RouteInParts, ComesBackWithTheSameDigest) {
  const RouteTable table = some_table();
  const auto parts = parts_of([&](const PartVisit& visit) { each_part(table, visit); });
  EXPECT_EQ(parts.size(), 3u);
  expect_comes_back(table, RouteRestorer(HashKey{1}), parts);
}

TEST(RouteInParts, OfVersion1EndsWithAnEmptyString) {
  const RouteTable table = some_table();
  std::vector<std::string> strings;
  for (const SavedPart& part : parts_of([&](const PartVisit& visit) { each_part(table, visit); })) {
    strings.push_back(part.bytes);
  }
  strings.emplace_back();
  const auto again = restored_from_older(RouteRestorer(HashKey{1}), strings);
  ASSERT_TRUE(again);
  EXPECT_EQ(digest_of(*again), digest_of(table));
}

// --- pools ---

TEST(PoolInParts, ComesBackWithTheSameDigest) {
  NamedPool pool({"w1", "w2"});
  pool.route("ann");
  pool.push("bob", {"p", "q"});
  pool.pull("w2", 1);
  const auto parts = parts_of([&](const PartVisit& visit) { each_part(pool.pool, visit); });
  expect_comes_back(pool.pool, PoolRestorer(HashKey{7}), parts);
}

// --- facts and suggestions ---

TEST(FactsInParts, ComeBackWithTheSameDigest) {
  FactGraph graph{HashKey{}};
  graph.add({"ann", "knows", "bob"});
  const auto parts = parts_of([&](const PartVisit& visit) { each_part(graph, visit); });
  expect_comes_back(graph, FactRestorer(HashKey{7}), parts);
  EXPECT_EQ(error_without(FactRestorer(HashKey{}), parts, 0), "a graph without facts");
}

TEST(SuggestionsInParts, ComeBackWithTheSameDigest) {
  TermDictionary dictionary;
  dictionary.set("tea", 3);
  dictionary.fade(0.9);
  const auto parts = parts_of([&](const PartVisit& visit) { each_part(dictionary, visit); });
  expect_comes_back(dictionary, SuggestRestorer(), parts);
  EXPECT_EQ(error_without(SuggestRestorer(), parts, 0), "a dictionary without terms");
}

}  // namespace
}  // namespace millrace::testing
