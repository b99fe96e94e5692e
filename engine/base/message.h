// A message as a reader sees it.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/strong.h"

namespace millrace {

// The views are valid until the log is changed.
struct Message {
  Offset offset;
  ByteView tag;
  ByteView entry;
  UnixMs written;
};

}  // namespace millrace
