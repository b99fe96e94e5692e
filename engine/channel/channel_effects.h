// The words of CHAN.APPLY for the effects of operations on channels. Do not change: replicas and append-only files of
// other versions use them.
#pragma once

namespace millrace {

inline constexpr const char* kChannelCreated = "CREATED";
inline constexpr const char* kChannelClock = "CLOCK";
inline constexpr const char* kChannelTouch = "TOUCH";

// The expiry of a new channel is replicated as a separate command.
inline constexpr const char* kExpireCommand = "PEXPIREAT";

}  // namespace millrace
