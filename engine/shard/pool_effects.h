// The words of the effects that operations on pools tell, as SHARD.APPLY has them. Do not change: replicas and
// append-only files of other versions use them.
#pragma once

namespace millrace {

inline constexpr const char* kPoolClock = "CLOCK";
inline constexpr const char* kPoolSeen = "SEEN";
inline constexpr const char* kPoolSettle = "SETTLE";

}  // namespace millrace
