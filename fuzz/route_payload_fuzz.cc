// A routing table from untrusted bytes, as RESTORE and ROUTE.APPLY bring them: its parts, each with its length before
// it, for a new table and for one in use. Whatever a part says, the table is valid after it, and unchanged
// if it was refused; it can be saved and loaded, and works like any other.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/decoder.h"
#include "engine/route/route_codec.h"
#include "engine/route/route_match.h"
#include "fuzz/require.h"
#include "tests/model/route_facts.h"

namespace millrace {
namespace {

using testing::route_facts;

constexpr RouteChannel kTask{"shop", "task", std::nullopt, std::nullopt};
constexpr RouteChannel kMine{"shop", "task", "u", std::nullopt};

TargetSlot filtered(RouteTable& table, const RouteChannel& channel, ByteView json) {
  const auto filter = parse_filter(json);
  REQUIRE(filter);
  return table.filtered(channel, *filter, filter_json(*filter));
}

// Two devices, one with an expiry; subscriptions to everything, to a filter, and to a named filter.
void fill(RouteTable& table) {
  table.tick(UnixMs(1000));
  table.set_device(*parse_device_name("a|ws"), {.user = "u", .agent = {}, .ttl_ms = 500});
  table.subscribe(*parse_device_name("a|ws"), table.everything(kTask), std::nullopt);
  table.subscribe(*parse_device_name("b|mqtt"), filtered(table, kMine, "{\"n\":{\"$gt\":1}}"), 700);
  const auto filter = parse_filter("{\"prio\":\"high\"}");
  table.set_filter(kTask, "high", *filter, filter_json(*filter));
  table.subscribe(*parse_device_name("a|ws"), table.find_filter_id(kTask, "high"), 300);
}

// False at the end of the input.
bool restore_next(RouteTable& table, Decoder& parts) {
  const ByteView part = parts.bytes(parts.number());
  if (!parts.ok()) return false;
  const auto before = route_facts(table);
  const UnixMs clock = table.clock();
  const auto restored = restore_route_part(table, part);
  REQUIRE(table.check() == nullptr);
  if (restored) return true;
  REQUIRE(restored.error().code == ErrorCode::Corrupt && !restored.error().text.empty());
  REQUIRE(table.clock() == clock && route_facts(table) == before);
  return true;
}

void require_comes_back(const RouteTable& table) {
  RouteTable again{HashKey{1}};
  encode_route_table(table, [&](ByteView part) { REQUIRE(restore_route_part(again, part)); });
  REQUIRE(again.check() == nullptr);
  REQUIRE(again.clock() == table.clock() && route_facts(again) == route_facts(table));
}

// A new device is found; all others expire or are deleted.
void go_on(RouteTable& table) {
  const DeviceName fresh = *parse_device_name("fresh|fuzz");
  table.set_device(fresh, {.user = {}, .agent = {}, .ttl_ms = 0});
  table.subscribe(fresh, filtered(table, kMine, "{\"n\":5}"), std::uint64_t{0});
  REQUIRE(table.check() == nullptr);
  RouteMatcher matcher;
  RouteChange change;
  change.about = {"shop", "task", "u", "i"};
  change.document = "{\"n\":5,\"prio\":\"high\"}";
  change.old = "{\"n\":[1,2]}";
  REQUIRE(matcher.match(table, change, table.clock()));
  bool is_found = false;
  for (const auto& found : matcher.found()) is_found |= table.device_at(found.device).name == fresh.whole;
  REQUIRE(is_found);
  std::vector<std::string> names;
  table.scan_devices(0, UINT64_MAX, table.clock(), [&](const Device& device) { names.push_back(device.name); });
  for (const std::string& name : names) {
    REQUIRE(table.touch(name));
    if (name != fresh.whole) REQUIRE(table.delete_device(name));
  }
  while (table.sweep(100)) REQUIRE(table.check() == nullptr);
  REQUIRE(table.check() == nullptr);
  REQUIRE(table.counts().devices == 1 && table.counts().subscriptions == 1);
}

}  // namespace
}  // namespace millrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace millrace;
  for (const bool is_new : {true, false}) {
    RouteTable table{HashKey{}};
    if (!is_new) fill(table);
    Decoder parts({reinterpret_cast<const char*>(bytes), size});
    // A bounded number, because everything is checked after each one.
    for (int i = 0; i < 30 && !parts.finished() && restore_next(table, parts);) ++i;
    require_comes_back(table);
    go_on(table);
  }
  return 0;
}
