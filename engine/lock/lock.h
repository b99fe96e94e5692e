// A lock: who holds it, in which mode, how often, and until when. A lock without a holder has no state at all; its
// owner drops it.
//
//   mode        who may hold it at the same time
//   exclusive   one owner
//   shared      any number of owners, all of them shared
//   limit n     up to n owners. Each request may have another n: the newest applies to new owners
//
// Waiting clients are not part of the lock: their line is stored where they can be woken. A lock reads no clock and
// makes no tokens; both are arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/lock/lease.h"
#include "engine/lock/lock_holder.h"
#include "engine/lock/several_holders.h"

namespace millrace {

class LockMode {
 public:
  enum class Kind : uint8_t { Exclusive = 1, Shared = 2, Limit = 3 };  // do not change: persisted

  static constexpr LockMode exclusive() { return {Kind::Exclusive, 1}; }
  static constexpr LockMode shared() { return {Kind::Shared, 0}; }
  // REQUIRES: 1 <= permits <= UINT32_MAX
  static constexpr LockMode limit(uint64_t permits) { return {Kind::Limit, static_cast<uint32_t>(permits)}; }

  constexpr Kind kind() const { return kind_; }
  // How many owners may hold it at a time.
  constexpr uint64_t permits() const { return kind_ == Kind::Shared ? UINT64_MAX : permits_; }
  // exclusive, shared or limit
  constexpr ByteView name() const {
    return kind_ == Kind::Exclusive ? "exclusive" : kind_ == Kind::Shared ? "shared" : "limit";
  }

  // Whether owners can hold the lock in both modes at the same time: the n of limits may differ.
  constexpr bool goes_with(LockMode other) const { return kind_ == other.kind_; }

  friend constexpr bool operator==(LockMode, LockMode) = default;

 private:
  constexpr LockMode(Kind kind, uint32_t permits) : kind_(kind), permits_(permits) {}

  Kind kind_;
  uint32_t permits_;  // 0 for shared
};

class Lock {
 public:
  Lock() = default;
  Lock(Lock&&) = default;
  Lock& operator=(Lock&&) = default;
  Lock clone() const;

  bool is_free() const { return sole_ == nullptr && several_ == nullptr; }
  size_t holding() const { return several_ != nullptr ? several_->size() : sole_ != nullptr ? 1 : 0; }
  // Calls visit(holder) for each one, by owner, until it returns false.
  template <class Visit>
  void each_holder(Visit visit) const {
    if (sole_ != nullptr) visit(*sole_);
    if (several_ == nullptr) return;
    for (const auto& [owner, holder] : several_->by_owner()) {
      if (!visit(*holder)) return;
    }
  }
  // The mode of the holders; if there are none, of the last holders.
  LockMode mode() const { return mode_; }

  // What this owner holds, or null. O(log n) with n holders, like all functions here unless they say otherwise.
  const Holding* find(ByteView owner) const;
  const LockHolder* find_holder(ByteView owner) const;

  // The VALUE that the owner has stored; empty if there is none. Borrowed until the lock changes.
  ByteView value_of(ByteView owner) const;
  // The holder with the greatest token among those whose leases are not over, or null. O(n) with n of them over.
  const LockHolder* newest(MonotonicMs now) const;

  // True if one more owner can hold it in this mode. The greater of the two limits applies, so that a waiting request
  // with a smaller limit does not hold back requests after it that have a greater one.
  bool has_room_for(LockMode mode) const;

  // Whether a request is granted. No client overtakes the line, except an owner that holds the
  // lock already: otherwise it would wait for itself.
  enum class Admission { Fresh, Again, Wait, OtherMode };
  Admission admit(ByteView owner, LockMode mode, bool others_wait) const;

  // Grants it: fresh with this token, or once more with the token that the owner has, and with the longer one of both
  // leases. REQUIRES: admit() says Fresh or Again
  const Holding& grant(ByteView owner, LockMode mode, const Lease& lease, Token fresh);
  // Replaces the lease, and the token if this one is greater. False if the owner does not hold
  // the lock.
  bool renew(ByteView owner, const Lease& lease, Token at_least = Token(0));
  // Removes one hold. Returns how many are left, or nullopt if the owner does not hold the lock.
  std::optional<uint64_t> release(ByteView owner);
  // The same for a holder that was looked up already.
  uint64_t release(const LockHolder& holder);

  // Sets the limit for new owners. REQUIRES: mode().goes_with(mode)
  void set_limit(LockMode mode) { mode_ = mode; }
  // REQUIRES: the owner holds it
  void set_value(ByteView owner, ByteView value);

  // Sets what the owner holds, whatever it held before: the effect of every grant, renewal and
  // release.
  // REQUIRES: each holder's mode goes with this one
  void put(ByteView owner, LockMode mode, const Holding& holding);
  // True if the owner held it.
  bool remove(ByteView owner);

  // The holder whose lease ends first. REQUIRES: !is_free()
  const LockHolder& first_to_end() const { return sole_ != nullptr ? *sole_ : *several_->by_end().begin()->second; }
  // The milliseconds until there may be room for this mode, and until the lock may be free, if no
  // client renews or acquires meanwhile. 0 if that is the case now.
  uint64_t ms_until_room(LockMode mode, MonotonicMs now) const;
  uint64_t ms_until_free(MonotonicMs now) const;

  // Owners whose leases are over, the first to end first; at most `most`.
  std::vector<std::string> over(MonotonicMs now, size_t most) const;
  // How many leases are over. O(n) with n of them.
  size_t count_over(MonotonicMs now) const;

  size_t memory() const;

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  // put() and remove() for an owner that was looked up already.
  const Holding& put_at(const LockHolder* found, ByteView owner, LockMode mode, const Holding& holding);
  void remove_at(const LockHolder& found);
  SeveralHolders& make_several();
  void make_sole_if_possible();
  MonotonicMs last_end() const;

  LockMode mode_ = LockMode::exclusive();
  // At most one of these is set. Most locks have one holder without a VALUE.
  LockHolder::Owned sole_;
  std::unique_ptr<SeveralHolders> several_;
};

}  // namespace millrace
