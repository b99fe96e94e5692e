// Which owners wait for which: owners wait for locks, and locks are held by owners. Finds cycles (deadlocks), in which
// no owner can continue before a lease ends.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "engine/base/bytes.h"

namespace millrace {

class WaitGraph {
 public:
  // The caller chooses a number for each lock.
  void waits(ByteView owner, size_t lock);
  void holds(ByteView owner, size_t lock);

  // Cycles of owners: each waits for a lock that the next one holds, and the last one for a lock of the first. At most
  // `most`. If cycles share owners, not all of them are returned, but at least one is. O(n) with n calls of the
  // functions above.
  std::vector<std::vector<std::string>> cycles(size_t most) const;

 private:
  std::map<std::string, std::vector<size_t>, std::less<>> waits_for_;  // locks, by owner
  std::map<size_t, std::vector<std::string>> held_by_;                 // owners, by lock
};

}  // namespace millrace
