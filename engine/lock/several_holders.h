// The holders of a lock with several holders, or with one that has stored a VALUE: by owner, by the end of their leases
// and by token. A lock with one holder and no VALUE does not need this.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "engine/lock/lock_holder.h"

namespace millrace {

class SeveralHolders {
 public:
  size_t size() const { return by_owner_.size(); }
  bool has_values() const { return !values_.empty(); }

  // Null if the owner holds nothing. O(log n), as all functions here.
  const LockHolder* find(ByteView owner) const;
  const LockHolder& first() const { return *by_owner_.begin()->second; }

  // REQUIRES: its owner holds nothing.
  void add(LockHolder::Owned holder);
  // REQUIRES for both: the holder is one of these.
  void change(const LockHolder& holder, const Holding& holding);
  void remove(const LockHolder& holder);
  // The only holder left. REQUIRES: size() == 1, and afterwards only the destructor is called.
  LockHolder::Owned take_last() { return std::move(by_owner_.begin()->second); }

  // The VALUE of an owner; empty if there is none.
  ByteView value_of(ByteView owner) const;
  // REQUIRES: the owner is one of these, or the value is empty.
  void set_value(ByteView owner, ByteView value);

  using ByOwner = std::map<ByteView, LockHolder::Owned>;  // the name is in the holder
  using ByEnd = std::set<std::pair<MonotonicMs, const LockHolder*>>;
  using ByToken = std::set<std::pair<Token, const LockHolder*>>;
  const ByOwner& by_owner() const { return by_owner_; }
  const ByEnd& by_end() const { return by_end_; }
  const ByToken& by_token() const { return by_token_; }
  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }

  size_t memory() const;

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  void index(const LockHolder& holder) {
    by_end_.emplace(holder.holding.lease.end, &holder);
    by_token_.emplace(holder.holding.token, &holder);
  }
  void forget(const LockHolder& holder) {
    by_end_.erase({holder.holding.lease.end, &holder});
    by_token_.erase({holder.holding.token, &holder});
  }

  ByOwner by_owner_;
  ByEnd by_end_;
  ByToken by_token_;
  std::map<std::string, std::string, std::less<>> values_;  // by owner
  size_t holder_bytes_ = 0;
};

}  // namespace millrace
