#include "module/route/route_requests.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include "engine/base/limits.h"
#include "engine/base/utf8.h"
#include "engine/route/route_codec.h"
#include "engine/route/route_effects.h"

namespace millrace::module {

namespace {

// The next word as a name: UTF-8, 1 to `longest` bytes.
ByteView text(ArgumentReader& reader, const char* what, size_t longest = kMaxNameBytes) {
  const ByteView name = reader.name(what, longest);
  if (!reader.failed() && !is_utf8(name)) reader.fail(ErrorCode::Syntax, std::string(what) + " is not UTF-8");
  return name;
}

DeviceName device_name(ArgumentReader& reader) {
  const ByteView word = text(reader, "device", 2 * kMaxNameBytes + 1);
  if (reader.failed()) return {};
  const auto name = parse_device_name(word);
  if (!name) {
    reader.fail(ErrorCode::Syntax, "a device is written device-id|transport, not " + quoted(word));
    return {};
  }
  if (std::max(name->id.size(), name->transport.size()) > kMaxNameBytes) {
    reader.fail(ErrorCode::Range, "device id and transport have at most 512 bytes each");
  }
  return *name;
}

uint64_t time_to_live(ArgumentReader& reader) { return reader.number("TTL", 0, kMaxDurationMs); }

// How many devices of a transport one command deletes at most.
constexpr uint64_t kMostDeletedDevices = 10'000;

uint64_t list_count(ArgumentReader& reader) { return reader.number("COUNT", 1, kMaxReadCount); }

// APP a MODEL m [USER u] [ID i], in any order and among other options.
class ChannelOptions {
 public:
  // Takes the next words if they are one of these.
  bool take(ArgumentReader& reader) {
    if (reader.option("APP", app_)) {
      channel_.app = text(reader, "APP");
    } else if (reader.option("MODEL", model_)) {
      channel_.model = text(reader, "MODEL");
    } else if (reader.option("USER", user_)) {
      channel_.user = text(reader, "USER");
    } else if (reader.option("ID", id_)) {
      channel_.id = text(reader, "ID");
    } else {
      return false;
    }
    return true;
  }

  RouteChannel finish(ArgumentReader& reader) const {
    if (!reader.failed() && !(app_ && model_)) reader.fail(ErrorCode::Syntax, "APP and MODEL must be given");
    return channel_;
  }

 private:
  RouteChannel channel_;
  bool app_ = false, model_ = false, user_ = false, id_ = false;
};

GivenFilter filter(ArgumentReader& reader) {
  const ByteView json = reader.word("filter");
  if (reader.failed()) return {};
  auto parsed = parse_and_write_filter(json);
  if (!parsed) {
    reader.fail(parsed.error().code, parsed.error().text);
    return {};
  }
  return std::move(*parsed);
}

Result<RouteSubscribeRequest> parse_subscription(Words words, bool with_ttl) {
  ArgumentReader reader(words);
  RouteSubscribeRequest request;
  request.device = device_name(reader);
  ChannelOptions channel;
  bool has_filter = false, has_id = false, has_ttl = false;
  const bool subscribes = with_ttl;
  while (!reader.at_end()) {
    if (channel.take(reader)) continue;
    if (reader.option("FILTER", has_filter)) {
      request.filter = filter(reader);
    } else if (reader.option("FILTERID", has_id)) {
      request.filter_id = text(reader, "FILTERID");
    } else if (with_ttl && reader.option("TTL", has_ttl)) {
      request.ttl_ms = time_to_live(reader);
    } else if (!subscribes || !reader.option("XX", request.only_known)) {
      reader.unknown_word(subscribes ? "APP, MODEL, USER, ID, FILTER, FILTERID, TTL or XX"
                                     : "APP, MODEL, USER, ID, FILTER or FILTERID");
    }
  }
  request.channel = channel.finish(reader);
  if (!reader.failed() && has_filter && has_id) {
    reader.fail(ErrorCode::Syntax, "FILTER and FILTERID exclude each other");
  }
  return reader.finish(std::move(request));
}

ByteView json(ArgumentReader& reader, const char* what) {
  const ByteView word = reader.word(what);
  if (reader.failed()) return word;
  if (const auto good = check_json(word); !good) {
    reader.fail(good.error().code, std::string(what) + ": " + good.error().text);
  }
  return word;
}

// [DOC json] [OLD json] among the options.
struct DocumentOptions {
  bool document = false, old = false;

