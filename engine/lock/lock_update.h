// One update of a lock by an operation. All changes of the lock during the update become one effect. The object is
// created with its first holder and removed with its last one, and the end of its first lease becomes a date.
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

// The most leases that one update ends; the next update ends the others.
inline constexpr size_t kLeasesPerTurn = 1000;

class LockUpdate {
 public:
  // All arguments are borrowed and must outlive the update.
  LockUpdate(Place<Lock>& place, const Call& call, FencingTokens& tokens, LockCounters& counters, Consequences& follow)
      : place_(place), call_(call), tokens_(tokens), counters_(counters), follow_(follow), changes_(call.now.clock_id) {
    if (place.get() == nullptr) made_.emplace();
  }

  // The lock with all changes so far; a free lock if there is no object.
  const Lock& lock() const { return place_.get() != nullptr ? *place_.get() : *made_; }

  // Ends leases whose time is over: those of up to kLeasesPerTurn owners, and always that of `owner`. Does nothing if
  // the engine does not decide (Call::decides).
  void end_leases(ByteView owner = {});

  // REQUIRES: Lock::admit() has returned `admission` for the owner and the mode, and it is Fresh or Again
  const Holding& grant(Lock::Admission admission, const AcquireRequest& request);
  // Called for each request: if its mode has another limit than the lock, the new limit applies from now on.
  void take_limit_of(LockMode mode);
  // As Lock::renew() and Lock::release().
  bool renew(ByteView owner, uint64_t ttl_ms, Token at_least);
  // The owner is borrowed until the update is finished.
  std::optional<uint64_t> release(ByteView owner);
  // Removes one hold, for a grant that did not reach its client, if the owner still holds the lock with this token.
  void take_back(ByteView owner, Token token);

  // Ends the update and computes its consequences. Afterwards lock() and references into it are not valid.
  void finish();
  // The same for a request to release. If nothing else has happened, the request itself is replicated: that is cheaper
  // than an effect, and its outcome depends only on the lock.
  void finish_release();

 private:
  Lock& changing() { return place_.get() != nullptr ? *place_.get() : *made_; }
  // The changes so far, to which the next one is added.
  LockChanges& changes() {
    if (released_alone_) note_release();
    return changes_;
  }
  void note_release();
  void end_lease_of(ByteView owner);
  // Computes the consequences other than effects.
  void settle();

  Place<Lock>& place_;
  const Call& call_;
  FencingTokens& tokens_;
  LockCounters& counters_;
  Consequences& follow_;
  std::optional<Lock> made_;  // if the place is empty: stored there by finish() if the lock has a holder by then
  LockChanges changes_;
  std::optional<ByteView> released_alone_;  // the owner, if a release is the only change: not yet in the list of
                                            // changes
  Token released_token_;
  Token newest_;  // newest token of the grants
  bool expired_ = false, released_ = false, renewed_ = false, granted_ = false;
  bool has_new_limit_ = false, has_more_room_ = false;
};

}  // namespace millrace
