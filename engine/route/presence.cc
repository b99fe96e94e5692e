#include "engine/route/presence.h"

#include "engine/base/json_text.h"
#include "engine/route/route_table.h"

namespace millrace {

const char* presence_event(PresenceChange::Kind kind) {
  switch (kind) {
    case PresenceChange::Kind::Connected:
      return "route.connected";
    case PresenceChange::Kind::Left:
      return "route.left";
    case PresenceChange::Kind::Expired:
      return "route.expired";
    case PresenceChange::Kind::Moved:
      return "route.moved";
  }
  return "";
}

std::string presence_document(const PresenceChange& change) {
  const auto name = parse_device_name(change.device);
  std::string json = "{\"device\":";
  append_json_string(json, name->id);
  json += ",\"transport\":";
  append_json_string(json, name->transport);
  if (!change.user.empty()) {
    json += ",\"user\":";
    append_json_string(json, change.user);
  }
  return json + '}';
}

}  // namespace millrace
