// Calls a function at a date. A date that has come means: in the next turn of the host's event loop, after the command
// or transaction that runs now.
#pragma once

#include <optional>

#include "engine/base/strong.h"
#include "module/abi/context.h"
#include "module/abi/host.h"

namespace millrace::abi {

// Calls one function once for each time it is set. It can be set again.
class Timer {
 public:
  using Function = void (*)(Context);

  explicit constexpr Timer(Function function) : function_(function) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Makes sure that the function is called at `due` or earlier (after a second at the latest). A later date that was
  // set before is replaced.
  void set_at_latest(UnixMs due);

 private:
  static void fire(HostContext* context, void* self);

  Function function_;
  uint64_t id_ = 0;
  std::optional<UnixMs> due_;
};

}  // namespace millrace::abi
