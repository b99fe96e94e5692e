// Work for later: at a date. Due now means: after the command or transaction that
// runs now, in the next turn of the host's event loop.
#pragma once

#include <optional>

#include "engine/base/strong.h"
#include "module/abi/context.h"
#include "module/abi/host.h"

namespace millrace::abi {

// Calls one function, again and again if asked to. Fires once for each setting.
class Timer {
 public:
  using Function = void (*)(Context);

  explicit constexpr Timer(Function function) : function_(function) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Sees to it that the function is called at `due` or earlier (after a second at the latest);
  // a later setting that is already there is replaced.
  void set_at_latest(UnixMs due);

 private:
  static void fire(HostContext* context, void* self);

  Function function_;
  uint64_t id_ = 0;
  std::optional<UnixMs> due_;
};

}  // namespace millrace::abi
