// Ids, schedule and deletions of a log as parts (log_parts.h); docs/formats/log.md draws their bytes. Decoding checks
// outside bytes: failure is Corrupt, and the log is unchanged.
#pragma once

#include <functional>
#include <string>

#include "engine/base/error.h"
#include "engine/log/log.h"

namespace millrace {

using PieceVisit = std::function<void(ByteView piece)>;

// Later additions to the head: the window of ids, REFUSE, the next ticket, how many messages were deleted. Empty if all
// of them are as in a new log.
std::string encode_more(const Log& log);
Result<void> restore_more(Log& log, ByteView bytes);

// The hash key and window of the ids, without the ids themselves. Replicas get this when it changes.
std::string encode_ids_head(const RecentIds& ids);
// One id, preceded by that head.
std::string encode_id(const RecentIds& ids, UnixMs date, const RecentIds::Fingerprint& id,
                      const RecentIds::Answer& answer);
// All ids known at the log's clock, in pieces.
void each_ids_piece(const Log& log, const PieceVisit& visit);
Result<void> restore_ids(Log& log, ByteView bytes);

// Appends a scheduled message to the bytes of a Scheduled part.
void append_scheduled(std::string& bytes, const Schedule::Waiting& message);
void each_schedule_piece(const Log& log, const PieceVisit& visit);
Result<void> restore_scheduled(Log& log, ByteView bytes);

// Deleted offsets that readers may ask for.
void each_deleted_piece(const Log& log, const PieceVisit& visit);
Result<void> restore_deleted(Log& log, ByteView bytes);

std::string encode_deletion(const TagDeletion& deletion);
Result<void> restore_deletion(Log& log, ByteView bytes);

// The effect of one slice of a deletion by tag, for replicas: what it deleted, and how far the deletion has come.
std::string encode_effect(const Removal& removal, Offset at);
// Returns how many messages were deleted.
Result<uint64_t> apply_tag_deletion(Log& log, ByteView bytes, BlockLimits limits);

}  // namespace millrace
