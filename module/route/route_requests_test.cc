#include "module/route/route_requests.h"

#include <gtest/gtest.h>

#include "engine/base/limits.h"
#include "module/words/request_rows.h"

namespace millrace::module {
namespace {

constexpr ErrorCode kBadFilter = ErrorCode::BadFilter;

// --- devices ---

TEST(RouteRequests, ADeviceIsTakenApartAtItsLastBar) {
  const struct {
    ByteView word, id, transport;
  } rows[] = {{"d1|ws", "d1", "ws"}, {"a|b|ws", "a|b", "ws"}, {"||ws", "|", "ws"}, {"größe|ž", "größe", "ž"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.word);
    const ByteView words[] = {row.word};
    const auto request = parse_route_device_del(Words(words));
    ASSERT_TRUE(request && request->device);
    EXPECT_EQ(request->device->whole, row.word);
    EXPECT_EQ(request->device->id, row.id);
    EXPECT_EQ(request->device->transport, row.transport);
  }
}

TEST(RouteRequests, InvalidDeviceNamesAreRefused) {
  expect_errors(parse_route_device_touch,
                {{"nothing", "", kSyntax, "missing device"},
                 {"no bar", "d1", kSyntax, "a device is written device-id|transport, not 'd1'"},
                 {"no id", "|ws", kSyntax, "a device is written device-id|transport, not '|ws'"},
                 {"no transport", "d1|", kSyntax, "a device is written device-id|transport, not 'd1|'"},
                 {"no UTF-8", "\xff|ws", kSyntax, "device is not UTF-8"},
                 {"a second that is none", "d1|ws x", kSyntax, "a device is written device-id|transport, not 'x'"}});
  EXPECT_EQ(parse_route_device_touch(words_of("a|ws b|ws"))->devices.size(), 2u);
  const std::string longest = std::string(512, 'x') + '|' + std::string(512, 'y');
  const std::string longer = std::string(513, 'x') + "|ws";
  EXPECT_TRUE(parse_route_device_del(words_of(longest)));
  EXPECT_EQ(parse_route_device_del(words_of(longer)).error().text,
            "device id and transport have at most 512 bytes each");
}

TEST(RouteRequests, DeviceSetTakesItsWordsInAnyOrderAndCase) {
  const struct {
    ByteView line;
    std::optional<ByteView> user, agent;
    std::optional<uint64_t> ttl_ms;
  } rows[] = {
      {"d|ws", {}, {}, {}},
      {"d|ws USER u", "u", {}, {}},
      {"d|ws ttl 0 agent Moz user u", "u", "Moz", 0},
      {"d|ws AGENT TTL TTL 3155760000000", {}, "TTL", kMaxDurationMs},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const auto request = parse_route_device_set(words_of(row.line));
    ASSERT_TRUE(request);
    EXPECT_EQ(request->device.whole, "d|ws");
    EXPECT_EQ(request->change.user, row.user);
    EXPECT_EQ(request->change.agent, row.agent);
    EXPECT_EQ(request->change.ttl_ms, row.ttl_ms);
  }
  expect_errors(parse_route_device_set,
                {{"an empty user", "d|ws USER ", kRange, "the USER has 0 bytes, expected 1 to 512"},
                 {"no user", "d|ws USER", kSyntax, "missing USER"},
                 {"twice", "d|ws USER a USER b", kSyntax, "USER is given twice"},
                 {"too long", "d|ws TTL 3155760000001", kRange,
                  "invalid TTL '3155760000001': expected an integer from 0 to 3155760000000"},
                 {"something else", "d|ws ID x", kSyntax, "syntax error: expected USER, AGENT or TTL, found 'ID'"}});
}

TEST(RouteRequests, DeviceGetListsAsManyAsAskedFor) {
  EXPECT_EQ(parse_route_device_get(words_of("d|ws"))->listed, std::nullopt);
  EXPECT_EQ(parse_route_device_get(words_of("d|ws full"))->listed, 100u);
  EXPECT_EQ(parse_route_device_get(words_of("d|ws FULL count 1000000"))->listed, kMaxReadCount);
  expect_errors(parse_route_device_get,
                {{"no number", "d|ws FULL COUNT", kSyntax, "missing COUNT"},
                 {"none", "d|ws FULL COUNT 0", kRange, "invalid COUNT '0': expected an integer from 1 to 1000000"},
                 {"COUNT alone", "d|ws COUNT 5", kSyntax, "syntax error: expected FULL, found 'COUNT'"},
                 {"something else", "d|ws FULL ALL", kSyntax, "syntax error: expected COUNT or CURSOR, found 'ALL'"}});
  EXPECT_EQ(parse_route_device_get(words_of("d|ws FULL cursor 7"))->cursor, 7u);
}

TEST(RouteRequests, DeviceMoveTakesTwoAndDeviceDelOneOrATransport) {
  const auto move = parse_route_device_move(words_of("a|ws a|mqtt"));
  ASSERT_TRUE(move);
  EXPECT_EQ(move->from.transport, "ws");
  EXPECT_EQ(move->to.transport, "mqtt");
  expect_errors(parse_route_device_move,
                {{"one", "a|ws", kSyntax, "missing device"},
                 {"three", "a|ws b|ws c|ws", kSyntax, "syntax error: expected nothing more, found 'c|ws'"}});
  const auto del = parse_route_device_del(words_of("transport ws count 7"));
  EXPECT_FALSE(del->device);
  EXPECT_EQ(del->transport, "ws");
  EXPECT_EQ(del->count, 7u);
  expect_errors(parse_route_device_del,
                {{"nothing", "", kSyntax, "missing device"},
                 {"two", "a|ws b|ws", kSyntax, "syntax error: expected nothing more, found 'b|ws'"},
                 {"no transport", "TRANSPORT", kSyntax, "missing TRANSPORT"}});
}

TEST(RouteRequests, DeviceListTakesWhatItLooksFor) {
  const auto all = parse_route_device_list({});
  EXPECT_EQ(all->count, 100u);
  EXPECT_EQ(all->cursor, 0u);
  EXPECT_FALSE(all->transport || all->user);
  const auto some = parse_route_device_list(words_of("CURSOR 4294967295 user u COUNT 7 TRANSPORT ws"));
  EXPECT_EQ(some->transport, "ws");
  EXPECT_EQ(some->user, "u");
  EXPECT_EQ(some->count, 7u);
  EXPECT_EQ(some->cursor, UINT32_MAX);
  expect_errors(parse_route_device_list, {{"a large cursor", "CURSOR 4294967296", kRange,
                                           "invalid CURSOR '4294967296': expected an integer from 0 to 4294967295"},
                                          {"something else", "MATCH x", kSyntax,
                                           "syntax error: expected TRANSPORT, USER, COUNT or CURSOR, found 'MATCH'"}});
}

// --- subscriptions and filters ---

TEST(RouteRequests, SubscribeTakesAChannelAFilterAndATime) {
  const auto words = words_of("d|ws ttl 5 filter {\"a\":1} id i USER u MODEL m app a");
  const auto request = parse_route_subscribe(words);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->channel.name(), "app:a:user:u:model:m:id:i");
  EXPECT_EQ(request->filter->json, "{\"a\":{\"$eq\":1}}");
  EXPECT_EQ(request->ttl_ms, 5u);
  EXPECT_FALSE(request->filter_id);
  const auto named = parse_route_subscribe(words_of("d|ws APP a MODEL m FILTERID f"));
  EXPECT_EQ(named->filter_id, "f");
  EXPECT_FALSE(named->filter || named->ttl_ms || named->only_known);
  EXPECT_TRUE(parse_route_subscribe(words_of("d|ws APP a MODEL m xx"))->only_known);
}

TEST(RouteRequests, SubscribeRefusesWhatItCannotMean) {
  expect_errors(
      parse_route_subscribe,
      {{"nothing", "", kSyntax, "missing device"},
       {"no channel", "d|ws", kSyntax, "APP and MODEL must be given"},
       {"no model", "d|ws APP a", kSyntax, "APP and MODEL must be given"},
       {"a bad filter", "d|ws APP a MODEL m FILTER {\"a\":{\"$xor\":1}}", kBadFilter, "a.$xor: unknown operator"},
       {"two filters", "d|ws APP a MODEL m FILTER {} FILTERID f", kSyntax, "FILTER and FILTERID exclude each other"},
       {"something else", "d|ws APP a MODEL m DOC {}", kSyntax,
        "syntax error: expected APP, MODEL, USER, ID, FILTER, FILTERID, TTL or XX, found 'DOC'"}});
  expect_errors(parse_route_unsubscribe,
                {{"a time", "d|ws APP a MODEL m TTL 5", kSyntax,
                  "syntax error: expected APP, MODEL, USER, ID, FILTER or FILTERID, found 'TTL'"}});
}

TEST(RouteRequests, FiltersHaveNamesThatAreNoIds) {
  const auto request = parse_route_setfilter(words_of("high {\"p\":\"high\"} APP a MODEL m"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->name, "high");
  EXPECT_EQ(request->channel.name(), "app:a:model:m");
  EXPECT_TRUE(parse_route_setfilter(words_of("0123456789ABCDEF0123456789ABCDEF {} APP a MODEL m")));
  expect_errors(parse_route_setfilter,
                {{"an id", "0123456789abcdef0123456789abcdef {} APP a MODEL m", kSyntax,
                  "32 hexadecimal digits are the id of a filter without a name, not a name"},
                 {"no filter", "f", kSyntax, "missing filter"},
                 {"no JSON", "f [ APP a MODEL m", kBadFilter,
                  "not JSON: missing or superfluous commas, braces or quotes, or something that is no value"},
                 {"something else", "f {} APP a MODEL m TTL 5", kSyntax,
                  "syntax error: expected APP, MODEL, USER or ID, found 'TTL'"}});
  EXPECT_EQ(parse_route_delfilter(words_of("f APP a MODEL m ID i"))->channel.name(), "app:a:model:m:id:i");
  expect_errors(parse_route_delfilter, {{"nothing", "", kSyntax, "missing filter-id"},
                                        {"no channel", "f", kSyntax, "APP and MODEL must be given"}});
}

TEST(RouteRequests, ChannelsAreGivenByTheirParts) {
  EXPECT_EQ(parse_route_patterns(words_of("MODEL APP APP MODEL"))->name(), "app:MODEL:model:APP");
  expect_errors(
      parse_route_patterns,
      {{"nothing", "", kSyntax, "APP and MODEL must be given"},
       {"an empty part", "APP  MODEL m", kRange, "the APP has 0 bytes, expected 1 to 512"},
       {"no UTF-8", "APP \xc3 MODEL m", kSyntax, "APP is not UTF-8"},
       {"twice", "APP a APP a", kSyntax, "APP is given twice"},
       {"something else", "APP a MODEL m x", kSyntax, "syntax error: expected APP, MODEL, USER or ID, found 'x'"}});
}

TEST(RouteRequests, ListsHaveACountAndACursor) {
  const auto filters = parse_route_filters(words_of("APP a MODEL m CURSOR 7 COUNT 5"));
  EXPECT_EQ(filters->count, 5u);
  EXPECT_EQ(filters->cursor, 7u);
  expect_errors(parse_route_filters, {{"something else", "APP a MODEL m x", kSyntax,
                                       "syntax error: expected APP, MODEL, USER, ID, COUNT or CURSOR, found 'x'"}});
  const auto subscribers = parse_route_subscribers(words_of("APP a MODEL m FILTERID f CURSOR 1.2.3"));
  EXPECT_EQ(subscribers->filter_id, "f");
  EXPECT_EQ(subscribers->cursor.filter, 1u);
  EXPECT_EQ(subscribers->cursor.target, TargetSlot(2));
  EXPECT_EQ(subscribers->cursor.left, 3u);
  EXPECT_EQ(parse_route_subscribers(words_of("APP a MODEL m CURSOR 0"))->cursor.left, 0u);
  for (const char* cursor : {"", "1", "1.2", "1.2.", "1.2.3.4", "a.b.c", "1.2.4294967296", "1,2,3"}) {
    EXPECT_EQ(parse_route_subscribers(words_of(std::string("APP a MODEL m CURSOR ") + cursor)).error().text,
              "CURSOR must be 0, or what the page before has answered");
  }
}

TEST(RouteRequests, PresenceGoesToAPrefixOrNowhere) {
  EXPECT_FALSE(parse_route_presence({})->prefix);
  EXPECT_EQ(parse_route_presence(words_of("off"))->prefix, "");
  EXPECT_EQ(parse_route_presence(words_of("queues * p:"))->prefix, "p:");
  expect_errors(parse_route_presence,
                {{"a transport", "QUEUES ws log", kSyntax, "syntax error: expected *, found 'ws'"},
                 {"nothing", "QUEUES *", kSyntax, "missing prefix"},
                 {"too much", "OFF x", kSyntax, "syntax error: expected nothing more, found 'x'"}});
}

// --- changes ---

TEST(RouteRequests, AMatchTakesBothDocuments) {
  const auto request = parse_route_match(words_of("APP a MODEL m old {} withchannels DOC null"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->change.document, "null");
  EXPECT_EQ(request->change.old, "{}");
  EXPECT_TRUE(request->with_channels);
  const auto bare = parse_route_match(words_of("APP a MODEL m"));
  EXPECT_FALSE(bare->change.document || bare->change.old || bare->with_channels);
  expect_errors(
      parse_route_match,
      {{"no document", "APP a MODEL m DOC", kSyntax, "missing DOC"},
       {"two", "APP a MODEL m OLD {} OLD {}", kSyntax, "OLD is given twice"},
       {"something else", "APP a MODEL m FILTER {}", kSyntax,
        "syntax error: expected APP, MODEL, USER, ID, DOC, OLD, WITHCHANNELS, LIMIT or AFTER, found 'FILTER'"}});
}

TEST(RouteRequests, ADispatchEndsWithItsQueues) {
  const auto words = words_of("APP a MODEL m DOC {} EVENT QUEUES QUEUES ws log1 EVENT log2");
  const auto request = parse_route_dispatch(words);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->event, "QUEUES");
  ASSERT_EQ(request->queues.size(), 4u);
  EXPECT_EQ(request->queues[0], "ws");
  EXPECT_EQ(request->queues[3], "log2");
}

TEST(RouteRequests, ADispatchHasAnIdBehindItsEvent) {
  const auto words = words_of("APP a MODEL m ID t1 EVENT e ID once ORIGIN d|ws DATA [1] LIMIT 5 AFTER 7 QUEUES * p:");
  const auto request = parse_route_dispatch(words);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->change.about.id, "t1");
  EXPECT_EQ(request->id, "once");
  EXPECT_EQ(request->change.origin, "d|ws");
  EXPECT_EQ(request->data, "[1]");
  EXPECT_EQ(request->change.limit, 5u);
  EXPECT_EQ(request->change.after, 7u);
  EXPECT_EQ(request->prefix, "p:");
  EXPECT_TRUE(request->queues.empty());
}

TEST(RouteRequests, ADispatchRefusesWhatItCannotMean) {
  const char* incomplete = "EVENT must be given, and QUEUES with a transport and its log as the last words";
  expect_errors(
      parse_route_dispatch,
      {{"no event", "APP a MODEL m QUEUES ws log", kSyntax, incomplete},
       {"no queues", "APP a MODEL m EVENT e", kSyntax, incomplete},
       {"no queue", "APP a MODEL m EVENT e QUEUES", kSyntax, "missing transport"},
       {"half a queue", "APP a MODEL m EVENT e QUEUES ws", kSyntax, "missing log"},
       {"two queues", "APP a MODEL m EVENT e QUEUES ws a ws b", kSyntax, "the transport 'ws' has two queues"},
       {"an empty event", "APP a MODEL m EVENT  QUEUES ws a", kRange, "the EVENT has 0 bytes, expected 1 to 512"},
       {"something else", "APP a MODEL m TTL 5", kSyntax,
        "syntax error: expected APP, MODEL, USER, ID, DOC, OLD, EVENT, ORIGIN, DATA, LIMIT, AFTER or QUEUES, found "
        "'TTL'"}});
}

// --- the rest ---

TEST(RouteRequests, APartitionIsOneOfSoMany) {
  EXPECT_EQ(parse_route_partition(words_of("x"))->partitions, 1024u);
  EXPECT_EQ(parse_route_partition(words_of("x partitions 4294967295"))->partitions, UINT32_MAX);
  expect_errors(
      parse_route_partition,
      {{"nothing", "", kSyntax, "missing channel"},
       {"of none", "x PARTITIONS 0", kRange, "invalid PARTITIONS '0': expected an integer from 1 to 4294967295"},
       {"something else", "x OF 7", kSyntax, "syntax error: expected PARTITIONS, found 'OF'"},
       {"too much", "x PARTITIONS 7 8", kSyntax, "syntax error: expected nothing more, found '8'"}});
}

TEST(RouteRequests, AnEffectIsAClockOrAPart) {
  EXPECT_EQ(parse_route_apply(words_of("clock 7"))->clock, UnixMs(7));
  EXPECT_EQ(parse_route_apply(words_of("PART bytes"))->part, "bytes");
  EXPECT_EQ(parse_route_apply(words_of("gone bytes"))->gone, "bytes");
  EXPECT_EQ(parse_route_apply(words_of("DISPATCHED bytes"))->dispatched, "bytes");
  expect_errors(parse_route_apply,
                {{"nothing", "", kSyntax, "syntax error: expected CLOCK, PART, GONE or DISPATCHED, found nothing more"},
                 {"no time", "CLOCK", kSyntax, "missing CLOCK"},
                 {"too much", "CLOCK 1 2", kSyntax, "syntax error: expected nothing more, found '2'"}});
}

}  // namespace
}  // namespace millrace::module
