// The end of a turn of the host's event loop, for work that cannot rely on timers: the host's timers use the wall
// clock, and are late when that is set back.
#pragma once

#include <cstdint>

namespace millrace::abi {

// From now on, the listener is called at the end of each turn (Listener::loop_ends), at least ten times a second. There
// is no cost before the first call; further calls have no effect.
void watch_loop();

// No turn sleeps longer than this. REQUIRES: watch_loop() was called.
uint64_t longest_sleep_ms();

}  // namespace millrace::abi
