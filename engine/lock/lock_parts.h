// A whole lock as parts (engine/base/parts.h): the changes that make it from nothing (lock_codec.h).
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
  // Leases are as a reader of `now` sees them, and `tokens` will have seen all tokens of the lock. Those that are far
  // ahead of the clock are accepted from a source that decides what this engine repeats.
  LockRestorer(FencingTokens& tokens, const Now& now, bool decides);

  Result<void> add(uint8_t kind, ByteView bytes, Buffer block);
  // Version 1: how many strings of changes there are, then these.
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
