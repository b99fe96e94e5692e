#include "engine/lock/lock_update.h"

#include <string>
#include <utility>

#include "engine/lock/lock_effects.h"

namespace millrace {

void LockUpdate::note_release() {
  const ByteView owner = *std::exchange(released_alone_, std::nullopt);
  const Holding* held = lock().find(owner);
  held == nullptr ? changes_.has_no_longer(owner, released_token_) : changes_.has(owner, *held, lock().value_of(owner));
}

void LockUpdate::end_lease_of(ByteView owner) {
  changes().has_no_longer(owner, lock().find(owner)->token);
  changing().remove(owner);
  expired_ = true;
  ++counters_.expiries;
}

void LockUpdate::end_leases(ByteView owner) {
  if (!call_.decides || lock().is_free()) return;
  const MonotonicMs now = call_.now.monotonic;
  if (!lock().first_to_end().holding.lease.is_over(now)) [[likely]] {
    return;
  }
  const Holding* held = lock().find(owner);
  if (held != nullptr && held->lease.is_over(now)) end_lease_of(owner);
  for (const std::string& other : lock().over(now, kLeasesPerTurn)) end_lease_of(other);
}

void LockUpdate::take_limit_of(LockMode mode) {
  if (lock().is_free() || mode == lock().mode() || !mode.goes_with(lock().mode())) return;
  // There may be room for waiting requests now.
  if (mode.permits() > lock().mode().permits()) has_more_room_ = true;
  changing().set_limit(mode);
  has_new_limit_ = true;
}

const Holding& LockUpdate::grant(Lock::Admission admission, const AcquireRequest& request) {
  LockChanges& noted = changes();
  const bool is_new = admission == Lock::Admission::Fresh;
  ++(is_new ? counters_.grants : counters_.reentries);
  const Token token = is_new ? tokens_.next(call_.now.wall) : Token();
  const Holding& holding = changing().grant(request.owner, request.mode, Lease::from(call_.now, request.ttl_ms), token);
  if (request.value) changing().set_value(request.owner, *request.value);
  noted.has(request.owner, holding, lock().value_of(request.owner));
  granted_ = true;
  newest_ = std::max(newest_, holding.token);
  return holding;
}

bool LockUpdate::renew(ByteView owner, uint64_t ttl_ms, Token at_least) {
  LockChanges& noted = changes();
  if (!changing().renew(owner, Lease::from(call_.now, ttl_ms), at_least)) return false;
  const Holding& renewed = *lock().find(owner);
  tokens_.seen(renewed.token);
  noted.has(owner, renewed, lock().value_of(owner));
  renewed_ = true;
  return true;
}

std::optional<uint64_t> LockUpdate::release(ByteView owner) {
  const bool is_alone = changes().empty();
  const LockHolder* holder = lock().find_holder(owner);
  if (holder == nullptr) return std::nullopt;
  released_token_ = holder->holding.token;
  released_alone_ = owner;
  const uint64_t left = changing().release(*holder);
  if (!is_alone) changes();
  released_ = true;
  return left;
}

void LockUpdate::take_back(ByteView owner, Token token) {
  const Holding* held = lock().find(owner);
  if (held != nullptr && held->token == token) release(owner);
}

void LockUpdate::finish() {
  if (!changes().empty() || has_new_limit_) {
    follow_.effects.add(kLockChanges, changes_.take_bytes(lock().mode()));
  }
  settle();
}

void LockUpdate::finish_release() {
  if (!released_alone_) return finish();
  follow_.effects.add_request();
  settle();
}

void LockUpdate::settle() {
  if (expired_) follow_.events.add("lock.expire");
  if (released_) follow_.events.add("lock.release");
  if (renewed_) follow_.events.add("lock.renew");
  if (granted_) follow_.events.add("lock.acquire");
  if (has_new_limit_) follow_.events.add("lock.limit");
  if (expired_ || released_ || has_more_room_) follow_.wake = Wake::one_line(kLockLine);
  follow_.wake.mark = newest_.value();
  if (!lock().is_free()) {
    if (place_.get() == nullptr) place_.put(std::move(*made_));
    follow_.look_after_at(lock().first_to_end().holding.lease.end + 1);
  } else if (place_.get() != nullptr) {
    place_.remove();
  }
}

}  // namespace millrace
