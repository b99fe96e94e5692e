#include "engine/feed/feed_reading.h"

#include <variant>

namespace millrace {

namespace {

Handed give(const FeedKeys::Found& found, Watch& watch, FeedHandout& handout, UnixMs wall) {
  if (found.log != nullptr) return handout.give(*found.log, watch);
  if (found.channel != nullptr) return handout.give(*found.channel, watch, wall);
  return Handed::Gone;
}

// The feed no longer watches the key, and reports that once.
void lose(Feed& feed, Watch& watch, FeedHandout& handout, bool is_elsewhere) {
  handout.lose(watch, is_elsewhere);
  feed.remove(watch);
}

void read_key(Feed& feed, Watch& watch, FeedKeys& keys, FeedHandout& handout, UnixMs wall) {
  const FeedKeys::Found found = keys.find(watch.key_name());
  if (found.is_hidden) return lose(feed, watch, handout, false);
  const bool is_unborn = found.is_missing && std::holds_alternative<BeforeBirth>(watch.position);
  if (is_unborn && !keys.is_elsewhere(watch.key_name())) return feed.set_idle(watch);
  switch (give(found, watch, handout, wall)) {
    case Handed::Gone:
      return lose(feed, watch, handout, keys.is_elsewhere(watch.key_name()));
    case Handed::NoRoom:
      return;
    case Handed::Some:
      keys.report_writes();
      return feed.put_last(watch);
    case Handed::Nothing:
    case Handed::All:
      keys.report_writes();
      return feed.set_idle(watch);
  }
}

}  // namespace

void read_feed(Feed& feed, FeedKeys& keys, FeedHandout& handout, UnixMs wall) {
  for (int i = 0; i < kMostKeysOfRead && !handout.is_full(); ++i) {
    Watch* watch = feed.next();
    if (watch == nullptr) break;
    read_key(feed, *watch, keys, handout, wall);
  }
  feed.messages += handout.given();
}

}  // namespace millrace