  bool take(ArgumentReader& reader, RouteChange& change) {
    if (reader.option("DOC", document)) {
      change.document = reader.word("DOC");
    } else if (reader.option("OLD", old)) {
      change.old = reader.word("OLD");
    } else {
      return false;
    }
    return true;
  }
};

// [LIMIT n] [AFTER cursor] among the options.
struct PageOptions {
  bool limit = false, after = false;

  bool take(ArgumentReader& reader, RouteChange& change) {
    if (reader.option("LIMIT", limit)) {
      change.limit = reader.number("LIMIT", 1, kMaxReadCount);
    } else if (reader.option("AFTER", after)) {
      change.after = static_cast<uint32_t>(reader.number("AFTER", 0, UINT32_MAX));
    } else {
      return false;
    }
    return true;
  }

  void finish(ArgumentReader& reader) const {
    if (!reader.failed() && after && !limit) reader.fail(ErrorCode::Syntax, "AFTER needs LIMIT");
  }
};

// [COUNT n] [CURSOR c] among the options.
struct ListOptions {
  bool count = false, cursor = false;

  bool take_count(ArgumentReader& reader, uint64_t& value) {
    if (!reader.option("COUNT", count)) return false;
    value = list_count(reader);
    return true;
  }
  bool take(ArgumentReader& reader, uint64_t& value, uint64_t& where) {
    if (take_count(reader, value)) return true;
    if (!reader.option("CURSOR", cursor)) return false;
    where = reader.number("CURSOR", 0, UINT32_MAX);
    return true;
  }
};

// 0, or three numbers with dots between them.
SubscriberCursor subscriber_cursor(ArgumentReader& reader) {
  const ByteView word = reader.word("CURSOR");
  SubscriberCursor cursor;
  if (reader.failed() || word == "0") return cursor;
  uint32_t numbers[3];
  const char* at = word.data();
  const char* const end = at + word.size();
  for (uint32_t& number : numbers) {
    if (&number != numbers && (at == end || *at++ != '.')) at = end + 1;
    const auto read =
        at > end ? std::from_chars_result{at, std::errc::invalid_argument} : std::from_chars(at, end, number);
    if (read.ec != std::errc()) {
      reader.fail(ErrorCode::Syntax, "CURSOR must be 0, or what the page before has answered");
      return {};
    }
    at = read.ptr;
  }
  if (at != end) reader.fail(ErrorCode::Syntax, "CURSOR must be 0, or what the page before has answered");
  return {numbers[0], TargetSlot(numbers[1]), numbers[2]};
}

ByteView queue_prefix(ArgumentReader& reader) {
  const ByteView prefix = reader.word("prefix");
  if (!reader.failed() && prefix.size() > kMaxQueuePrefix) {
    reader.fail(ErrorCode::Range, "a prefix of logs has at most 512 bytes");
  }
  return prefix;
}

void read_queues(ArgumentReader& reader) {
  std::set<ByteView> transports;
  do {
    const ByteView transport = text(reader, "transport");
    reader.word("log");
    if (!reader.failed() && !transports.insert(transport).second) {
      reader.fail(ErrorCode::Syntax, "the transport " + quoted(transport) + " has two queues");
    }
  } while (!reader.at_end());
}

}  // namespace

Result<DeviceSetRequest> parse_route_device_set(Words words) {
  ArgumentReader reader(words);
  DeviceSetRequest request;
  request.device = device_name(reader);
  bool user = false, agent = false, ttl = false;
  while (!reader.at_end()) {
    if (reader.option("USER", user)) {
      request.change.user = text(reader, "USER");
    } else if (reader.option("AGENT", agent)) {
      request.change.agent = reader.name("AGENT", kMaxAgent);
    } else if (reader.option("TTL", ttl)) {
      request.change.ttl_ms = time_to_live(reader);
    } else {
      reader.unknown_word("USER, AGENT or TTL");
    }
  }
  return reader.finish(request);
}

Result<DeviceGetRequest> parse_route_device_get(Words words) {
  ArgumentReader reader(words);
  DeviceGetRequest request;
  request.device = device_name(reader);
  ListOptions list;
  if (reader.keyword("FULL")) {
    request.listed = 100;
    while (!reader.at_end()) {
      if (!list.take(reader, *request.listed, request.cursor)) reader.unknown_word("COUNT or CURSOR");
    }
  }
  if (!reader.at_end()) reader.unknown_word("FULL");
  return reader.finish(request);
}

Result<DeviceTouchRequest> parse_route_device_touch(Words words) {
  ArgumentReader reader(words);
  DeviceTouchRequest request;
  do {
    request.devices.push_back(device_name(reader).whole);
  } while (!reader.at_end());
  return reader.finish(std::move(request));
}

Result<DeviceMoveRequest> parse_route_device_move(Words words) {
  ArgumentReader reader(words);
  DeviceMoveRequest request;
  request.from = device_name(reader);
  request.to = device_name(reader);
  return reader.finish(request);
}

Result<DeviceDelRequest> parse_route_device_del(Words words) {
  ArgumentReader reader(words);
  DeviceDelRequest request;
  if (!reader.keyword("TRANSPORT")) {
    request.device = device_name(reader);
    return reader.finish(request);
  }
  request.transport = text(reader, "TRANSPORT");
  if (reader.keyword("COUNT")) request.count = reader.number("COUNT", 1, kMostDeletedDevices);
  if (!reader.at_end()) reader.unknown_word("COUNT");
  return reader.finish(request);
}

Result<DeviceListRequest> parse_route_device_list(Words words) {
  ArgumentReader reader(words);
  DeviceListRequest request;
  bool transport = false, user = false, count = false, cursor = false;
  while (!reader.at_end()) {
    if (reader.option("TRANSPORT", transport)) {
      request.transport = text(reader, "TRANSPORT");
    } else if (reader.option("USER", user)) {
      request.user = text(reader, "USER");
    } else if (reader.option("COUNT", count)) {
      request.count = list_count(reader);
    } else if (reader.option("CURSOR", cursor)) {
      request.cursor = reader.number("CURSOR", 0, UINT32_MAX);
    } else {
      reader.unknown_word("TRANSPORT, USER, COUNT or CURSOR");
    }
  }
  return reader.finish(request);
}

Result<RouteSubscribeRequest> parse_route_subscribe(Words words) { return parse_subscription(words, true); }

Result<RouteSubscribeRequest> parse_route_unsubscribe(Words words) { return parse_subscription(words, false); }

Result<MatchRequest> parse_route_match(Words words) {
  ArgumentReader reader(words);
  MatchRequest request;
  ChannelOptions channel;
  DocumentOptions documents;
  PageOptions page;
  while (!reader.at_end()) {
    if (channel.take(reader) || documents.take(reader, request.change) || page.take(reader, request.change)) continue;
    if (!reader.option("WITHCHANNELS", request.with_channels)) {
      reader.unknown_word("APP, MODEL, USER, ID, DOC, OLD, WITHCHANNELS, LIMIT or AFTER");
    }
  }
  request.change.about = channel.finish(reader);
  page.finish(reader);
  return reader.finish(request);
}

Result<DispatchRequest> parse_route_dispatch(Words words) {
  ArgumentReader reader(words);
  DispatchRequest request;
  ChannelOptions channel;
  DocumentOptions documents;
  PageOptions page;
  bool event = false, id = false, origin = false, data = false;
  while (!reader.at_end()) {
    if (event && reader.option("ID", id)) {
      request.id = reader.name("ID", kMaxNameBytes);
    } else if (channel.take(reader) || documents.take(reader, request.change) || page.take(reader, request.change)) {
      continue;
    } else if (reader.option("EVENT", event)) {
      request.event = text(reader, "EVENT");
    } else if (reader.option("ORIGIN", origin)) {
      request.change.origin = device_name(reader).whole;
    } else if (reader.option("DATA", data)) {
      request.data = json(reader, "DATA");
    } else if (reader.keyword("QUEUES")) {
      if (reader.keyword("*")) {
        request.prefix = queue_prefix(reader);
        if (!reader.at_end()) reader.unknown_word("nothing more");
      } else {
        request.queues = words.last(reader.left());
        read_queues(reader);
      }
    } else {
      reader.unknown_word("APP, MODEL, USER, ID, DOC, OLD, EVENT, ORIGIN, DATA, LIMIT, AFTER or QUEUES");
    }
  }
  request.change.about = channel.finish(reader);
  page.finish(reader);
  if (!reader.failed() && !(event && (request.prefix || !request.queues.empty()))) {
    reader.fail(ErrorCode::Syntax, "EVENT must be given, and QUEUES with a transport and its log as the last words");
  }
  return reader.finish(request);
}

Result<SetFilterRequest> parse_route_setfilter(Words words) {
  ArgumentReader reader(words);
  SetFilterRequest request;
  request.name = text(reader, "filter-id");
  if (!reader.failed() && looks_like_filter_id(request.name)) {
    reader.fail(ErrorCode::Syntax, "32 hexadecimal digits are the id of a filter without a name, not a name");
  }
  request.filter = filter(reader);
  ChannelOptions channel;
  while (!reader.at_end()) {
    if (!channel.take(reader)) reader.unknown_word("APP, MODEL, USER or ID");
  }
  request.channel = channel.finish(reader);
  return reader.finish(std::move(request));
}

Result<DelFilterRequest> parse_route_delfilter(Words words) {
  ArgumentReader reader(words);
  DelFilterRequest request;
  request.id = text(reader, "filter-id");
  if (reader.failed()) return reader.error();
  auto channel = parse_route_patterns(words.subspan(1));
  if (!channel) return std::unexpected(channel.error());
  request.channel = *channel;
  return request;
}

Result<FiltersRequest> parse_route_filters(Words words) {
  ArgumentReader reader(words);
  FiltersRequest request;
  ChannelOptions channel;
  ListOptions list;
  while (!reader.at_end()) {
    if (channel.take(reader) || list.take(reader, request.count, request.cursor)) continue;
    reader.unknown_word("APP, MODEL, USER, ID, COUNT or CURSOR");
  }
  request.channel = channel.finish(reader);
  return reader.finish(request);
}

Result<SubscribersRequest> parse_route_subscribers(Words words) {
  ArgumentReader reader(words);
  SubscribersRequest request;
  ChannelOptions channel;
  ListOptions list;
  bool filter = false;
  while (!reader.at_end()) {
    if (channel.take(reader) || list.take_count(reader, request.count)) continue;
    if (reader.option("FILTERID", filter)) {
      request.filter_id = text(reader, "FILTERID");
    } else if (reader.option("CURSOR", list.cursor)) {
      request.cursor = subscriber_cursor(reader);
    } else {
      reader.unknown_word("APP, MODEL, USER, ID, FILTERID, COUNT or CURSOR");
    }
  }
  request.channel = channel.finish(reader);
  return reader.finish(request);
}

Result<PresenceRequest> parse_route_presence(Words words) {
  ArgumentReader reader(words);
  PresenceRequest request;
  if (reader.keyword("OFF")) {
    request.prefix = ByteView();
  } else if (reader.keyword("QUEUES")) {
    if (!reader.keyword("*")) reader.unknown_word("*");
    request.prefix = queue_prefix(reader);
    if (!reader.failed() && request.prefix->empty()) reader.fail(ErrorCode::Syntax, "the prefix is empty");
  } else if (!reader.at_end()) {
    reader.unknown_word("QUEUES or OFF");
  }
  return reader.finish(request);
}

Result<RouteChannel> parse_route_patterns(Words words) {
  ArgumentReader reader(words);
  ChannelOptions channel;
  while (!reader.at_end()) {
    if (!channel.take(reader)) reader.unknown_word("APP, MODEL, USER or ID");
  }
  return reader.finish(channel.finish(reader));
}

Result<PartitionRequest> parse_route_partition(Words words) {
  ArgumentReader reader(words);
  PartitionRequest request;
  // Enough for a channel whose parts all have the greatest length.
  request.channel = reader.name("channel", 4 * kMaxNameBytes + 32);
  if (reader.keyword("PARTITIONS")) {
    request.partitions = static_cast<uint32_t>(reader.number("PARTITIONS", 1, UINT32_MAX));
    if (!reader.at_end()) reader.unknown_word("nothing more");
  }
  if (!reader.at_end()) reader.unknown_word("PARTITIONS");
  return reader.finish(request);
}

Result<RouteEffect> parse_route_apply(Words words) {
  ArgumentReader reader(words);
  RouteEffect effect;
  if (reader.keyword(kRouteClock)) {
    effect.clock = UnixMs(reader.number(kRouteClock, 0, INT64_MAX));
  } else if (reader.keyword(kRoutePart)) {
    effect.part = reader.word(kRoutePart);
  } else if (reader.keyword(kRouteGone)) {
    effect.gone = reader.word(kRouteGone);
  } else if (reader.keyword(kRouteDispatched)) {
    effect.dispatched = reader.word(kRouteDispatched);
  } else {
    reader.unknown_word("CLOCK, PART, GONE or DISPATCHED");
  }
  return reader.finish(effect);
}

}  // namespace millrace::module
