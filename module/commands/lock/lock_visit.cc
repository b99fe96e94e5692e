#include "module/commands/lock/lock_visit.h"

#include <memory>
#include <string>
#include <utility>

#include "module/host/counters.h"
#include "module/host/fencing.h"

namespace millrace::module {

LockVisit::LockVisit(abi::Context context, abi::StringRef name, LockKey key)
    : context_(context), name_(name), key_(std::move(key)), now_(read_clocks()) {}

Result<LockVisit> LockVisit::open(abi::Context context, abi::StringRef name) {
  auto key = LockKey::for_writing(context, name);
  if (!key) return std::unexpected(key.error());
  return LockVisit(context, name, std::move(*key));
}

Result<LockVisit> LockVisit::open_for_upkeep(abi::Context context, abi::StringRef name) {
  auto key = LockKey::for_upkeep(context, name);
  if (!key) return std::unexpected(key.error());
  return LockVisit(context, name, std::move(*key));
}

LockChanges& LockVisit::changes() {
  if (released_alone_) {
    const ByteView owner = *std::exchange(released_alone_, std::nullopt);
    const Holding* held = lock().find(owner);
    held == nullptr ? changes_.has_no_longer(owner, released_token_) : changes_.has(owner, *held);
  }
  return changes_;
}

void LockVisit::end_lease_of(ByteView owner) {
  changes().has_no_longer(owner, lock().find(owner)->token);
  changing().remove(owner);
  expired_ = true;
  ++counters.lock.expiries;
}

void LockVisit::end_leases(ByteView owner) {
  if (lock().is_free()) return;
  const Holding* held = lock().find(owner);
  if (held != nullptr && held->lease.is_over(now_.monotonic)) end_lease_of(owner);
  for (const std::string& other : lock().over(now_.monotonic, kLeasesPerTurn)) end_lease_of(other);
}

const Holding& LockVisit::grant(ByteView owner, LockMode mode, uint64_t ttl_ms) {
  LockChanges& noted = changes();
  const bool is_new = lock().find(owner) == nullptr;
  ++(is_new ? counters.lock.grants : counters.lock.reentries);
  const Token token = is_new ? fencing::next(now_.wall) : Token();
  const Holding& holding = changing().grant(owner, mode, Lease::from(now_, ttl_ms), token);
  noted.has(owner, holding);
  granted_ = true;
  return holding;
}

bool LockVisit::renew(ByteView owner, uint64_t ttl_ms, Token at_least) {
  LockChanges& noted = changes();
  if (!changing().renew(owner, Lease::from(now_, ttl_ms), at_least)) return false;
  const Holding& renewed = *lock().find(owner);
  fencing::seen(renewed.token);
  noted.has(owner, renewed);
  renewed_ = true;
  return true;
}

std::optional<uint64_t> LockVisit::release(ByteView owner) {
  const bool is_alone = changes().empty();
  const Holding* held = lock().find(owner);
  if (held == nullptr) return std::nullopt;
  released_token_ = held->token;
  released_alone_ = owner;
  const auto left = changing().release(owner);
  if (!is_alone) changes();
  released_ = true;
  return left;
}

void LockVisit::take_back(ByteView owner, Token token) {
  const Holding* held = lock().find(owner);
  if (held == nullptr || held->token != token) return;
  release(owner);
  changes();
}

void LockVisit::finish() {
  const ByteView effect = changes().empty() ? ByteView() : changes_.bytes(lock().mode(), now_.identity);
  settle_key();
  if (effect.empty()) return;
  context_.replicate(kLockApply, name_, abi::StringRef(abi::OwnedString(effect)));
  announce();
}

void LockVisit::finish_release() {
  if (!released_alone_) return finish();
  settle_key();
  context_.replicate_verbatim();
  announce();
}

void LockVisit::settle_key() {
  if (key_.get() == nullptr) {
    if (spare_.is_free()) return;
    key_.set(std::make_unique<Lock>(std::move(spare_)));
  } else if (lock().is_free()) {
    return key_.remove();
  }
  // What was promised for a date that has come was kept by coming here.
  if (lock().promised() <= now_.monotonic) lock().promise(kNotPromised);
  keep_leases(context_.database(), name_.view(), lock(), now_);
}

void LockVisit::announce() const {
  if (expired_) context_.changed(name_, "lock.expire");
  if (released_) context_.changed(name_, "lock.release");
  if (renewed_) context_.changed(name_, "lock.renew");
  if (granted_) context_.changed(name_, "lock.acquire");
}

}  // namespace millrace::module
