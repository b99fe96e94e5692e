#include "engine/feed/feeds.h"

#include <algorithm>

#include "engine/base/quoted.h"

namespace millrace {

Result<Feed*> Feeds::find(int database, ByteView name, ByteView user, MonotonicMs now) const {
  const auto found = feeds_.find({database, std::string(name)});
  if (found == feeds_.end() || is_expired(*found->second, now)) {
    return fail(ErrorCode::NoFeed,
                "no feed " + quoted(name) + ", or nobody has read it for 60 seconds: add its keys again");
  }
  Feed& feed = *found->second;
  if (feed.user() != user) {
    return fail(ErrorCode::NoRights, "the feed " + quoted(name) + " belongs to another user");
  }
  return &feed;
}

Result<Feed*> Feeds::find_or_make(int database, ByteView name, ByteView user, MonotonicMs now) {
  auto found = find(database, name, user, now);
  if (found || found.error().code != ErrorCode::NoFeed) return found;
  const Key key{database, std::string(name)};
  const bool has_expired = feeds_.contains(key);
  if (!has_expired && feeds_.size() >= limits_.feeds) {
    return fail(ErrorCode::Full, "there are as many feeds as millrace.feeds allows");
  }
  std::unique_ptr<Feed>& feed = feeds_[key];
  if (has_expired) replaced_.push_back(std::move(feed));
  feed = std::make_unique<Feed>(keys_, woken_, database, key.second, std::string(user));
  feed->last_used = now;
  return feed.get();
}

Result<Feeds::Added> Feeds::watch(Feed& feed, ByteView key, FeedPosition position, bool is_notice) {
  Watch* known = feed.find(key);
  if (known == nullptr && feed.size() >= limits_.keys) {
    return fail(ErrorCode::Full, "the feed watches as many keys as millrace.feed-keys allows");
  }
  Watch& watch = known != nullptr ? *known : feed.add(key, position);
  watch.position = position;
  watch.is_notice = is_notice;
  feed.set_idle(watch);
  return Added{.watch = &watch, .is_new = known == nullptr};
}

std::vector<std::unique_ptr<Feed>> Feeds::take_expired(MonotonicMs now) {
  std::vector<std::unique_ptr<Feed>> expired = std::exchange(replaced_, {});
  for (auto at = feeds_.begin(); at != feeds_.end();) {
    if (!is_expired(*at->second, now)) {
      ++at;
      continue;
    }
    expired.push_back(std::move(at->second));
    at = feeds_.erase(at);
  }
  for (const auto& feed : expired) std::erase(woken_, feed.get());
  return expired;
}

std::vector<Feed*> Feeds::take_woken() {
  for (Feed* feed : woken_) feed->is_woken_ = false;
  return std::exchange(woken_, {});
}

}  // namespace millrace
