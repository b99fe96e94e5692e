#include "engine/lock/several_holders.h"

namespace millrace {

namespace {

// The bytes that a tree of the standard library adds to each value: three pointers and a colour.
constexpr size_t kTreeNode = 32;

}  // namespace

const LockHolder* SeveralHolders::find(ByteView owner) const {
  const auto found = by_owner_.find(owner);
  return found == by_owner_.end() ? nullptr : found->second.get();
}

void SeveralHolders::add(LockHolder::Owned holder) {
  index(*holder);
  holder_bytes_ += holder->memory();
  const ByteView owner = holder->owner();
  by_owner_.emplace(owner, std::move(holder));
}

void SeveralHolders::change(const LockHolder& holder, const Holding& holding) {
  forget(holder);
  const_cast<LockHolder&>(holder).holding = holding;  // this object owns the holder
  index(holder);
}

void SeveralHolders::remove(const LockHolder& holder) {
  forget(holder);
  holder_bytes_ -= holder.memory();
  set_value(holder.owner(), {});
  by_owner_.erase(holder.owner());
}

ByteView SeveralHolders::value_of(ByteView owner) const {
  const auto found = values_.find(owner);
  return found == values_.end() ? ByteView() : ByteView(found->second);
}

void SeveralHolders::set_value(ByteView owner, ByteView value) {
  const auto found = values_.find(owner);
  if (value.empty()) {
    if (found != values_.end()) values_.erase(found);
  } else if (found != values_.end()) {
    found->second = value;
  } else {
    values_.emplace(owner, value);
  }
}

size_t SeveralHolders::memory() const {
  const size_t trees =
      kTreeNode * 3 + sizeof(ByOwner::value_type) + sizeof(ByEnd::value_type) + sizeof(ByToken::value_type);
  size_t bytes = sizeof(SeveralHolders) + holder_bytes_ + size() * trees;
  for (const auto& [owner, value] : values_) {
    bytes += kTreeNode + 2 * sizeof(std::string) + owner.size() + value.size();
  }
  return bytes;
}

const char* SeveralHolders::check() const {
  if (size() == 0) return "room for several holders, and none";
  if (size() == 1 && !has_values()) return "room for several holders, and one";
  if (by_end_.size() != size()) return "a holder without an end, or an end without a holder";
  if (by_token_.size() != size()) return "a holder without a token, or a token without a holder";
  for (const auto& [owner, value] : values_) {
    if (find(owner) == nullptr || value.empty()) return "a value without a holder, or none";
  }
  size_t bytes = 0;
  for (const auto& [owner, holder] : by_owner_) {
    bytes += holder->memory();
    if (owner.data() != holder->owner().data()) return "a holder under another name";
    if (!by_end_.contains({holder->holding.lease.end, holder.get()})) return "a holder with the wrong end";
    if (!by_token_.contains({holder->holding.token, holder.get()})) return "a holder with the wrong token";
  }
  return bytes == holder_bytes_ ? nullptr : "the memory is counted wrong";
}

}  // namespace millrace
