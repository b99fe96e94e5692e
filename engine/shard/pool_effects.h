// The words of SHARD.APPLY for the effects of operations on pools. Do not change: replicas and append-only files of
// other versions use them.
#pragma once

namespace millrace {

inline constexpr const char* kPoolClock = "CLOCK";
inline constexpr const char* kPoolSeen = "SEEN";
inline constexpr const char* kPoolSettle = "SETTLE";
inline constexpr const char* kPoolForget = "FORGET";    // recipients that were idle for too long: names
inline constexpr const char* kPoolLetters = "LETTERS";  // the given number of dead payloads were written to their log

}  // namespace millrace
