// The subscribers of a channel: by name, and in the order of their last activity. All subscribers of a channel have the
// same time to live, so the expired ones are always in front, and only those are looked at.
#pragma once

#include <algorithm>
#include <iterator>
#include <list>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/hash_index.h"
#include "engine/base/keyed_hash.h"
#include "engine/base/strong.h"

namespace millrace {

struct Subscriber {
  std::string name;
  Offset position;  // acknowledged up to here
  UnixMs active;    // when it last subscribed, fetched or acknowledged
};

class Subscribers {
 public:
  explicit Subscribers(const HashKey& key) : key_(key) {}
  Subscribers(Subscribers&&) noexcept = default;
  Subscribers& operator=(Subscribers&&) noexcept = default;

  Subscribers clone() const;

  size_t size() const { return by_activity_.size(); }

  // Null if there is none. Valid until it is removed.
  Subscriber* find(ByteView name);
  const Subscriber* find(ByteView name) const { return const_cast<Subscribers*>(this)->find(name); }

  // REQUIRES: there is none of that name; no subscriber was active later.
  Subscriber& add(ByteView name, Offset position, UnixMs active);

  // Records activity of the subscriber. REQUIRES: no subscriber was active later. O(1).
  void touch(Subscriber& subscriber, UnixMs now);

  void remove(Subscriber& subscriber);

  // Removes at most `limit` subscribers that were last active before `date`. There may be a hundred thousand, and the
  // rest can wait: lookups no longer find them.
  void remove_inactive(UnixMs date, size_t limit);

  // The longest inactive first.
  auto begin() const { return by_activity_.begin(); }
  auto end() const { return by_activity_.end(); }
  // The first subscriber that was active at `date` or later. Looks only at those before it.
  auto since(UnixMs date) const {
    return std::ranges::find_if(by_activity_, [&](const Subscriber& subscriber) { return subscriber.active >= date; });
  }
  size_t count_inactive(UnixMs date) const { return static_cast<size_t>(std::distance(begin(), since(date))); }

  uint64_t memory() const;
  const char* check() const;

 private:
  using Order = std::list<Subscriber>;

  uint32_t hash(ByteView name) const { return static_cast<uint32_t>(keyed_hash(key_, name)); }
  Order::iterator* locate(ByteView name);

  HashKey key_;
  Order by_activity_;
  HashIndex<Order::iterator> by_name_;
};

}  // namespace millrace
