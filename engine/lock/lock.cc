#include "engine/lock/lock.h"

namespace millrace {

namespace {

// What a tree of the standard library adds to each value: three pointers and a colour.
constexpr size_t kTreeNode = 32;

uint64_t ms_until_over(MonotonicMs end, MonotonicMs now) { return end < now ? 0 : end - now + 1; }

}  // namespace

Lock Lock::clone() const {
  Lock copy;
  for (const auto& [owner, holding] : holders_) copy.put(owner, mode_, holding);
  return copy;
}

const Holding* Lock::find(ByteView owner) const {
  const auto found = holders_.find(owner);
  return found == holders_.end() ? nullptr : &found->second;
}

bool Lock::has_room_for(LockMode mode) const { return is_free() || (mode == mode_ && holding() < mode.permits()); }

Lock::Admission Lock::admit(ByteView owner, LockMode mode, bool others_wait) const {
  if (find(owner) != nullptr) return mode == mode_ ? Admission::Again : Admission::OtherMode;
  return !others_wait && has_room_for(mode) ? Admission::Fresh : Admission::Wait;
}

const Holding& Lock::grant(ByteView owner, LockMode mode, const Lease& lease, Token fresh) {
  const auto found = holders_.find(owner);
  if (found == holders_.end()) return put_at(found, owner, mode, {fresh, 1, lease});
  return put_at(found, owner, mode, {found->second.token, found->second.holds + 1, lease});
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
    // Two holders: from now on there is an index.
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
  holders_.erase(found);
  if (holders_.size() == 1) by_end_.clear();
}

MonotonicMs Lock::last_end() const {
  return by_end_.empty() ? holders_.begin()->second.lease.end : by_end_.rbegin()->first;
}

uint64_t Lock::ms_until_room(LockMode mode, MonotonicMs now) const {
  if (has_room_for(mode)) return 0;
  // In its own mode one must go; in another all must.
  return mode == mode_ ? ms_until_over(first_to_end().second.lease.end, now) : ms_until_free(now);
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
  return sizeof(Lock) + holder_bytes_ + by_end_.size() * (kTreeNode + sizeof(ByEnd::value_type));
}

const char* Lock::check() const {
  if (by_end_.size() != (holding() > 1 ? holding() : 0)) return "a holder without an end, or an end without a holder";
  if (!is_free() && holding() > mode_.permits()) return "more holders than the mode allows";
  if (mode_.kind() == LockMode::Kind::Exclusive && mode_.permits() != 1) return "exclusive, and not for one";
  size_t bytes = 0;
  for (const Holder& holder : holders_) {
    bytes += bytes_of(holder);
    if (holding() > 1 && !by_end_.contains({holder.second.lease.end, &holder})) return "a holder with the wrong end";
    if (holder.second.holds == 0) return "a holder that holds nothing";
    if (holder.second.token.value() == 0) return "a holder without a token";
    if (holder.second.lease.ttl_ms > kMaxLeaseMs) return "a lease that is too long";
  }
  return bytes == holder_bytes_ ? nullptr : "the memory is counted wrong";
}

}  // namespace millrace
