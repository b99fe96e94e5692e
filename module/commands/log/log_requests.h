// The log's commands as plain values: what a client asked for, checked as far as that
// goes without looking at the log. One parser for each command; none knows the host.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/log/log.h"
#include "engine/log/retention.h"
#include "module/commands/argument_reader.h"

namespace millrace::module {

// Longest time until a pending message expires or is due again, some 4,400 years.
inline constexpr uint64_t kMaxPendingMs = uint64_t{1} << 47;

// TWRITE key tag entry
// TWRITE key [BACKLOG count] ENTRIES tag entry [tag entry ...]
struct WriteRequest {
  std::optional<uint64_t> backlog;
  Words pairs;  // tag, entry, tag, entry, …: an even number, at least two
};
Result<WriteRequest> parse_twrite(Words words);

// Where to start: an offset, so many before the next one, or the next one itself.
class StartOffset {
 public:
  static StartOffset at(Offset offset) { return StartOffset(offset.value(), false); }
  static StartOffset before_next(uint64_t count) { return StartOffset(count, true); }

  // In this log, which may be missing. Before the log's very first message it is 1; counted from the end of an empty
  // log it is the next one.
  Offset in(const Log* log) const;

 private:
  StartOffset(uint64_t value, bool from_end) : value_(value), from_end_(from_end) {}
  uint64_t value_;
  bool from_end_;
};

// The part of a TREAD that a group makes a write.
struct GroupRead {
  ByteView name;
  bool at_tail = false;  // where the group begins if it is new
  std::optional<ByteView> consumer;
  std::optional<Retry> retry;
  bool with_attempts = false;
};

// TREAD key offset count [BLOCK ms] [GROUP name | TAILGROUP name] [CONSUMER name]
//       [RETRY retry-ms expire-ms] [WITHINFO] [WITHATTEMPTS] [SKIP] [TAGS n tag ...]
struct ReadRequest {
  std::optional<GroupRead> group;
  StartOffset start = StartOffset::before_next(0);
  uint64_t count = 0;
  std::optional<uint64_t> block_ms;
  bool with_info = false;
  bool skip = false;
  std::vector<ByteView> tags;  // none: all
};
Result<ReadRequest> parse_tread(Words words);

// TEVICT key offset; a negative one says how many to keep.
struct EvictRequest {
  Offset up_to;  // inclusive
  std::optional<uint64_t> keep;
};
Result<EvictRequest> parse_tevict(Words words);

// TRETAIN key [COUNT n] [AGE ms] [BYTES n] [LATEST yes|no] [ACKED yes|no]
struct RetainRequest {
  std::optional<uint64_t> count;
  std::optional<uint64_t> age_ms;
  std::optional<uint64_t> bytes;
  std::optional<bool> latest;
  std::optional<bool> acked;

  bool only_shows() const { return !count && !age_ms && !bytes && !latest && !acked; }
  // What `old` becomes.
  Retention applied_to(Retention old) const;
};
Result<RetainRequest> parse_tretain(Words words);

// TSEEK key unix-ms
Result<UnixMs> parse_tseek(Words words);

// Offsets as TACK and TNACK take them; both ends inclusive.
struct OffsetRange {
  Offset from;
  Offset to;
};

// TACK key group offset|start-end [offset|start-end ...]
struct AckRequest {
  ByteView group;
  std::vector<OffsetRange> ranges;
};
Result<AckRequest> parse_tack(Words words);

// TNACK key group [DELAY ms] offset|start-end [...]
struct NackRequest {
  ByteView group;
  uint64_t delay_ms = 0;
  std::vector<OffsetRange> ranges;  // rising, without overlap: a message that is named twice is given back once
};
Result<NackRequest> parse_tnack(Words words);

// TGROUP SEEK key group offset|FIRST|NEXT
struct SeekGroupRequest {
  enum class Where { Offset, First, Next } where;
  ByteView group;
  Offset offset;
};
Result<SeekGroupRequest> parse_tgroup_seek(Words words);

// TGROUP PENDING key group [CONSUMER name] [FROM offset] [COUNT n]
struct PendingRequest {
  ByteView group;
  std::optional<ByteView> consumer;
  Offset from{1};
  uint64_t count = 100;
};
Result<PendingRequest> parse_tgroup_pending(Words words);

// TGROUP SET key group [PENDINGMAX n] [MAXATTEMPTS n] [DEADLETTER key|NONE]
struct SetGroupRequest {
  ByteView group;
  std::optional<uint64_t> pending_max;
  std::optional<uint32_t> max_attempts;
  std::optional<ByteView> dead_letter;  // empty: none

  GroupSettings applied_to(const GroupSettings& old) const;
};
Result<SetGroupRequest> parse_tgroup_set(Words words);

// TAPPLY key CLOCK ms | BLOCK header bytes | HEAD head | GROUP bytes | PENDING bytes |
//            DELIVERED bytes | GIVENUP bytes | GIVENBACK bytes | COMPACTED bytes
struct ApplyRequest {
  enum class What { Clock, Block, Head, Group, Pending, Delivered, GivenUp, GivenBack, Compacted } what;
  UnixMs clock;
  ByteView header;  // of a block
  ByteView bytes;
};
Result<ApplyRequest> parse_tapply(Words words);

}  // namespace millrace::module
