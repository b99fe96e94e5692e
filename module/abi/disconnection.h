// Notification when the connection of a client ends.
#pragma once

#include <cstdint>

namespace millrace::abi {

// From now on, the function is called whenever a client's connection ends, while the host still knows the client. There
// is no cost before the first call; further calls have no effect. REQUIRES: always the same function
void watch_disconnections(void (*disconnects)(uint64_t client));

}  // namespace millrace::abi
