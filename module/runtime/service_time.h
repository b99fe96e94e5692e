// The time during which clients could reach this server. It is measured on the monotonic clock. It stops while the
// server is suspended, stopped, or busy with one command for longer than a fraction of a second, and while it holds
// back its clients' writes (CLIENT PAUSE, a failover). So a client that could not call is not treated as silent.
#pragma once

#include "engine/base/strong.h"

namespace millrace::module {

// Time since the module was loaded. `now` is the monotonic clock.
MonotonicMs service_time(MonotonicMs now);

}  // namespace millrace::module
