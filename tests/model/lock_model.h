// The simplest model of a lock: a list of holders and a list of waiting clients, both searched
// linearly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/lock/lock.h"

namespace millrace::testing {

struct LockModel {
  struct Holder {
    std::string owner;
    uint64_t token;
    uint64_t holds;
    uint64_t end;  // the last millisecond

    friend bool operator==(const Holder&, const Holder&) = default;
  };
  struct Waiter {
    uint64_t number;
    std::string owner;
    LockMode mode;
    uint64_t ttl;
    uint64_t deadline;
  };

  LockMode mode = LockMode::exclusive();
  std::vector<Holder> holders;
  std::vector<Waiter> line;

  Holder* find(const std::string& owner) {
    const auto found = std::ranges::find(holders, owner, &Holder::owner);
    return found == holders.end() ? nullptr : &*found;
  }

  bool admits(LockMode wanted) const {
    if (holders.empty()) return true;
    return wanted.goes_with(mode) && holders.size() < std::max(wanted.permits(), mode.permits());
  }

  // `token` is used only if the owner does not hold the lock yet.
  void grant(const std::string& owner, LockMode wanted, uint64_t end, uint64_t token) {
    if (holders.empty()) mode = wanted;
    if (Holder* held = find(owner)) {
      ++held->holds;
      held->end = std::max(held->end, end);
    } else {
      holders.push_back({owner, token, 1, end});
    }
  }

  void remove(const std::string& owner) {
    std::erase_if(holders, [&](const Holder& holder) { return holder.owner == owner; });
  }

  // Whether the first client in line can get the lock now.
  bool serves_first() {
    if (line.empty()) return false;
    return find(line.front().owner) != nullptr ? line.front().mode.goes_with(mode) : admits(line.front().mode);
  }

  // By owner, as the engine lists them.
  std::vector<Holder> sorted() const {
    std::vector<Holder> all = holders;
    std::ranges::sort(all, {}, &Holder::owner);
    return all;
  }
};

}  // namespace millrace::testing
