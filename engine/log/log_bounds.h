// Where a log begins and ends, and which log it is: the information of WITHINFO.
#pragma once

#include "engine/base/strong.h"

namespace millrace {

// In an empty log, `last` is first - 1.
struct LogBounds {
  Offset first{1};
  Offset last{0};
  LogEpoch epoch{};  // 0 also if the log is missing
};

}  // namespace millrace
