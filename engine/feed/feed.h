// A feed: keys that one reader watches, each with the position up to which it was read. Keys with new messages (dirty
// keys) are in a queue, once each, and are handed out in turn. A slow reader does not need more memory: a key that is
// in the queue keeps its place, however much is written to it.
//
//   dirty    [k7] [k2] [k9]              handed out from the front; a key with more to read goes to the end
//   idle     [k1] [k3] ...               nothing new since it was read
//   unborn   [k4] ...                    idle, and there was no such key yet
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/strong.h"
#include "engine/feed/feed_position.h"
#include "engine/watching/watched_keys.h"

namespace millrace {

class Feed;

// One key of a feed. There may be a million, so its members are in the order that leaves the fewest bytes unused.
class Watch final : public Watcher {
  enum class Line : uint8_t { Dirty, Idle, Unborn };

 public:
  explicit Watch(Feed& feed) : feed_(feed) {}

  const Feed& feed() const { return feed_; }

  FeedPosition position;
  bool is_notice = false;  // handed out without messages

 private:
  friend class Feed;
  friend class WatchList;

  void key_changed() override;

  Line line_ = Line::Idle;
  Feed& feed_;
  Watch* before_ = nullptr;
  Watch* behind_ = nullptr;
};
static_assert(sizeof(Watch) <= 96);

// A linked list of watches; it does not own them.
class WatchList {
 public:
  size_t size() const { return size_; }
  Watch* first() const { return first_; }
  void add_last(Watch& watch);
  void remove(Watch& watch);
  const char* check(Watch::Line line) const;

 private:
  friend class Feed;
  Watch* first_ = nullptr;
  Watch* last_ = nullptr;
  size_t size_ = 0;
};

class Feed {
 public:
  // All keys are of one database. Borrows `keys` and `woken` for its lifetime. It adds itself to `woken` when a key
  // becomes dirty while readers wait.
  Feed(WatchedKeys& keys, std::vector<Feed*>& woken, int database, std::string name, std::string user)
      : keys_(keys), woken_(woken), database_(database), name_(std::move(name)), user_(std::move(user)) {}
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  // O(n) with n keys: see free_some().
  ~Feed();

  int database() const { return database_; }
  const std::string& name() const { return name_; }
  // The user that created it; no other user may use it.
  const std::string& user() const { return user_; }
  size_t size() const { return dirty_.size() + idle_.size() + unborn_.size(); }
  size_t dirty() const { return dirty_.size(); }

  // --- keys ---
  // Null if it does not watch the key. O(n) with n feeds that watch it.
  Watch* find(ByteView key) const;
  // Watches a key from now on; the key is not dirty yet. REQUIRES: find(key) is null
  Watch& add(ByteView key, FeedPosition position);
  void remove(Watch& watch);

  // --- handing out ---
  // The key whose turn it is; null if none is dirty.
  Watch* next() const { return dirty_.first(); }
  // All messages of the key have been handed out.
  void set_idle(Watch& watch);
  // The key has more to read, or something new: puts it at the end of the queue, unless it is in the queue.
  void set_dirty(Watch& watch);
  void put_last(Watch& watch);
  // The next of the keys that did not exist yet, each in turn; null if there is none.
  Watch* next_unborn();
  size_t unborn() const { return unborn_.size(); }

  // --- its readers --- When a client last read the feed or added a key, and how many clients wait in a read.
  MonotonicMs last_used;
  uint32_t waiting = 0;
  // How many messages were handed out so far.
  uint64_t messages = 0;
  // Adds the feed to the woken ones if it has waiting readers and messages for them.
  void wake_readers();

  // Removes some keys; false once none is left. For a feed that can no longer be reached.
  bool free_some();

  size_t memory() const;
  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  friend class Watch;
  friend class Feeds;

  WatchList& line_of(const Watch& watch);
  void move_to(Watch& watch, Watch::Line line);

  WatchedKeys& keys_;
  std::vector<Feed*>& woken_;
  const int database_;
  const std::string name_;
  const std::string user_;
  WatchList dirty_;
  WatchList idle_;
  WatchList unborn_;
  bool is_woken_ = false;  // the feed is in the list of woken feeds
};

}  // namespace millrace
