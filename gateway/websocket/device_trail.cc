#include "gateway/websocket/device_trail.h"

#include <algorithm>

#include "gateway/json/json_object.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

constexpr size_t kMostStays = 16;
constexpr auto kLog = TopicKey::Kind::Log;

}  // namespace

std::optional<DeviceCursor> parse_device_cursor(std::string_view text) {
  const size_t slash = text.rfind('/');
  if (slash == text.npos || slash == 0 || text.size() > 1024) return std::nullopt;
  const std::string_view place = text.substr(slash + 1);
  // Before the first message of a log there is no position yet.
  if (place.empty()) return DeviceCursor{std::string(text.substr(0, slash)), {}};
  auto position = parse_position(kLog, place);
  if (!position) return std::nullopt;
  return DeviceCursor{std::string(text.substr(0, slash)), std::move(*position)};
}

DeviceTrail DeviceTrail::parse(std::string_view text) {
  DeviceTrail trail;
  const auto json = compact_json(text);
  const auto items = json ? json_items(*json) : std::nullopt;
  for (const std::string_view item : items.value_or(std::vector<std::string_view>())) {
    const auto stay = parse_device_cursor(json_string_value(item).value_or(""));
    if (!stay) return {};
    trail.stays_.push_back(*stay);
  }
  return trail;
}

std::string DeviceTrail::text() const {
  std::string json = "[";
  for (const DeviceCursor& stay : stays_) {
    if (json.size() > 1) json += ',';
    append_string(json, stay.text());
  }
  return json + ']';
}

std::vector<std::string> DeviceTrail::transports() const {
  std::vector<std::string> found;
  for (auto stay = stays_.rbegin(); stay != stays_.rend(); ++stay) {
    if (std::ranges::find(found, stay->transport) == found.end()) found.push_back(stay->transport);
  }
  return found;
}

void DeviceTrail::add(DeviceCursor stay) {
  stays_.push_back(std::move(stay));
  if (stays_.size() > kMostStays) stays_.erase(stays_.begin());
}

std::optional<std::vector<TrailPart>> DeviceTrail::parts_after(const DeviceCursor& cursor) const {
  size_t first = stays_.size();
  for (size_t i = 0; i < stays_.size(); ++i) {
    if (stays_[i].transport == cursor.transport && same_life(kLog, stays_[i].position, cursor.position) &&
        stays_[i].position.number <= cursor.position.number) {
      first = i;
    }
  }
  if (first == stays_.size()) return std::nullopt;
  std::vector<TrailPart> parts;
  for (size_t i = first; i < stays_.size(); ++i) {
    TrailPart part{stays_[i].transport, i == first ? cursor.position : stays_[i].position};
    // Messages of a later stay at the same log belong to that stay.
    for (size_t next = i + 1; next < stays_.size() && !part.up_to; ++next) {
      if (stays_[next].transport == part.transport) part.up_to = stays_[next].position.number;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace millrace::gateway
