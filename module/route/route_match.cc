#include <string>
#include <vector>

#include "module/route/route_shows.h"

namespace millrace::module {

namespace {

// Writes the devices of one answer. Strings that many of them share are made once.
class FoundWriter {
 public:
  FoundWriter(abi::Reply reply, const RouteTable& table, const RouteMatcher& matcher, const MatchRequest& request)
      : reply_(reply),
        table_(table),
        matcher_(matcher),
        has_old_(request.change.old),
        names_(request.with_channels || has_old_) {
    if (!names_) return;
    for (const RouteChannel& channel : matcher.patterns()) channels_.push_back(channel.name());
    for (const RouteMatcher::Hit& hit : matcher.hits()) {
      const RouteTarget& target = table.target(hit.target);
      filters_.push_back(target.filter.is_none() ? std::string() : table.filter_name(target));
    }
  }

  // device; with OLD [device, meaning, subscriptions], with WITHCHANNELS [device, subscriptions]
  void write(const RouteMatcher::Found& found) {
    if (names_) reply_.array(has_old_ ? 3 : 2);
    reply_.bytes(table_.device_id(found.device));
    if (has_old_) write_meaning(matcher_.meaning(found));
    if (names_) write_subscriptions(found);
  }

 private:
  void write_meaning(std::optional<Meaning> meaning) { meaning ? reply_.bytes(meaning_name(*meaning)) : reply_.null(); }

  // [[channel, filter or null, meaning or null], ...]
  void write_subscriptions(const RouteMatcher::Found& found) {
    reply_.array(matcher_.count_hits(found));
    matcher_.each_hit(found, [&](uint32_t number) {
      const RouteMatcher::Hit& hit = matcher_.hits()[number];
      reply_.array(3);
      reply_.bytes(channels_[hit.pattern]);
      filters_[number].empty() ? reply_.null() : reply_.bytes(filters_[number]);
      write_meaning(matcher_.meaning(hit));
    });
  }

  abi::Reply reply_;
  const RouteTable& table_;
  const RouteMatcher& matcher_;
  bool has_old_;
  bool names_;
  std::vector<std::string> channels_;  // by pattern
  std::vector<std::string> filters_;   // by hit; empty: everything
};

}  // namespace

void RouteMatch::show(abi::Reply reply, const Shown<RouteTable>& shown, const MatchRequest& request) {
  const auto matched = route_operations().match(shown.object, request.change, abi::now());
  if (!matched) return reply.error(matched.error());
  const auto& [table, matcher] = *matched;
  if (request.change.limit) {
    reply.array(2);
    reply.bytes(std::to_string(matcher.next_page()));
  }
  FoundWriter writer(reply, table, matcher, request);
  reply.array_later();
  uint64_t transports = 0;
  matcher.each_transport([&](TransportSlot transport, std::span<const RouteMatcher::Found> devices) {
    ++transports;
    reply.array(2);
    reply.bytes(table.transports()[transport].name);
    reply.array(devices.size());
    for (const auto& each : devices) writer.write(each);
  });
  reply.array_was(transports);
}

}  // namespace millrace::module
