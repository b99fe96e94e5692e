// The words of the log's commands become requests of the engine, or the first error: one parser for each command. They
// do not depend on the host, so they are tested and fuzzed without one. The views in a request are borrowed from the
// words.
#pragma once

#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/log/log_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// TWRITE key tag entry
// TWRITE key [BACKLOG count] [ID id] [AT unix-ms | DELAY ms] ENTRIES tag entry [tag entry ...]
// TWRITE key [BACKLOG count] [ID id] [AT unix-ms | DELAY ms] FRAMED frame
Result<Parsed<WriteRequest>> parse_twrite(Words words);

// TSCHED LIST key [FROM ticket] [COUNT n]
Result<ListScheduleRequest> parse_tsched_list(Words words);

// TSCHED CANCEL key ticket [ticket ...]
Result<TicketsRequest> parse_tsched_cancel(Words words);

// TSCHED NOW key ticket [ticket ...]
Result<TicketsRequest> parse_tsched_now(Words words);

// TDEL key offset|start-end [offset|start-end ...]
// TDEL key TAGS n tag [tag ...]
Result<DeleteRequest> parse_tdel(Words words);

// n tag [tag ...]
std::vector<ByteView> parse_tags(ArgumentReader& reader);

// TREAD key offset count [BLOCK ms] [GROUP name | TAILGROUP name] [CONSUMER name]
//       [RETRY retry-ms expire-ms] [WITHINFO [EPOCH]] [WITHATTEMPTS] [WITHTIME] [MAXBYTES n] [REV] [MINE] [SKIP]
//       [TAGS n tag ...]
// TREAD key offset count FRAMED [BLOCK ms] [MAXBYTES n]
Result<Parsed<ReadRequest>> parse_tread(Words words);

// TREADGROUP key offset count …: the same, with a group.
Result<Parsed<ReadRequest>> parse_treadgroup(Words words);

// TREAD_RO key offset count …: the same, without a group.
Result<Parsed<ReadRequest>> parse_tread_ro(Words words);

// TEVICT key offset; a negative one says how many to keep.
Result<EvictRequest> parse_tevict(Words words);

// TRETAIN key [COUNT n] [AGE ms] [BYTES n] [LATEST yes|no] [ACKED yes|no] [IDS ms] [REFUSE yes|no]
Result<RetainRequest> parse_tretain(Words words);

// TSEEK key unix-ms
Result<UnixMs> parse_tseek(Words words);

// TACK key group [CONSUMER name] offset|start-end [offset|start-end ...]
Result<AckRequest> parse_tack(Words words);

// TNACK key group [CONSUMER name] [DELAY ms] [UNCOUNTED] [DEAD reason] offset|start-end [...]
Result<NackRequest> parse_tnack(Words words);

// TEXTEND key group [CONSUMER name] ms offset|start-end [...]
Result<ExtendRequest> parse_textend(Words words);

// TGROUP LIST key [AFTER group] [COUNT n]
Result<ListGroupsRequest> parse_tgroup_list(Words words);

// TGROUP SEEK key group offset|FIRST|NEXT
Result<SeekGroupRequest> parse_tgroup_seek(Words words);

// TGROUP CREATE key group [FIRST | NEXT | offset] [PENDINGMAX n] [MAXATTEMPTS n] [DEADLETTER key|NONE] [IDLE ms]
Result<CreateGroupRequest> parse_tgroup_create(Words words);

// TGROUP DROP key group
Result<ByteView> parse_tgroup_drop(Words words);

// TGROUP PENDING key group [CONSUMER name] [FROM offset] [COUNT n]
Result<PendingRequest> parse_tgroup_pending(Words words);

// TGROUP SET key group [PENDINGMAX n] [MAXATTEMPTS n] [DEADLETTER key|NONE] [IDLE ms]
Result<SetGroupRequest> parse_tgroup_set(Words words);

// TREDRIVE key [COUNT n] [TO key]
Result<RedriveRequest> parse_tredrive(Words words);

// TAPPLY key CLOCK ms | EPOCH bytes | BLOCK header bytes | HEAD head | GROUP bytes | PENDING bytes |
//            DELIVERED bytes | FINISHED bytes | GIVENUP bytes | GIVENBACK bytes |
//            REPEATED bytes | USED bytes | DROPPED group | COMPACTED bytes |
//            MORE bytes | IDS bytes | SCHEDULED bytes | DELETED bytes | DELETING bytes | DUE count | TAGSDELETED bytes
Result<LogEffect> parse_tapply(Words words);

}  // namespace millrace::module
