#include "engine/route/dispatch_entry.h"

#include <utility>
#include <vector>

#include "engine/base/json_text.h"

namespace millrace {

namespace {

void append_member(std::string& to, ByteView name, ByteView text) {
  append_json_string(to, name);
  to += ':';
  append_json_string(to, text);
  to += ',';
}

// The channels' names, each as JSON, written once however many devices there are.
std::vector<std::string> channel_texts(const RouteMatcher& matcher) {
  std::vector<std::string> texts;
  for (const RouteChannel& channel : matcher.patterns()) append_json_string(texts.emplace_back(), channel.name());
  return texts;
}

}  // namespace

std::string dispatch_entry(const DispatchRequest& request, const RouteTable& table, const RouteMatcher& matcher,
                           std::span<const RouteMatcher::Found> devices) {
  const RouteChange& change = request.change;
  std::string entry = "{";
  append_member(entry, "event", request.event);
  append_member(entry, "app", change.about.app);
  append_member(entry, "model", change.about.model);
  if (change.about.user) append_member(entry, "user", *change.about.user);
  if (change.about.id) append_member(entry, "id", *change.about.id);
  entry += "\"devices\":[";
  const std::vector<std::string> channels = channel_texts(matcher);
  for (const RouteMatcher::Found& found : devices) {
    if (&found != devices.data()) entry += ',';
    entry += '{';
    append_member(entry, "device", table.device_id(found.device));
    if (const auto meaning = matcher.meaning(found)) append_member(entry, "change", meaning_name(*meaning));
    entry += "\"channels\":[";
    bool is_first = true;
    for (size_t i = 0; i < channels.size(); ++i) {
      if ((found.channels >> i & 1) == 0) continue;
      if (!std::exchange(is_first, false)) entry += ',';
      entry += channels[i];
    }
    entry += "]}";
  }
  entry += ']';
  if (change.document) entry.append(",\"document\":").append(*change.document);
  if (change.old) entry.append(",\"old\":").append(*change.old);
  return entry + '}';
}

}  // namespace millrace
