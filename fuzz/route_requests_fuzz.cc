// The words of every command of the routing table, as a client may send them: see
// command_lines.h. The filters in them are tested by route_filter_fuzz.cc.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/base/limits.h"
#include "engine/base/utf8.h"
#include "engine/route/route_codec.h"
#include "fuzz/command_lines.h"
#include "module/route/route_requests.h"

namespace millrace::module {
namespace {

using fuzz::is_one_of;

void check_name(ByteView name, Words words) {
  REQUIRE(is_one_of(name, words));
  REQUIRE(!name.empty() && name.size() <= kMaxNameBytes && is_utf8(name));
}

void check_name(const std::optional<ByteView>& name, Words words) {
  if (name) check_name(*name, words);
}

void check(const DeviceName& device, Words words) {
  REQUIRE(is_one_of(device.whole, words) && is_utf8(device.whole));
  REQUIRE(!device.id.empty() && device.id.size() <= kMaxNameBytes);
  REQUIRE(!device.transport.empty() && device.transport.size() <= kMaxNameBytes);
  REQUIRE(device.whole.size() == device.id.size() + 1 + device.transport.size());
  REQUIRE(device.transport.find('|') == ByteView::npos);
}

void check(const RouteChannel& channel, Words words) {
  check_name(channel.app, words);
  check_name(channel.model, words);
  check_name(channel.user, words);
  check_name(channel.id, words);
}

void check(const DeviceSetRequest& request, Words words) {
  check(request.device, words);
  check_name(request.change.user, words);
  if (request.change.agent) {
    REQUIRE(is_one_of(*request.change.agent, words) && request.change.agent->size() <= kMaxAgent);
  }
  REQUIRE(request.change.ttl_ms.value_or(0) <= kMaxDurationMs);
}

void check(const DeviceGetRequest& request, Words words) {
  check(request.device, words);
  REQUIRE(request.listed.value_or(1) >= 1 && request.listed.value_or(1) <= kMaxReadCount);
}

void check(const DeviceTouchRequest& request, Words words) {
  REQUIRE(request.devices.size() == words.size());
  for (size_t i = 0; i < words.size(); ++i) REQUIRE(request.devices[i].data() == words[i].data());
}

void check(const DeviceMoveRequest& request, Words words) {
  check(request.from, words);
  check(request.to, words);
}

void check(const DeviceDelRequest& request, Words words) {
  if (request.device) return check(*request.device, words);
  check_name(request.transport, words);
  REQUIRE(request.count >= 1 && request.count <= 10'000);
}

void check(const DeviceListRequest& request, Words words) {
  check_name(request.transport, words);
  check_name(request.user, words);
  REQUIRE(request.count >= 1 && request.count <= kMaxReadCount && request.cursor <= UINT32_MAX);
}

void check(const RouteSubscribeRequest& request, Words words) {
  check(request.device, words);
  check(request.channel, words);
  check_name(request.filter_id, words);
  REQUIRE(!(request.filter && request.filter_id));
  if (request.filter) REQUIRE(!request.filter->json.empty());
  REQUIRE(request.ttl_ms.value_or(0) <= kMaxDurationMs);
}

void check(const RouteChange& change, Words words) {
  check(change.about, words);
  for (const auto& document : {change.document, change.old, change.origin}) {
    REQUIRE(!document || is_one_of(*document, words));
  }
  REQUIRE(change.limit.value_or(1) >= 1 && change.limit.value_or(1) <= kMaxReadCount);
}

void check(const MatchRequest& request, Words words) { check(request.change, words); }

void check(const DispatchRequest& request, Words words) {
  check(request.change, words);
  check_name(request.event, words);
  if (request.id) REQUIRE(is_one_of(*request.id, words) && !request.id->empty());
  if (request.data) REQUIRE(is_one_of(*request.data, words) && !request.data->empty());
  if (request.prefix) {
    REQUIRE(request.queues.empty() && is_one_of(*request.prefix, words) && request.prefix->size() <= kMaxQueuePrefix);
    return;
  }
  REQUIRE(!request.queues.empty() && request.queues.size() % 2 == 0);
  REQUIRE(request.queues.data() + request.queues.size() == words.data() + words.size());
  for (size_t i = 0; i < request.queues.size(); i += 2) check_name(request.queues[i], words);
}

void check(const SetFilterRequest& request, Words words) {
  check_name(request.name, words);
  check(request.channel, words);
}

void check(const DelFilterRequest& request, Words words) {
  check_name(request.id, words);
  check(request.channel, words);
}

void check(const FiltersRequest& request, Words words) {
  check(request.channel, words);
  REQUIRE(request.count >= 1 && request.count <= kMaxReadCount && request.cursor <= UINT32_MAX);
}

void check(const SubscribersRequest& request, Words words) {
  check(request.channel, words);
  check_name(request.filter_id, words);
  REQUIRE(request.count >= 1 && request.count <= kMaxReadCount);
}

void check(const PresenceRequest& request, Words words) {
  REQUIRE(!request.prefix || request.prefix->empty() || is_one_of(*request.prefix, words));
}

void check(const PartitionRequest& request, Words words) {
  REQUIRE(is_one_of(request.channel, words) && !request.channel.empty() && request.partitions >= 1);
}

void check(const RouteEffect& effect, Words words) {
  REQUIRE(effect.clock || is_one_of(effect.gone.value_or(effect.dispatched.value_or(effect.part)), words));
}

template <auto parser>
void parse_and_check(Words words) {
  fuzz::parse_bounded(parser, words, [&](const auto& request) { check(request, words); });
}

// A filter takes more memory than the words that contain it, and its errors have a path.
template <auto parser>
void parse_and_check_with_filter(Words words) {
  const auto request = parser(words);
  if (request) return check(*request, words);
  if (request.error().code != ErrorCode::BadFilter) return fuzz::check_error(request.error());
  REQUIRE(!request.error().text.empty() && request.error().text.size() <= 4096);
  REQUIRE(std::ranges::all_of(request.error().text, [](unsigned char c) { return c >= ' '; }));
}

constexpr fuzz::Command kCommands[] = {
    {"ROUTE.DEVICE SET", parse_and_check<parse_route_device_set>},
    {"ROUTE.DEVICE GET", parse_and_check<parse_route_device_get>},
    {"ROUTE.DEVICE TOUCH", parse_and_check<parse_route_device_touch>},
    {"ROUTE.DEVICE MOVE", parse_and_check<parse_route_device_move>},
    {"ROUTE.DEVICE DEL", parse_and_check<parse_route_device_del>},
    {"ROUTE.DEVICE LIST", parse_and_check<parse_route_device_list>},
    {"ROUTE.SUBSCRIBE", parse_and_check_with_filter<parse_route_subscribe>},
    {"ROUTE.UNSUBSCRIBE", parse_and_check_with_filter<parse_route_unsubscribe>},
    {"ROUTE.MATCH", parse_and_check<parse_route_match>},
    {"ROUTE.DISPATCH", parse_and_check<parse_route_dispatch>},
    {"ROUTE.SETFILTER", parse_and_check_with_filter<parse_route_setfilter>},
    {"ROUTE.DELFILTER", parse_and_check<parse_route_delfilter>},
    {"ROUTE.FILTERS", parse_and_check<parse_route_filters>},
    {"ROUTE.SUBSCRIBERS", parse_and_check<parse_route_subscribers>},
    {"ROUTE.PRESENCE", parse_and_check<parse_route_presence>},
    {"ROUTE.PATTERNS", parse_and_check<parse_route_patterns>},
    {"ROUTE.PARTITION", parse_and_check<parse_route_partition>},
    {"ROUTE.APPLY", parse_and_check<parse_route_apply>},
};

}  // namespace
}  // namespace millrace::module

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  millrace::fuzz::run(millrace::module::kCommands, bytes, size);
  return 0;
}
