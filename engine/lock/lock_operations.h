// All operations on a lock. Only this class decides which owner is granted the lock, when a lease ends, which token a
// grant has, and what replicas are told. A caller parses requests and carries out consequences
// (engine/operation/outcome.h); it makes no decisions of its own.
//
// Replicas and files get the changes of a lock as bytes (lock_codec.h) for apply(), or a request to release or break
// it. Leases never end by themselves on a replica.
#pragma once

#include <cstdint>

#include "engine/lock/fencing_tokens.h"
#include "engine/lock/lock.h"
#include "engine/lock/lock_counters.h"
#include "engine/lock/lock_requests.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"

namespace millrace {

class LockUpdate;

struct AcquireAnswer {
  Token token;         // 0: not granted
  uint64_t ms = 0;     // duration of the lease; if not granted, the time after which the lock may be free
  uint64_t holds = 0;  // how often the owner must release it

  bool is_granted() const { return token != Token(0); }
};

// Borrowed from the lock.
struct WatchAnswer {
  ByteView owner;
  Token token;  // 0: no new holder since the token that the client knows
  ByteView value;
};

class LockOperations {
 public:
  LockOperations() = default;
  explicit LockOperations(FencingTokens tokens) : tokens_(std::move(tokens)) {}

  const LockCounters& counters() const { return counters_; }
  // Shared by all locks.
  FencingTokens& tokens() { return tokens_; }

  // Grants the lock, or waits if the request may block, or refuses it. No request is granted a lock that others wait
  // for (Call::others_wait), except for an owner that holds it already. Failure: Syntax, if the owner holds it in
  // another mode.
  Outcome<AcquireAnswer> acquire(Place<Lock>& place, AcquireRequest& request, const Call& call);
  // The answer to a request that is not granted. Null: the lock is free.
  static AcquireAnswer refusal(const Lock* lock, LockMode mode, MonotonicMs now);

  // Returns the holder with the greatest token, if that is greater than the token that the client knows. Otherwise
  // waits, if it may. The mark of the waiting request is its token, and a grant wakes requests with a smaller mark.
  static Outcome<WatchAnswer> watch(const Place<Lock>& place, const WatchRequest& request, const Call& call);
  static Wait wait_for_another(const WatchRequest& request) { return {.line = {}, .mark = request.token.value()}; }

  // False if the owner does not hold it. Failure: Range, if the token is too far ahead of the clock.
  Outcome<bool> renew(Place<Lock>& place, const RenewRequest& request, const Call& call);
  // Returns how many holds the owner has left. Failure: NotOwner.
  Outcome<uint64_t> release(Place<Lock>& place, ByteView owner, const Call& call);
  // Frees the lock, regardless of its holder. False if it is free already.
  Outcome<bool> break_lock(Place<Lock>& place, const Call& call);

  // --- background work ---
  // Ends the leases that are over, and wakes the requests that wait.
  Consequences look_after(Place<Lock>& place, const Call& call);
  // Releases a grant that did not reach its client, unless it is over already.
  Consequences take_back(Place<Lock>& place, const LostGrant& grant, const Call& call);

  // --- effects from another engine ---
  // Applies what another engine has done or saved. Failure: Corrupt, without any change.
  Outcome<Done> apply(Place<Lock>& place, ByteView changes, const Call& call);

 private:
  LockUpdate update(Place<Lock>& place, const Call& call, Consequences& follow);
  Token most_believed(const Call& call) const;

  FencingTokens tokens_;
  LockCounters counters_;
};

}  // namespace millrace
