// Presence of devices: events that name a device that connects or leaves, and changes on channels of the model
// "$presence".
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/bytes.h"

namespace millrace {

// The model of the channels on which presence changes are dispatched.
inline constexpr ByteView kPresenceModel = "$presence";

struct PresenceChange {
  enum class Kind : uint8_t { Connected, Left, Expired, Moved };
  Kind kind;
  std::string device;  // device|transport
  std::string user;    // empty: none
};

// "route.connected", "route.left", "route.expired" or "route.moved".
const char* presence_event(PresenceChange::Kind kind);

// The document of a device on a presence channel: {"device":"d1","transport":"ws","user":"ann"}.
std::string presence_document(const PresenceChange& change);

}  // namespace millrace
