// The words of TAPPLY for the effects of operations on logs. Do not change: replicas and append-only files of other
// versions use them.
#pragma once

namespace millrace {

inline constexpr const char* kLogClock = "CLOCK";
inline constexpr const char* kLogEpoch = "EPOCH";  // a part (log_parts.h)
inline constexpr const char* kLogDelivered = "DELIVERED";
inline constexpr const char* kLogFinished = "FINISHED";
inline constexpr const char* kLogGivenUp = "GIVENUP";
inline constexpr const char* kLogGivenBack = "GIVENBACK";
inline constexpr const char* kLogRepeated = "REPEATED";
inline constexpr const char* kLogUsed = "USED";
inline constexpr const char* kLogDropped = "DROPPED";
inline constexpr const char* kLogCompacted = "COMPACTED";
inline constexpr const char* kLogDue = "DUE";  // the given number of messages from the front of the schedule
inline constexpr const char* kLogTagsDeleted = "TAGSDELETED";
inline constexpr const char* kLogIds = "IDS";              // a part
inline constexpr const char* kLogScheduled = "SCHEDULED";  // a part

// Eviction by age is replicated as a separate request.
inline constexpr const char* kEvictCommand = "TEVICT";
// A part of a large acknowledgement.
inline constexpr const char* kAckCommand = "TACK";

}  // namespace millrace
