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
  // True if the request may wait when there is nothing for it. Else it is answered at once.
  bool may_wait = false;
  // True if requests that came before this one wait for the object, where that matters to the family.
  bool others_wait = false;
  // How many requests wait in the line of this one, itself included, where it is one that waited: what there is may be
  // shared out among them.
  uint64_t in_line = 1;
};

}  // namespace millrace
