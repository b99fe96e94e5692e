// Locks as bytes. One format serves RDB, DUMP, AOF rewrite and the effects that replicas and the AOF get: a list of
// changes. A whole lock is encoded as the changes that create it.
// docs/formats/lock.md draws them.
//
//   changes := version mode permits clock change*
//   change  := 0 owner token                                  the owner holds it no longer
//            | 1 owner token holds ttl end-date end value     the owner holds it like this
//
// `permits` is 0 for shared; for a limit it may differ from before. `clock` is the identity of the monotonic clock that
// `end` is on. An owner and a value are a length and bytes; all numbers are varints. In version 1 there is no value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/lock/fencing_tokens.h"
#include "engine/lock/lock.h"

namespace millrace {

// Longest owner.
inline constexpr size_t kMaxOwner = 1024;
inline constexpr uint64_t kMaxPermits = UINT32_MAX;
// Longest VALUE that an owner stores with its hold.
inline constexpr size_t kMaxLockValue = 64 << 10;

// Changes of one lock, collected while they are made.
class LockChanges {
 public:
  // The identity of the clock on which leases end.
  explicit LockChanges(uint64_t clock) : clock_(clock) {}

  bool empty() const { return bytes_.empty(); }

  // In the order in which they happened.
  void has(ByteView owner, const Holding& holding, ByteView value);
  void has_no_longer(ByteView owner, Token token);

  // Returns the changes as bytes, and clears the list. `mode` is the mode of the lock after all changes.
  std::string take_bytes(LockMode mode);

 private:
  // write(at) writes at most `most` bytes, and returns where they end.
  template <class Write>
  void append(size_t most, Write write);

  uint64_t clock_;
  // Empty, or a head and changes. The head is first written for an exclusive lock: the mode is known only at the end,
  // and is seldom another one.
  std::string bytes_;
};

// A whole lock, in parts of at most kHoldersPerPart.
inline constexpr size_t kHoldersPerPart = 1000;
std::vector<std::string> encode_lock(const Lock& lock, uint64_t clock);

// Applies the changes, with times converted to these clocks. `greatest` is raised to the greatest token among them,
// which must not be above `most`. Failure: Corrupt, and both are unchanged.
Result<void> apply_changes(Lock& lock, ByteView bytes, const Now& now, Token most, Token& greatest);

}  // namespace millrace
