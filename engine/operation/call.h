// The circumstances of an operation: everything about a call that is not in the request.
#pragma once

#include <cstdint>

#include "engine/base/now.h"

namespace millrace {

struct Call {
  Now now;
  // True if this engine decides what time it is, and what follows from that. False if it only applies effects that
  // another engine has decided, as on a replica and while an append-only file is loaded. Then the object's own clock is
  // the time.
  bool decides = true;
  // True if the request may wait when it has no result yet. Otherwise it is answered at once.
  bool may_wait = false;
  // True if earlier requests wait for the object. Set only for families that need it.
  bool others_wait = false;
  // If this request has waited: how many requests wait in its line, itself included, so that the messages can be
  // divided among them.
  uint64_t in_line = 1;
};

}  // namespace millrace
