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

std::string entry_head(const DispatchRequest& request) {
  const RouteChannel& about = request.change.about;
  std::string head = "{";
  append_member(head, "event", request.event);
  append_member(head, "app", about.app);
  append_member(head, "model", about.model);
  if (about.user) append_member(head, "user", *about.user);
  if (about.id) append_member(head, "id", *about.id);
  return head + "\"devices\":[";
}

std::string entry_tail(const DispatchRequest& request) {
  std::string tail = "]";
  if (request.change.document) tail.append(",\"document\":").append(*request.change.document);
  if (request.change.old) tail.append(",\"old\":").append(*request.change.old);
  if (request.data) tail.append(",\"data\":").append(*request.data);
  return tail + '}';
}

}  // namespace

DispatchEntries::DispatchEntries(const DispatchRequest& request, const RouteTable& table, const RouteMatcher& matcher)
    : table_(table), matcher_(matcher), head_(entry_head(request)), tail_(entry_tail(request)) {
  for (const RouteChannel& channel : matcher.patterns()) append_json_string(channels_.emplace_back(), channel.name());
  constexpr size_t kDevicesOfAHit = 4;
  const bool are_shared = matcher.found().size() >= kDevicesOfAHit * matcher.hits().size();
  for (const RouteMatcher::Hit& hit : matcher.hits()) {
    std::string& json = subscriptions_.emplace_back("[" + channels_[hit.pattern] + ',');
    const RouteTarget& target = table.target(hit.target);
    target.filter.is_none() ? void(json += "null") : append_json_string(json, table.filter_name(target));
    json += ',';
    const auto meaning = matcher.meaning(hit);
    meaning ? append_json_string(json, meaning_name(*meaning)) : void(json += "null");
    json += ']';
    if (!are_shared) continue;
    std::string& alone = alone_.emplace_back();
    if (meaning) append_member(alone, "change", meaning_name(*meaning));
    alone += "\"channels\":[" + channels_[hit.pattern] + "],\"subscriptions\":[" + json + "]}";
  }
}

std::string DispatchEntries::entry(std::span<const RouteMatcher::Found> devices) const {
  std::string entry = head_;
  entry.reserve(size_of(devices));
  for (const RouteMatcher::Found& found : devices) {
    if (&found != devices.data()) entry += ',';
    append_device(entry, found);
  }
  return entry + tail_;
}

// An estimate: names that need escapes are longer.
size_t DispatchEntries::size_of(std::span<const RouteMatcher::Found> devices) const {
  constexpr size_t kAroundName = sizeof(R"({"device":"",},)");
  size_t size = head_.size() + tail_.size();
  for (const RouteMatcher::Found& found : devices) {
    size += kAroundName + table_.device_id(found.device).size();
    matcher_.each_hit(found, [&](uint32_t hit) { size += (alone_.empty() ? subscriptions_ : alone_)[hit].size(); });
  }
  return size;
}

void DispatchEntries::append_device(std::string& to, const RouteMatcher::Found& found) const {
  to += R"({"device":)";
  append_json_string(to, table_.device_id(found.device));
  to += ',';
  if (found.first == found.last && !alone_.empty()) {
    to += alone_[matcher_.only_hit(found)];
    return;
  }
  if (const auto meaning = matcher_.meaning(found)) append_member(to, "change", meaning_name(*meaning));
  to += "\"channels\":[";
  unsigned written = 0;  // a bit for each pattern
  matcher_.each_hit(found, [&](uint32_t hit) {
    const unsigned bit = 1U << matcher_.hits()[hit].pattern;
    if ((written & bit) != 0) return;
    if (std::exchange(written, written | bit) != 0) to += ',';
    to += channels_[matcher_.hits()[hit].pattern];
  });
  to += "],\"subscriptions\":[";
  bool is_first = true;
  matcher_.each_hit(found, [&](uint32_t hit) {
    if (!std::exchange(is_first, false)) to += ',';
    to += subscriptions_[hit];
  });
  to += "]}";
}

}  // namespace millrace
