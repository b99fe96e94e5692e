#include "engine/lock/lock_operations.h"

#include <string>
#include <utility>

#include "engine/base/quoted.h"
#include "engine/lock/lock_codec.h"
#include "engine/lock/lock_effects.h"
#include "engine/lock/lock_update.h"

namespace millrace {

LockUpdate LockOperations::update(Place<Lock>& place, const Call& call, Consequences& follow) {
  return {place, call, tokens_, counters_, follow};
}

// Tokens that another engine has decided are accepted.
Token LockOperations::most_believed(const Call& call) const {
  return call.decides ? tokens_.most_believed(call.now.wall) : kMaxToken;
}

Outcome<AcquireAnswer> LockOperations::acquire(Place<Lock>& place, AcquireRequest& request, const Call& call) {
  Outcome<AcquireAnswer> done;
  LockUpdate lock = update(place, call, done.consequences);
  lock.end_leases(request.owner);
  if (!request.has_waited) lock.take_limit_of(request.mode);
  const auto admission = lock.lock().admit(request.owner, request.mode, call.others_wait);
  if (admission == Lock::Admission::Fresh || admission == Lock::Admission::Again) {
    const Holding& granted = lock.grant(admission, request);
    request.granted = granted.token;
    done.answer = AcquireAnswer{granted.token, granted.lease.left(call.now.monotonic), granted.holds};
  } else if (admission == Lock::Admission::OtherMode && !request.has_waited) {
    done.answer = fail(ErrorCode::Syntax, quoted(request.owner) + " holds this lock in another mode (" +
                                              std::string(lock.lock().mode().name()) + "): release it first");
  } else {
    done.answer = refusal(&lock.lock(), request.mode, call.now.monotonic);
    if (call.may_wait) {
      request.has_waited = true;
      done.consequences.wait = Wait{.line = kLockLine};
    }
  }
  lock.finish();
  return done;
}

AcquireAnswer LockOperations::refusal(const Lock* lock, LockMode mode, MonotonicMs now) {
  if (lock == nullptr) return {};
  // The request is refused although there is room: a request for another mode is before it in the line.
  uint64_t ms = lock->has_room_for(mode) ? lock->ms_until_free(now) : lock->ms_until_room(mode, now);
  // A lease covers the millisecond in which it ends, too. The hint never exceeds the lease.
  if (ms > 1) --ms;
  return {.token = Token(0), .ms = ms, .holds = 0};
}

Outcome<bool> LockOperations::renew(Place<Lock>& place, const RenewRequest& request, const Call& call) {
  Outcome<bool> done;
  if (request.token > most_believed(call)) {
    done.answer = fail(ErrorCode::Range, "the TOKEN is too far ahead of this server's clock");
    return done;
  }
  LockUpdate lock = update(place, call, done.consequences);
  lock.end_leases(request.owner);
  done.answer = lock.renew(request.owner, request.ttl_ms, request.token);
  lock.finish();
  return done;
}

Outcome<WatchAnswer> LockOperations::watch(const Place<Lock>& place, const WatchRequest& request, const Call& call) {
  Outcome<WatchAnswer> done;
  const LockHolder* holder = place.get() == nullptr ? nullptr : place.get()->newest(call.now.monotonic);
  if (holder != nullptr && holder->holding.token > request.token) {
    done.answer = WatchAnswer{holder->owner(), holder->holding.token, place.get()->value_of(holder->owner())};
  } else if (call.may_wait) {
    done.consequences.wait = wait_for_another(request);
  }
  return done;
}

Outcome<uint64_t> LockOperations::release(Place<Lock>& place, ByteView owner, const Call& call) {
  Outcome<uint64_t> done;
  LockUpdate lock = update(place, call, done.consequences);
  lock.end_leases(owner);
  if (const auto left = lock.release(owner)) {
    done.answer = *left;
    if (call.decides) ++counters_.releases;
    lock.finish_release();
  } else {
    done.answer = fail(ErrorCode::NotOwner, quoted(owner) + " does not hold the lock " + quoted(place.name()));
    lock.finish();
  }
  return done;
}

Outcome<bool> LockOperations::break_lock(Place<Lock>& place, const Call& call) {
  Outcome<bool> done;
  Consequences& follow = done.consequences;
  LockUpdate lock = update(place, call, follow);
  lock.end_leases();
  lock.finish();
  if (place.get() == nullptr) return done;
  done.answer = true;
  follow.due_monotonic.reset();
  place.remove();
  if (call.decides) ++counters_.breaks;
  follow.effects.add_request();
  follow.events.add("lock.break");
  follow.wake = Wake::one_line(kLockLine);
  return done;
}

Consequences LockOperations::look_after(Place<Lock>& place, const Call& call) {
  Consequences follow;
  LockUpdate lock = update(place, call, follow);
  lock.end_leases();
  lock.finish();
  // The object may have been removed without an operation of this class, so waiting requests are always woken.
  follow.wake = Wake::one_line(kLockLine);
  return follow;
}

Consequences LockOperations::take_back(Place<Lock>& place, const LostGrant& grant, const Call& call) {
  Consequences follow;
  LockUpdate lock = update(place, call, follow);
  lock.take_back(grant.owner, grant.token);
  lock.finish();
  return follow;
}

Outcome<Done> LockOperations::apply(Place<Lock>& place, ByteView changes, const Call& call) {
  // A lock that does not exist yet is created only if the changes are valid.
  Lock made;
  Lock& lock = place.get() != nullptr ? *place.get() : made;
  Token greatest;
  if (const auto applied = apply_changes(lock, changes, call.now, most_believed(call), greatest); !applied) {
    return std::unexpected(applied.error());
  }
  tokens_.seen(greatest);
  Outcome<Done> done{Done()};
  Consequences& follow = done.consequences;
  if (!lock.is_free()) {
    follow.look_after_at(lock.first_to_end().holding.lease.end + 1);
    if (place.get() == nullptr) place.put(std::move(made));
  } else if (place.get() != nullptr) {
    place.remove();
  }
  follow.effects.add_request();
  follow.events.add("lock.apply");
  follow.wake = Wake::one_line(kLockLine);
  follow.wake.mark = greatest.value();
  return done;
}

}  // namespace millrace
