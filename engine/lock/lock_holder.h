// One holder of a lock: the owner's name and what it holds, in one allocation with the name at the end. Most locks have
// one holder, and there may be a million of them.
//
//   | holding: token, holds, lease | size of the name, 2 bytes | name |
//     40 bytes                       a UUID and a small number as name make 80 bytes, a size class of allocators
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/lock/lease.h"

namespace millrace {

struct Holding {
  Token token;
  uint64_t holds = 1;  // how often the owner must release it
  Lease lease;
};

class LockHolder {
 public:
  struct Free {
    void operator()(LockHolder* holder) const {
      holder->~LockHolder();
      ::operator delete(holder);
    }
  };
  using Owned = std::unique_ptr<LockHolder, Free>;

  // REQUIRES: owner.size() <= UINT16_MAX
  static Owned make(ByteView owner, const Holding& holding) {
    return Owned(new (::operator new(bytes_for(owner.size()))) LockHolder(owner, holding));
  }

  ByteView owner() const { return {reinterpret_cast<const char*>(this) + kNameAt, size_}; }
  size_t memory() const { return bytes_for(size_); }

  Holding holding;

 private:
  LockHolder(ByteView owner, const Holding& given) : holding(given), size_(static_cast<uint16_t>(owner.size())) {
    std::memcpy(reinterpret_cast<char*>(this) + kNameAt, owner.data(), owner.size());
  }
  ~LockHolder() = default;

  static constexpr size_t kNameAt = sizeof(Holding) + sizeof(uint16_t);
  // An object is never smaller than its type.
  static size_t bytes_for(size_t name) { return std::max(sizeof(LockHolder), kNameAt + name); }

  uint16_t size_;
  // The name follows here: it begins in the padding of the object and continues after it.
};

}  // namespace millrace
