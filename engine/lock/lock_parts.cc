#include "engine/lock/lock_parts.h"

#include <string>
#include <utility>

#include "engine/lock/lock_codec.h"

namespace millrace {

void each_part(const Lock& lock, uint64_t clock, const PartVisit& visit) {
  for (const std::string& changes : encode_lock(lock, clock)) visit({number_of(LockPart::Changes), changes, {}});
}

LockRestorer::LockRestorer(FencingTokens& tokens, const Now& now, bool decides)
    : tokens_(tokens), now_(now), most_(decides ? tokens.most_believed(now.wall) : kMaxToken) {}

Result<void> LockRestorer::add(uint8_t, ByteView bytes, Buffer) {
  return apply_changes(lock_, bytes, now_, most_, greatest_);
}

Result<void> LockRestorer::add_older(const NextString& next) {
  return add_counted(*this, kLockParts, LockPart::Changes, next);
}

Result<Lock> LockRestorer::finish() {
  if (lock_.is_free()) return corrupt("a lock without a holder");
  tokens_.seen(greatest_);
  return std::move(lock_);
}

}  // namespace millrace
