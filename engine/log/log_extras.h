// Optional parts of a log: data for compaction, the ids of recent writes, messages that wait for a date, and deleted
// offsets. Most logs have none of them and store a null pointer instead.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/recent_ids.h"
#include "engine/log/compaction.h"
#include "engine/log/deleted_offsets.h"
#include "engine/log/schedule.h"

namespace millrace {

// A deletion by tag in progress: `at` is the next offset to look at, `end` is one past the last.
struct TagDeletion {
  std::vector<std::string> tags;
  Offset at;
  Offset end;
};

// Needed only by a log that has had messages taken out of its middle.
struct CompactedPart {
  uint64_t total = 0;
  Offset evicted_end;
  std::unique_ptr<Compaction> compaction;  // only where Log::compact() has been called
  std::unique_ptr<Compaction> unused;      // no longer used since LATEST was switched off
};

struct LogExtras {
  std::unique_ptr<CompactedPart> compacted;  // null unless it has been compacted, or is to be, or messages were deleted
  std::unique_ptr<RecentIds> ids;            // null until the first write with an id
  uint32_t ids_ms = 0;                       // Retention::ids_ms
  Schedule schedule;
  DeletedOffsets deleted;
  uint64_t deleted_total = 0;          // messages deleted since the log was created
  std::vector<TagDeletion> deletions;  // the first is in progress, the others wait

  std::unique_ptr<LogExtras> clone() const {
    auto copy = std::make_unique<LogExtras>();
    if (ids) copy->ids = std::make_unique<RecentIds>(ids->clone());
    copy->ids_ms = ids_ms;
    copy->schedule = schedule.clone();
    copy->deleted = deleted;
    copy->deleted_total = deleted_total;
    copy->deletions = deletions;
    if (compacted) {
      copy->compacted = std::make_unique<CompactedPart>(compacted->total, compacted->evicted_end, nullptr, nullptr);
    }
    return copy;
  }

  // parts() returns how much there is to free. free_some() frees a part of it; false once everything is freed.
  size_t parts() const { return schedule.size() + (ids ? ids->size() : 0); }
  bool free_some() {
    constexpr size_t kMessagesAtOnce = 1000;
    return schedule.free_some(kMessagesAtOnce) || (ids && ids->free_some());
  }

  uint64_t memory() const {
    uint64_t bytes = sizeof(*this) + (compacted ? sizeof(CompactedPart) : 0) + (ids ? ids->memory() : 0) +
                     schedule.memory() + deleted.memory();
    for (const TagDeletion& deletion : deletions) {
      bytes += sizeof(deletion);
      for (const std::string& tag : deletion.tags) bytes += sizeof(tag) + (tag.capacity() > 15 ? tag.capacity() : 0);
    }
    return bytes;
  }

  const char* check() const {
    if (const char* broken = schedule.check()) return broken;
    if (const char* broken = deleted.check()) return broken;
    return ids ? ids->check() : nullptr;
  }
};

}  // namespace millrace
