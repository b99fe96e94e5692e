// What a log keeps, as TRETAIN sets it. 0 switches a limit off; a message goes as
// soon as any limit says so.
#pragma once

#include <cstdint>

namespace millrace {

struct Retention {
  uint64_t count = 0;   // at most this many messages
  uint64_t age_ms = 0;  // none written longer ago
  uint64_t bytes = 0;   // at most this much payload (tags and entries)

  bool any() const { return count != 0 || age_ms != 0 || bytes != 0; }
  friend bool operator==(const Retention&, const Retention&) = default;
};

// Which limit decides where a log begins: the one that is most used up.
enum class TailHolder { Nothing, Count, Age, Bytes };

}  // namespace millrace
