// The words of the effects that operations on channels tell, as CHAN.APPLY has them. Do not change: replicas and
// append-only files of other versions use them.
#pragma once

namespace millrace {

inline constexpr const char* kChannelCreated = "CREATED";
inline constexpr const char* kChannelClock = "CLOCK";
inline constexpr const char* kChannelTouch = "TOUCH";

// When a new channel expires is told as a command of its own.
inline constexpr const char* kExpireCommand = "PEXPIREAT";

}  // namespace millrace
