#include "engine/lock/lock.h"

#include <algorithm>
#include <iterator>

namespace millrace {

namespace {

// What a tree of the standard library adds to each value: three pointers and a colour.
constexpr size_t kTreeNode = 32;

// How many ends are looked at for the hint to a request that is refused; it says too little beyond that.
constexpr size_t kMostEndsLookedAt = 1000;

uint64_t ms_until_over(MonotonicMs end, MonotonicMs now) { return end < now ? 0 : end - now + 1; }

}  // namespace

Lock Lock::clone() const {
  Lock copy;
  for (const auto& [owner, holding] : holders_) copy.put(owner, mode_, holding);
  if (values_) copy.values_ = std::make_unique<std::map<std::string, std::string, std::less<>>>(*values_);
  return copy;
}

const Holding* Lock::find(ByteView owner) const {
  const auto found = holders_.find(owner);
  return found == holders_.end() ? nullptr : &found->second;
}

ByteView Lock::value_of(ByteView owner) const {
  if (!values_) return {};
  const auto found = values_->find(owner);
  return found == values_->end() ? ByteView() : ByteView(found->second);
}

void Lock::set_value(ByteView owner, ByteView value) {
  if (value.empty()) {
    if (values_) values_->erase(std::string(owner));
  } else {
    if (!values_) values_ = std::make_unique<std::map<std::string, std::string, std::less<>>>();
    values_->insert_or_assign(std::string(owner), std::string(value));
  }
  if (values_ && values_->empty()) values_.reset();
}

const Lock::Holder* Lock::newest(MonotonicMs now) const {
  if (holding() == 1) return holders_.begin()->second.lease.is_over(now) ? nullptr : &*holders_.begin();
  for (auto at = by_token_.rbegin(); at != by_token_.rend(); ++at) {
    if (!at->second->second.lease.is_over(now)) return at->second;
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
  const auto found = holders_.find(owner);
  if (found == holders_.end()) return put_at(found, owner, is_free() ? mode : mode_, {fresh, 1, lease});
  const Holding& held = found->second;
  return put_at(found, owner, mode_, {held.token, held.holds + 1, held.lease.end > lease.end ? held.lease : lease});
}

bool Lock::renew(ByteView owner, const Lease& lease, Token at_least) {
  const auto found = holders_.find(owner);
  if (found == holders_.end()) return false;
  put_at(found, owner, mode_, {std::max(found->second.token, at_least), found->second.holds, lease});
  return true;
}

std::optional<uint64_t> Lock::release(ByteView owner) {
  const auto found = holders_.find(owner);
  if (found == holders_.end()) return std::nullopt;
  const Holding held = found->second;
  if (held.holds == 1) {
    remove_at(found);
  } else {
    put_at(found, owner, mode_, {held.token, held.holds - 1, held.lease});
  }
  return held.holds - 1;
}

void Lock::put(ByteView owner, LockMode mode, const Holding& holding) {
  put_at(holders_.find(owner), owner, mode, holding);
}

const Holding& Lock::put_at(Holders::iterator found, ByteView owner, LockMode mode, const Holding& holding) {
  mode_ = mode;
  if (found != holders_.end()) {
    forget(*found);
    found->second = holding;
  } else {
    // Two holders: from now on there are indexes.
    if (holders_.size() == 1) index(*holders_.begin());
    found = holders_.emplace(owner, holding).first;
    holder_bytes_ += bytes_of(*found);
  }
  if (holders_.size() > 1) index(*found);
  return found->second;
}

bool Lock::remove(ByteView owner) {
  const auto found = holders_.find(owner);
  if (found == holders_.end()) return false;
  remove_at(found);
  return true;
}

void Lock::remove_at(Holders::iterator found) {
  forget(*found);
  holder_bytes_ -= bytes_of(*found);
  if (values_) set_value(found->first, {});
  holders_.erase(found);
  if (holders_.size() != 1) return;
  by_end_.clear();
  by_token_.clear();
}

MonotonicMs Lock::last_end() const {
  return by_end_.empty() ? holders_.begin()->second.lease.end : by_end_.rbegin()->first;
}

uint64_t Lock::ms_until_room(LockMode mode, MonotonicMs now) const {
  if (has_room_for(mode)) return 0;
  // In its own mode one must go, or more if the limit was lowered; in another all must.
  if (!mode.goes_with(mode_)) return ms_until_free(now);
  if (by_end_.empty()) return ms_until_over(first_to_end().second.lease.end, now);
  auto last_to_go = by_end_.begin();
  const size_t others = holding() - std::max(mode.permits(), mode_.permits());
  std::advance(last_to_go, static_cast<ptrdiff_t>(std::min(others, kMostEndsLookedAt)));
  return ms_until_over(last_to_go->first, now);
}

uint64_t Lock::ms_until_free(MonotonicMs now) const { return is_free() ? 0 : ms_until_over(last_end(), now); }

std::vector<std::string> Lock::over(MonotonicMs now, size_t most) const {
  std::vector<std::string> owners;
  if (holding() == 1 && most > 0 && first_to_end().second.lease.is_over(now)) owners.push_back(first_to_end().first);
  for (const auto& [end, holder] : by_end_) {
    if (owners.size() == most || !holder->second.lease.is_over(now)) break;
    owners.push_back(holder->first);
  }
  return owners;
}

size_t Lock::count_over(MonotonicMs now) const {
  if (holding() == 1) return first_to_end().second.lease.is_over(now) ? 1 : 0;
  size_t count = 0;
  for (auto at = by_end_.begin(); at != by_end_.end() && at->second->second.lease.is_over(now); ++at) ++count;
  return count;
}

size_t Lock::bytes_of(const Holder& holder) {
  const size_t spilled = holder.first.capacity() > std::string().capacity() ? holder.first.capacity() + 1 : 0;
  return kTreeNode + sizeof(Holder) + spilled;
}

size_t Lock::memory() const {
  size_t bytes = sizeof(Lock) + holder_bytes_ + by_end_.size() * (kTreeNode + sizeof(ByEnd::value_type)) +
                 by_token_.size() * (kTreeNode + sizeof(ByToken::value_type));
  if (!values_) return bytes;
  for (const auto& [owner, value] : *values_) {
    bytes += kTreeNode + 2 * sizeof(std::string) + owner.size() + value.size();
  }
  return bytes + sizeof(*values_);
}

const char* Lock::check() const {
  if (by_end_.size() != (holding() > 1 ? holding() : 0)) return "a holder without an end, or an end without a holder";
  if (by_token_.size() != by_end_.size()) return "a holder without a token, or a token without a holder";
  if (mode_.kind() == LockMode::Kind::Exclusive && holding() > 1) return "more holders than the mode allows";
  if (values_ && values_->empty()) return "room for values, and none";
  if (mode_.kind() == LockMode::Kind::Exclusive && mode_.permits() != 1) return "exclusive, and not for one";
  if (values_) {
    for (const auto& [owner, value] : *values_) {
      if (find(owner) == nullptr || value.empty()) return "a value without a holder, or none";
    }
  }
  size_t bytes = 0;
  for (const Holder& holder : holders_) {
    bytes += bytes_of(holder);
    if (holding() > 1 && !by_end_.contains({holder.second.lease.end, &holder})) return "a holder with the wrong end";
    if (holding() > 1 && !by_token_.contains({holder.second.token, &holder})) return "a holder with the wrong token";
    if (holder.second.holds == 0) return "a holder that holds nothing";
    if (holder.second.token.value() == 0) return "a holder without a token";
    if (holder.second.lease.ttl_ms > kMaxLeaseMs) return "a lease that is too long";
  }
  return bytes == holder_bytes_ ? nullptr : "the memory is counted wrong";
}

}  // namespace millrace
