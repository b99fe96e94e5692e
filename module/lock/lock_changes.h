// The commands that change a lock, and how each is answered.
#pragma once

#include <string>

#include "module/lock/lock_alive.h"
#include "module/lock/lock_object.h"
#include "module/lock/lock_requests.h"
#include "module/lock/lock_upkeep.h"
#include "module/runtime/run.h"

namespace millrace::module {

// A command of an owner. First, leases that are over are ended, and clients that waited for that are served.
struct OwnersCommand {
  using Object = Lock;
  static void prepare(KeyPlace<Lock>& place, Call& call) {
    if (!call.decides || WaitingClients<Lock>::lines_at(place) == nullptr) return;
    carry_out(place, lock_operations().look_after(place, call));
    const WaitingLines* lines = WaitingClients<Lock>::lines_at(place);
    call.others_wait = lines != nullptr && lines->has_line(kLockLine);
  }
};

struct LockAcquire : OwnersCommand {
  static constexpr auto parse = parse_lock_acquire;
  static Result<void> check(abi::Context context, abi::StringRef, const AcquireRequest&) {
    if (are_signs_of_life_expected()) [[unlikely]] {
      expect_no_sign_of_life(context.client());
    }
    return {};
  }
  static auto execute(Place<Lock>& lock, AcquireRequest& request, const Call& call) {
    return lock_operations().acquire(lock, request, call);
  }

  static bool changes(const AcquireRequest&) { return true; }
  static Wait start_afresh(AcquireRequest&) { return {.line = kLockLine}; }
  static void answer_timeout(abi::Reply reply, const Lock* lock, const AcquireRequest& request) {
    write(reply, LockOperations::refusal(lock, request.mode, abi::monotonic_now()));
  }
  static void was_served(const DatabaseKey& key, const AcquireRequest& request, uint64_t client) {
    if (!request.alive_ms || request.granted == Token(0)) return;
    expect_sign_of_life(key, {std::string(request.owner), request.granted}, client, *request.alive_ms);
  }
  static void left_unanswered(const DatabaseKey& key, const AcquireRequest& request, uint64_t client) {
    expect_no_sign_of_life(client);
    if (request.granted != Token(0)) take_back_soon(key, {std::string(request.owner), request.granted});
  }

  // [1, token, ttl, holds] or [0, 0, milliseconds until it may be free, 0]
  static void write(abi::Reply reply, const AcquireAnswer& acquired) {
    reply.array(4);
    reply.integer(acquired.is_granted() ? 1 : 0);
    reply.integer(static_cast<int64_t>(acquired.token.value()));
    reply.integer(static_cast<int64_t>(acquired.ms));
    reply.integer(static_cast<int64_t>(acquired.holds));
  }
};

// Changes nothing, and is not replicated.
struct LockWatch {
  using Object = Lock;
  static constexpr auto parse = parse_lock_watch;
  static auto execute(Place<Lock>& lock, WatchRequest& request, const Call& call) {
    return LockOperations::watch(lock, request, call);
  }
  static bool only_reads(const WatchRequest&) { return true; }
  static bool changes(const WatchRequest&) { return false; }
  static Wait start_afresh(WatchRequest& request) { return LockOperations::wait_for_another(request); }
  static void answer_timeout(abi::Reply reply, const Lock*, const WatchRequest&) { reply.null(); }

  // owner, token and value, or null
  static void write(abi::Reply reply, const WatchAnswer& holder) {
    if (holder.token == Token(0)) return reply.null();
    reply.map(3);
    reply.bytes("owner");
    reply.bytes(holder.owner);
    reply.bytes("token");
    reply.integer(static_cast<int64_t>(holder.token.value()));
    reply.bytes("value");
    reply.bytes(holder.value);
  }
};

struct LockRenew : OwnersCommand {
  static constexpr auto parse = parse_lock_renew;
  static auto execute(Place<Lock>& lock, RenewRequest& request, const Call& call) {
    return lock_operations().renew(lock, request, call);
  }
  static constexpr auto write = write_number;
};

struct LockRelease : OwnersCommand {
  static constexpr auto parse = parse_lock_release;
  // LOCK.RELEASE makes no token and no lease.
  static Now now(ByteView) { return ObjectTraits<Lock>::monotonic_alone(); }
  static auto execute(Place<Lock>& lock, ByteView owner, const Call& call) {
    return lock_operations().release(lock, owner, call);
  }
  static constexpr auto write = write_number;
};

struct LockBreak {
  using Object = Lock;
  static constexpr auto parse = parse_nothing;
  static auto execute(Place<Lock>& lock, NoRequest, const Call& call) {
    return lock_operations().break_lock(lock, call);
  }
  static constexpr auto write = write_number;
};

// LOCK.APPLY is not for users: a master sends it to its replicas, and a server writes it to its AOF. But any client may
// send it, so it is documented, and checks its bytes as carefully as RESTORE does.
struct LockApply {
  using Object = Lock;
  static constexpr auto parse = parse_lock_apply;
  static auto execute(Place<Lock>& lock, ByteView changes, const Call& call) {
    return lock_operations().apply(lock, changes, call);
  }
  static constexpr auto write = write_ok;
  static constexpr bool kApplies = true;
};

}  // namespace millrace::module
