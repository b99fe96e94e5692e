// Where a device has been connected: at which gateways one after the other, and from which position of each one's log
// on. It is kept at the server, so that a device may come back at any gateway, with a cursor of any earlier one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/stream/message.h"

namespace millrace::gateway {

// A place in the changes of a device: which transport's log, and where in it. Written "ws.gateway/epoch.offset".
struct DeviceCursor {
  std::string transport;
  Position position;

  std::string text() const { return transport + '/' + position.text; }
};

// Nothing: it is none.
std::optional<DeviceCursor> parse_device_cursor(std::string_view text);

// A part of a log to read changes from.
struct TrailPart {
  std::string transport;
  Position after;
  std::optional<int64_t> up_to = {};  // the last offset; nothing: all there is
};

class DeviceTrail {
 public:
  // As text() wrote it; anything else is an empty trail.
  static DeviceTrail parse(std::string_view text);
  std::string text() const;

  bool is_empty() const { return stays_.empty(); }
  // The transport that the device is at, or was last. REQUIRES: not empty.
  const DeviceCursor& last() const { return stays_.back(); }
  // All transports, the last one first, each once.
  std::vector<std::string> transports() const;
  // From this position on the device is there. Stays that are long past are forgotten.
  void add(DeviceCursor stay);

  // What has come for the device behind the cursor, in order; the last part is of the transport where it is now.
  // Nothing: the cursor is none of this trail.
  std::optional<std::vector<TrailPart>> parts_after(const DeviceCursor& cursor) const;

 private:
  std::vector<DeviceCursor> stays_;
};

}  // namespace millrace::gateway
