// A request that waits for an object. The class that stores the request derives from this one; lines use only this base
// class.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/strong.h"

namespace millrace {

inline constexpr MonotonicMs kNoDeadline{UINT64_MAX};

class Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Arrival number, increasing per waiting room.
  uint64_t arrival() const { return arrival_; }
  // The last millisecond of its waiting time.
  MonotonicMs deadline() const { return deadline_; }
  // Nothing before this mark is of interest to it; UINT64_MAX if it does not wait for a mark.
  uint64_t mark() const { return mark_; }

 protected:
  ~Waiter() = default;

 private:
  friend class WaitingLines;

  using Line = std::list<Waiter*>;
  using LinePlace = std::map<std::string, Line, std::less<>>::iterator;
  struct Earlier {
    bool operator()(const Waiter* left, const Waiter* right) const { return left->arrival_ < right->arrival_; }
  };
  using ByTag = std::map<std::string, std::set<Waiter*, Earlier>, std::less<>>;

  uint64_t arrival_ = 0;
  uint64_t mark_ = UINT64_MAX;
  MonotonicMs deadline_ = kNoDeadline;
  uint64_t seen_ = 0;
  std::optional<std::pair<LinePlace, Line::iterator>> in_line_;
  std::vector<ByTag::iterator> tags_;  // its entries in the index by tag
  Line::iterator by_sign_;
};

}  // namespace millrace
