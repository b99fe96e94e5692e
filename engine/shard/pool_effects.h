// The words of the effects that operations on pools tell, as SHARD.APPLY has them. Do not change: replicas and
// append-only files of other versions use them.
#pragma once

namespace millrace {

inline constexpr const char* kPoolClock = "CLOCK";
inline constexpr const char* kPoolSeen = "SEEN";
inline constexpr const char* kPoolSettle = "SETTLE";
inline constexpr const char* kPoolForget = "FORGET";    // recipients that were idle for too long: names
inline constexpr const char* kPoolLetters = "LETTERS";  // this many dead payloads are in their log

}  // namespace millrace
