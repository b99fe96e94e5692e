// A whole lock as parts (engine/base/parts.h): the changes that create it (lock_codec.h).
#pragma once

#include "engine/base/parts.h"
#include "engine/lock/fencing_tokens.h"
#include "engine/lock/lock.h"
#include "engine/lock/lock_effects.h"

namespace millrace {

// Do not change: persisted.
enum class LockPart : uint8_t { Changes };
inline constexpr PartKind kLockParts[] = {{kLockChanges}};

// `clock` is the identity of the monotonic clock that the leases are on.
void each_part(const Lock& lock, uint64_t clock, const PartVisit& visit);

class LockRestorer {
 public:
  // Leases are converted to the clocks in `now`, and all tokens of the lock are recorded in `tokens`. `decides`: this
  // engine decides, so tokens that are far ahead of the clock are refused; a replica accepts them from its master.
  LockRestorer(FencingTokens& tokens, const Now& now, bool decides);

  Result<void> add(uint8_t kind, ByteView bytes, Buffer block);
  // Version 1: the number of strings of changes, then these.
  Result<void> add_older(const NextString& next);
  Result<Lock> finish();

 private:
  FencingTokens& tokens_;
  Now now_;
  Token most_;
  Token greatest_;
  Lock lock_;
};

}  // namespace millrace
