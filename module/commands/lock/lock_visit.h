// One visit to a lock by a command or by upkeep: what is done to it meanwhile becomes one
// effect for replicas and the AOF, the key comes and goes with its holders, and the ends of
// its leases are put on the agenda. Nobody else changes a lock on a server that decides.
//
//   auto visit = LockVisit::open(context, name);
//   visit->end_leases();
//   visit->grant(...);
//   visit->finish();
#pragma once

#include <optional>

#include "engine/lock/lock_codec.h"
#include "module/abi/context.h"
#include "module/host/database_key.h"
#include "module/host/lock_type.h"

namespace millrace::module {

// Most leases that one visit ends; what is left is ended in the next turn.
inline constexpr size_t kLeasesPerTurn = 1000;

class LockVisit {
 public:
  // The name is borrowed for as long as the visit lasts. Failure: WrongType.
  static Result<LockVisit> open(abi::Context context, abi::StringRef name);
  // For upkeep that is no use of the key: its idle time goes on.
  static Result<LockVisit> open_for_upkeep(abi::Context context, abi::StringRef name);

  // As it is by now; free if there is no such key.
  const Lock& lock() const { return key_.get() != nullptr ? *key_.get() : spare_; }
  const Clocks& now() const { return now_; }
  // Copies the name: ask only if somebody waits at all.
  DatabaseKey place() const { return {context_.database(), std::string(name_.view())}; }

  // Whose time is over holds it no longer: up to kLeasesPerTurn owners, and this one in any
  // case.
  void end_leases(ByteView owner = {});

  // REQUIRES: Lock::admit() says Fresh or Again
  const Holding& grant(ByteView owner, LockMode mode, uint64_t ttl_ms);
  // As Lock::renew() and Lock::release().
  bool renew(ByteView owner, uint64_t ttl_ms, Token at_least);
  // The owner is borrowed until the visit is over.
  std::optional<uint64_t> release(ByteView owner);
  // One hold less for a grant that was lost, if it is still there.
  void take_back(ByteView owner, Token token);

  // Ends the visit. What references into lock() showed is gone.
  void finish();
  // The same for LOCK.RELEASE, which passes on as it came if nothing else happened: that is
  // cheaper than an effect, and depends on nothing but the lock.
  void finish_release();

 private:
  LockVisit(abi::Context context, abi::StringRef name, LockKey key);

  Lock& changing() { return key_.get() != nullptr ? *key_.get() : spare_; }
  // What has happened so far, to note the next change in.
  LockChanges& changes();
  void end_lease_of(ByteView owner);
  void settle_key();
  void announce() const;

  abi::Context context_;
  abi::StringRef name_;
  LockKey key_;
  Lock spare_;  // what the key gets if there is none yet and somebody holds it in the end
  Clocks now_;
  LockChanges changes_;
  std::optional<ByteView> released_alone_;  // by whom, if nothing else has happened: not noted yet
  Token released_token_;
  bool expired_ = false, released_ = false, renewed_ = false, granted_ = false;
};

}  // namespace millrace::module
