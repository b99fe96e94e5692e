// Connections of clients that end.
#pragma once

#include <cstdint>

namespace millrace::abi {

// Has this called from now on whenever a client's connection ends, while the host still knows the client. Nobody pays
// for it before the first call; the others cost nothing. REQUIRES: always the same function
void watch_disconnections(void (*disconnects)(uint64_t client));

}  // namespace millrace::abi
