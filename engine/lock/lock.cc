#include "engine/lock/lock.h"

#include <algorithm>
#include <iterator>

namespace millrace {

namespace {

// How many ends of leases are looked at to compute the hint for a refused request. With more holders, the hint may be
// too short.
constexpr size_t kMostEndsLookedAt = 1000;

uint64_t ms_until_over(MonotonicMs end, MonotonicMs now) { return end < now ? 0 : end - now + 1; }

}  // namespace

Lock Lock::clone() const {
  Lock copy;
  each_holder([&](const LockHolder& holder) {
    copy.put(holder.owner(), mode_, holder.holding);
    if (const ByteView value = value_of(holder.owner()); !value.empty()) copy.set_value(holder.owner(), value);
    return true;
  });
  return copy;
}

const LockHolder* Lock::find_holder(ByteView owner) const {
  if (sole_ != nullptr) return sole_->owner() == owner ? sole_.get() : nullptr;
  return several_ != nullptr ? several_->find(owner) : nullptr;
}

const Holding* Lock::find(ByteView owner) const {
  const LockHolder* found = find_holder(owner);
  return found == nullptr ? nullptr : &found->holding;
}

ByteView Lock::value_of(ByteView owner) const { return several_ != nullptr ? several_->value_of(owner) : ByteView(); }

void Lock::set_value(ByteView owner, ByteView value) {
  if (several_ == nullptr && value.empty()) return;
  make_several().set_value(owner, value);
  make_sole_if_possible();
}

SeveralHolders& Lock::make_several() {
  if (several_ == nullptr) {
    several_ = std::make_unique<SeveralHolders>();
    if (sole_ != nullptr) several_->add(std::move(sole_));
  }
  return *several_;
}

void Lock::make_sole_if_possible() {
  if (several_->size() > 1 || several_->has_values()) return;
  if (several_->size() == 1) sole_ = several_->take_last();
  several_.reset();
}

const LockHolder* Lock::newest(MonotonicMs now) const {
  if (sole_ != nullptr) return sole_->holding.lease.is_over(now) ? nullptr : sole_.get();
  if (several_ == nullptr) return nullptr;
  for (auto at = several_->by_token().rbegin(); at != several_->by_token().rend(); ++at) {
    if (!at->second->holding.lease.is_over(now)) return at->second;
  }
  return nullptr;
}

bool Lock::has_room_for(LockMode mode) const {
  return is_free() || (mode.goes_with(mode_) && holding() < std::max(mode.permits(), mode_.permits()));
}

Lock::Admission Lock::admit(ByteView owner, LockMode mode, bool others_wait) const {
  if (find(owner) != nullptr) return mode.goes_with(mode_) ? Admission::Again : Admission::OtherMode;
  return !others_wait && has_room_for(mode) ? Admission::Fresh : Admission::Wait;
}

const Holding& Lock::grant(ByteView owner, LockMode mode, const Lease& lease, Token fresh) {
  const LockHolder* found = find_holder(owner);
  if (found == nullptr) return put_at(found, owner, is_free() ? mode : mode_, {fresh, 1, lease});
  const Holding& held = found->holding;
  return put_at(found, owner, mode_, {held.token, held.holds + 1, held.lease.end > lease.end ? held.lease : lease});
}

bool Lock::renew(ByteView owner, const Lease& lease, Token at_least) {
  const LockHolder* found = find_holder(owner);
  if (found == nullptr) return false;
  put_at(found, owner, mode_, {std::max(found->holding.token, at_least), found->holding.holds, lease});
  return true;
}

std::optional<uint64_t> Lock::release(ByteView owner) {
  const LockHolder* found = find_holder(owner);
  if (found == nullptr) return std::nullopt;
  return release(*found);
}

uint64_t Lock::release(const LockHolder& holder) {
  const Holding held = holder.holding;
  if (held.holds == 1) {
    remove_at(holder);
  } else {
    put_at(&holder, holder.owner(), mode_, {held.token, held.holds - 1, held.lease});
  }
  return held.holds - 1;
}

void Lock::put(ByteView owner, LockMode mode, const Holding& holding) {
  put_at(find_holder(owner), owner, mode, holding);
}

const Holding& Lock::put_at(const LockHolder* found, ByteView owner, LockMode mode, const Holding& holding) {
  mode_ = mode;
  if (found != nullptr && sole_ != nullptr) return sole_->holding = holding;
  if (found != nullptr) {
    several_->change(*found, holding);
    return found->holding;
  }
  LockHolder::Owned made = LockHolder::make(owner, holding);
  const Holding& put = made->holding;
  is_free() ? void(sole_ = std::move(made)) : make_several().add(std::move(made));
  return put;
}

bool Lock::remove(ByteView owner) {
  const LockHolder* found = find_holder(owner);
  if (found == nullptr) return false;
  remove_at(*found);
  return true;
}

void Lock::remove_at(const LockHolder& found) {
  if (sole_ != nullptr) return sole_.reset();
  several_->remove(found);
  make_sole_if_possible();
}

MonotonicMs Lock::last_end() const {
  return sole_ != nullptr ? sole_->holding.lease.end : several_->by_end().rbegin()->first;
}

uint64_t Lock::ms_until_room(LockMode mode, MonotonicMs now) const {
  if (has_room_for(mode)) return 0;
  // In the same mode one holder must leave, or more if the limit was lowered; for another mode all must.
  if (!mode.goes_with(mode_)) return ms_until_free(now);
  if (sole_ != nullptr) return ms_until_over(sole_->holding.lease.end, now);
  auto last_to_go = several_->by_end().begin();
  const size_t others = holding() - std::max(mode.permits(), mode_.permits());
  std::advance(last_to_go, static_cast<ptrdiff_t>(std::min(others, kMostEndsLookedAt)));
  return ms_until_over(last_to_go->first, now);
}

uint64_t Lock::ms_until_free(MonotonicMs now) const { return is_free() ? 0 : ms_until_over(last_end(), now); }

std::vector<std::string> Lock::over(MonotonicMs now, size_t most) const {
  std::vector<std::string> owners;
  if (sole_ != nullptr && most > 0 && sole_->holding.lease.is_over(now)) owners.emplace_back(sole_->owner());
  if (several_ == nullptr) return owners;
  for (const auto& [end, holder] : several_->by_end()) {
    if (owners.size() == most || !holder->holding.lease.is_over(now)) break;
    owners.emplace_back(holder->owner());
  }
  return owners;
}

size_t Lock::count_over(MonotonicMs now) const {
  if (sole_ != nullptr) return sole_->holding.lease.is_over(now) ? 1 : 0;
  size_t count = 0;
  if (several_ == nullptr) return count;
  for (const auto& [end, holder] : several_->by_end()) {
    if (!holder->holding.lease.is_over(now)) break;
    ++count;
  }
  return count;
}

size_t Lock::memory() const {
  return sizeof(Lock) + (sole_ != nullptr ? sole_->memory() : 0) + (several_ != nullptr ? several_->memory() : 0);
}

const char* Lock::check() const {
  if (mode_.kind() == LockMode::Kind::Exclusive && holding() > 1) return "more holders than the mode allows";
  if (mode_.kind() == LockMode::Kind::Exclusive && mode_.permits() != 1) return "exclusive, and not for one";
  if (sole_ != nullptr && several_ != nullptr) return "one holder, and several";
  const char* broken = several_ != nullptr ? several_->check() : nullptr;
  each_holder([&](const LockHolder& holder) {
    if (holder.holding.holds == 0) broken = "a holder that holds nothing";
    if (holder.holding.token.value() == 0) broken = "a holder without a token";
    if (holder.holding.lease.ttl_ms > kMaxLeaseMs) broken = "a lease that is too long";
    return true;
  });
  return broken;
}

}  // namespace millrace
