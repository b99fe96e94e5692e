// The history of a device's connections: at which gateways, one after the other, and from which position of each
// gateway's log on. It is stored on the server, so that a device may reconnect at any gateway, with a cursor of any
// earlier one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/stream/message.h"

namespace millrace::gateway {

// A position in the changes of a device: the transport's log, and the position in it. Written
// "ws.gateway/epoch.offset".
struct DeviceCursor {
  std::string transport;
  Position position;

  std::string text() const { return transport + '/' + position.text; }
};

// nullopt: invalid.
std::optional<DeviceCursor> parse_device_cursor(std::string_view text);

// A part of a log to read changes from.
struct TrailPart {
  std::string transport;
  Position after;
  std::optional<int64_t> up_to = {};  // the last offset; nullopt: to the end
};

class DeviceTrail {
 public:
  // Parses the format of text(); anything else becomes an empty trail.
  static DeviceTrail parse(std::string_view text);
  std::string text() const;

  bool is_empty() const { return stays_.empty(); }
  // The transport where the device is, or was last. REQUIRES: not empty.
  const DeviceCursor& last() const { return stays_.back(); }
  // All transports, the last one first, each once.
  std::vector<std::string> transports() const;
  // From this position on, the device is at this transport. Old stays are dropped.
  void add(DeviceCursor stay);

  // The parts of logs after the cursor, in order; the last one is of the current transport. nullopt: the cursor does
  // not belong to this trail.
  std::optional<std::vector<TrailPart>> parts_after(const DeviceCursor& cursor) const;

 private:
  std::vector<DeviceCursor> stays_;
};

}  // namespace millrace::gateway
