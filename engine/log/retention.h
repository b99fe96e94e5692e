// What a log keeps, as set by TRETAIN. 0 switches a limit off. A message is removed as soon as one limit requires it.
#pragma once

#include <cstdint>

namespace millrace {

struct Retention {
  uint64_t count = 0;   // at most this many messages
  uint64_t age_ms = 0;  // no messages written longer ago
  uint64_t bytes = 0;   // at most this much payload (tags and entries), but always the newest message
  bool acked = false;   // no messages that every group has finished
  uint32_t ids_ms = 0;  // how long the ids of writes are remembered; 0: as long as the limits say
  bool refuse = false;  // refuse writes that would evict, by count or bytes, messages that a group has not finished
  bool latest = false;  // only the newest message of each tag; compaction removes the others, in slices

  bool any() const { return count != 0 || age_ms != 0 || bytes != 0 || acked || latest; }
  friend bool operator==(const Retention&, const Retention&) = default;
};

// What decides where a log begins: the limit that is closest to being reached. With `acked` it is the group that is
// furthest behind, or the lack of any group.
enum class TailHolder { Nothing, Count, Age, Bytes, Group, NoGroup };

}  // namespace millrace
