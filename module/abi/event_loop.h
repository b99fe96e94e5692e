// The end of a turn of the host's event loop, for what cannot wait for a timer: the host's
// timers run on the wall clock, and are late when that is set.
#pragma once

#include <cstdint>

namespace millrace::abi {

// Has the listener called at the end of each turn (Listener::loop_ends) from now on, at
// least ten times a second. Nobody pays for it before the first call; the others cost nothing.
void watch_loop();

// No turn sleeps longer than this. REQUIRES: watch_loop() was called.
uint64_t longest_sleep_ms();

}  // namespace millrace::abi
