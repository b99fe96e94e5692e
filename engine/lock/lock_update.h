// One update of a lock by an operation: everything that is done to the lock meanwhile becomes one effect, the object
// comes and goes with its holders, and its first lease to end becomes a date.
//
//   LockUpdate update(place, call, tokens, counters, done.consequences);
//   update.end_leases();
//   update.grant(...);
//   update.finish();
#pragma once

#include <optional>

#include "engine/lock/fencing_tokens.h"
#include "engine/lock/lock_codec.h"
#include "engine/lock/lock_counters.h"
#include "engine/lock/lock_requests.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"

namespace millrace {

// Most leases that one update ends; the others are ended by the next one.
inline constexpr size_t kLeasesPerTurn = 1000;

class LockUpdate {
 public:
  // Borrows all of them for as long as it lasts.
  LockUpdate(Place<Lock>& place, const Call& call, FencingTokens& tokens, LockCounters& counters, Consequences& follow)
      : place_(place), call_(call), tokens_(tokens), counters_(counters), follow_(follow) {
    if (place.get() == nullptr) made_.emplace();
  }

  // As it is by now; free if there is no such object.
  const Lock& lock() const { return place_.get() != nullptr ? *place_.get() : *made_; }

  // Ends leases whose time is over: those of up to kLeasesPerTurn owners, and of this one in any case. Nothing where
  // the engine does not decide.
  void end_leases(ByteView owner = {});

  // REQUIRES: Lock::admit() has said this of the owner and the mode: Fresh or Again
  const Holding& grant(Lock::Admission admission, const AcquireRequest& request);
  // A request has come with this mode: if it is another limit, that counts from now on.
  void take_limit_of(LockMode mode);
  // As Lock::renew() and Lock::release().
  bool renew(ByteView owner, uint64_t ttl_ms, Token at_least);
  // The owner is borrowed until the update is finished.
  std::optional<uint64_t> release(ByteView owner);
  // One hold less for a grant that was lost, if it is still there.
  void take_back(ByteView owner, Token token);

  // Ends the update: works out what follows. lock() and references into it are not valid after that.
  void finish();
  // The same for a request to release, which is told as it came if nothing else has happened: that is cheaper than an
  // effect, and depends on nothing but the lock.
  void finish_release();

 private:
  Lock& changing() { return place_.get() != nullptr ? *place_.get() : *made_; }
  // What has happened so far, to note the next change in.
  LockChanges& changes() {
    if (released_alone_) note_release();
    return changes_;
  }
  void note_release();
  void end_lease_of(ByteView owner);
  // What follows beside effects.
  void settle();

  Place<Lock>& place_;
  const Call& call_;
  FencingTokens& tokens_;
  LockCounters& counters_;
  Consequences& follow_;
  std::optional<Lock> made_;  // if the place is empty: put there if somebody holds it in the end
  LockChanges changes_;
  std::optional<ByteView> released_alone_;  // the owner, if nothing else has happened: not noted yet
  Token released_token_;
  Token newest_;  // of the grants
  bool expired_ = false, released_ = false, renewed_ = false, granted_ = false;
  bool has_new_limit_ = false, has_more_room_ = false;
};

}  // namespace millrace
