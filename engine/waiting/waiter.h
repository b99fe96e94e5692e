// A request that waits for an object. Whoever keeps requests derives from this class; the line knows nothing else of
// them.
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

  // Its number among all that ever waited in the same room: of two, the one that came first has the lower number.
  uint64_t arrival() const { return arrival_; }
  // The last millisecond in which it waits.
  MonotonicMs deadline() const { return deadline_; }
  // There is nothing for it before this mark; UINT64_MAX if it waits for none.
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
  std::vector<ByTag::iterator> tags_;  // where it is found by tag
  Line::iterator by_sign_;
};

}  // namespace millrace
