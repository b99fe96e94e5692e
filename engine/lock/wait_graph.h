// Which owners wait for which: owners wait for locks, and locks are held by owners. Finds the
// circles in which nobody can go on before a lease ends.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "engine/base/bytes.h"

namespace millrace {

class WaitGraph {
 public:
  // A lock is a number of the caller's choice.
  void waits(ByteView owner, size_t lock);
  void holds(ByteView owner, size_t lock);

  // Circles of owners, each waiting for a lock that the next one holds, and the last for
  // one of the first. At most `most`; of circles that share owners not all are named, but
  // if there is one, one is. O(n) with n calls of the above.
  std::vector<std::vector<std::string>> cycles(size_t most) const;

 private:
  std::map<std::string, std::vector<size_t>, std::less<>> waits_for_;  // locks, by owner
  std::map<size_t, std::vector<std::string>> held_by_;                 // owners, by lock
};

}  // namespace millrace
