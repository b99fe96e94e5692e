// The feeds of a server. They are in memory only, and are dropped when they are not used for some time.
//
//   Feeds feeds(keys, limits);
//   Result<Feed*> feed = feeds.find(0, "dash", "ann", now);     NoFeed: add the keys again, with the positions you kept
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/feed/feed.h"

namespace millrace {

struct FeedLimits {
  uint64_t feeds = 10'000;
  uint64_t keys = 1'000'000;  // of one feed
};

// A feed that is not used for this time is dropped.
inline constexpr uint64_t kFeedIdleMs = 60'000;

class Feeds {
 public:
  // Borrows both for its own lifetime; the limits may change meanwhile.
  Feeds(WatchedKeys& keys, const FeedLimits& limits) : keys_(keys), limits_(limits) {}

  size_t size() const { return feeds_.size(); }

  // The feed of that name, if it has not expired at `now`. Failure: NoFeed; NoRights if another user created it.
  Result<Feed*> find(int database, ByteView name, ByteView user, MonotonicMs now) const;
  // The same, or a new one. Failure: NoRights; Full if the limit on feeds is reached.
  Result<Feed*> find_or_make(int database, ByteView name, ByteView user, MonotonicMs now);

  // Watches a key in a feed, or replaces its position. is_new: the key was not watched before. Failure: Full.
  struct Added {
    Watch* watch;
    bool is_new;
  };
  Result<Added> watch(Feed& feed, ByteView key, FeedPosition position, bool is_notice);

  // Removes the feeds that were not used for kFeedIdleMs and returns them, for the caller to free. O(n) with n feeds.
  std::vector<std::unique_ptr<Feed>> take_expired(MonotonicMs now);

  // Calls visit(feed) for each, ordered by database and name, including expired feeds that were not removed yet.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [key, feed] : feeds_) visit(*feed);
  }
  // The same until visit(feed) returns false, each feed at most once. The next call begins after the last feed visited.
  template <class Visit>
  void each_in_turn(Visit visit) {
    auto at = feeds_.upper_bound(last_visited_);
    for (size_t i = 0; i < feeds_.size(); ++i, ++at) {
      if (at == feeds_.end()) at = feeds_.begin();
      last_visited_ = at->first;
      if (!visit(*at->second)) return;
    }
  }
  static bool is_expired(const Feed& feed, MonotonicMs now) {
    return feed.waiting == 0 && now >= feed.last_used + kFeedIdleMs;
  }

  // The feeds in which a key became dirty while readers wait; each is listed once until it is taken.
  bool has_woken() const { return !woken_.empty(); }
  std::vector<Feed*> take_woken();

 private:
  using Key = std::pair<int, std::string>;

  Key last_visited_;  // by each_in_turn()
  WatchedKeys& keys_;
  const FeedLimits& limits_;
  std::vector<Feed*> woken_;
  std::vector<std::unique_ptr<Feed>> replaced_;  // expired feeds whose name was given to a new feed
  std::map<Key, std::unique_ptr<Feed>> feeds_;
};

}  // namespace millrace
