// The time during which this server could be talked to. It runs on the monotonic clock,
// and stands still while the server does: suspended, stopped, or busy with one command for
// longer than a fraction of a second; and while it holds its clients' writes back (CLIENT PAUSE,
// a failover). Who did not call then could not have.
#pragma once

#include "engine/base/strong.h"

namespace millrace::module {

// Since the module was loaded. `now` is what the monotonic clock shows.
MonotonicMs service_time(MonotonicMs now);

}  // namespace millrace::module
