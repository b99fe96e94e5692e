// Ids, schedule and deletions of a log as parts (log_parts.h); docs/formats/log.md draws their bytes. Decoding checks
// outside bytes: failure is Corrupt, and the log is unchanged.
#pragma once

#include <functional>
#include <string>

#include "engine/base/error.h"
#include "engine/log/log.h"

namespace millrace {

using PieceVisit = std::function<void(ByteView piece)>;

// What was added to the head: the window of ids, REFUSE, the next ticket, how many messages were deleted. Empty if all
// of that is as in a new log.
std::string encode_more(const Log& log);
Result<void> restore_more(Log& log, ByteView bytes);

// The ids without any of them: their key and window, which replicas are told when they change.
std::string encode_ids_head(const RecentIds& ids);
// One of them, behind that.
std::string encode_id(const RecentIds& ids, UnixMs date, const RecentIds::Fingerprint& id,
                      const RecentIds::Answer& answer);
// All that are known at the log's clock, in pieces.
void each_ids_piece(const Log& log, const PieceVisit& visit);
Result<void> restore_ids(Log& log, ByteView bytes);

// Adds a message to the bytes of such a part.
void append_scheduled(std::string& bytes, const Schedule::Waiting& message);
void each_schedule_piece(const Log& log, const PieceVisit& visit);
Result<void> restore_scheduled(Log& log, ByteView bytes);

// Deleted offsets that readers may ask for.
void each_deleted_piece(const Log& log, const PieceVisit& visit);
Result<void> restore_deleted(Log& log, ByteView bytes);

std::string encode_deletion(const TagDeletion& deletion);
Result<void> restore_deletion(Log& log, ByteView bytes);

// What a slice of a deletion by tag has deleted, and how far it is: the effect that replicas are told.
std::string encode_effect(const Removal& removal, Offset at);
// How many messages it has deleted.
Result<uint64_t> apply_tag_deletion(Log& log, ByteView bytes, BlockLimits limits);

}  // namespace millrace
