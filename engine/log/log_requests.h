// The requests that a log takes, as plain values. The views in a request must live as long as the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/parts.h"
#include "engine/base/strong.h"
#include "engine/log/log.h"
#include "engine/log/retention.h"

namespace millrace {

// Longest time until a pending message expires or is due again, some 4,400 years.
inline constexpr uint64_t kMaxPendingMs = uint64_t{1} << 47;

// Both ends inclusive.
struct OffsetRange {
  Offset from;
  Offset to;
};

struct WriteRequest {
  std::optional<uint64_t> backlog;            // keep this many messages, those of this request included
  std::span<const ByteView> pairs;            // tag, entry, tag, entry, …: an even number, at least two; or a frame
  std::optional<ByteView> id = std::nullopt;  // a write with the same id is carried out once
  // The messages wait in the schedule until then; a date in the past means now.
  std::optional<UnixMs> at = std::nullopt;
  std::optional<uint64_t> delay_ms = std::nullopt;
  // A frame with the messages, instead of pairs.
  std::optional<ByteView> frame = std::nullopt;
  // The pairs are the records of a block: see MessageBlocks::append_all().
  bool are_records = false;
  // The caller has checked for room (Log::room_for_groups()), so Retention::refuse does not apply.
  bool is_admitted = false;

  bool waits() const { return at || delay_ms; }
};

// A frame that is written holds at most this many messages.
inline constexpr uint64_t kMaxFrameMessages = 1'000'000;
// Limits of the messages and unpacked bytes of its packed blocks, because 800 packed bytes can hold a million messages.
// Within these limits a write takes a few milliseconds.
inline constexpr uint64_t kMaxFrameUnpackedMessages = 100'000;
inline constexpr uint64_t kMaxFrameUnpackedBytes = uint64_t{4} * 1024 * 1024;

// Where the first message of a write is, in the log or in its schedule. The others follow it.
struct WriteAnswer {
  Offset offset;
  std::optional<Ticket> ticket = std::nullopt;
};

// Longest time that a message waits in a schedule, some 4,400 years.
inline constexpr uint64_t kMaxDelayMs = uint64_t{1} << 47;
inline constexpr UnixMs kMaxScheduleDate{kMaxTicketPart};

// Messages of a schedule that are removed from it or become due now.
struct TicketsRequest {
  std::vector<Ticket> tickets;
};

struct ListScheduleRequest {
  Ticket from;
  uint64_t count = 100;
};

// Messages that are deleted: at these offsets, or all that have one of these tags.
struct DeleteRequest {
  std::vector<OffsetRange> ranges;  // ascending, without overlap
  std::vector<ByteView> tags;
};
// One request deletes at most this many messages by offset.
inline constexpr uint64_t kMaxDeleted = 10'000;
// One deletion rewrites at most this many bytes of blocks: 146 blocks of the default size, which takes some
// milliseconds. Blocks that are deleted as a whole do not count.
inline constexpr uint64_t kMaxRewrittenBytes = uint64_t{2} * 1024 * 1024;
// The most tags in one request: they are hashed again in each turn of a long search or deletion.
inline constexpr uint64_t kMaxTags = 1'000;
// The most unfinished deletions by tag in one log.
inline constexpr size_t kMaxTagDeletions = 16;

// Where to start: an offset, a number of messages before the next one, or the next one itself.
class StartOffset {
 public:
  static StartOffset at(Offset offset) { return StartOffset(offset.value(), false); }
  static StartOffset before_next(uint64_t count) { return StartOffset(count, true); }

  // The offset in this log, which may be missing. Counted back beyond offset 1, it is 1. Counted from the end of an
  // empty log, it is the next offset.
  Offset in(const Log* log) const;

 private:
  StartOffset(uint64_t value, bool from_end) : value_(value), from_end_(from_end) {}
  uint64_t value_;
  bool from_end_;
};

// The group part of a read, which changes the log.
struct GroupRead {
  ByteView name;
  bool at_tail = false;  // where the group begins if it is new
  std::optional<ByteView> consumer;
  std::optional<Retry> retry;
  bool with_attempts = false;
  bool is_mine = false;  // deliver again what this consumer holds, from the offset on; only with a consumer

  // Not for the caller to set. was_tried: the request was tried before; if the log is missing now, the request waits
  // for it and does not create it. is_there: the group existed at that time; if it is missing now, it was dropped.
  bool was_tried = false;
  bool is_there = false;
};

struct ReadRequest {
  std::optional<GroupRead> group;
  StartOffset start = StartOffset::before_next(0);
  std::optional<LogEpoch> epoch;  // the position is valid only for a log with this epoch; never with a group
  uint64_t count = 0;
  std::optional<uint64_t> block_ms;
  bool with_info = false;
  bool with_epoch = false;  // add the epoch to the information
  bool with_time = false;
  bool skip = false;                  // do not report evicted offsets
  bool backwards = false;             // from the offset towards the first message; never with a group or block_ms
  std::optional<uint64_t> max_bytes;  // limit on tags and entries; at least one message is returned. nullopt:
                                      // LogLimits::read_bytes
  std::vector<ByteView> tags;         // empty: all messages
  // Return all messages in one frame (engine/base/frame_format.h). Only with `skip`, and without `backwards`, a group,
  // tags and with_info.
  bool is_framed = false;

  // The offset of `start`, set when the request is first tried: from then on it waits for messages from this offset on.
  // Not for the caller to set.
  std::optional<Offset> from = std::nullopt;
};

// Evicts messages up to and including an offset, or all but the newest.
struct EvictRequest {
  Offset up_to;
  std::optional<uint64_t> keep;
};

struct RetainRequest {
  std::optional<uint64_t> count;
  std::optional<uint64_t> age_ms;
  std::optional<uint64_t> bytes;
  std::optional<bool> latest;
  std::optional<bool> acked;
  std::optional<uint32_t> ids_ms = std::nullopt;
  std::optional<bool> refuse = std::nullopt;

  bool only_shows() const { return !count && !age_ms && !bytes && !latest && !acked && !ids_ms && !refuse; }
  // `old` with the changes of this request.
  Retention applied_to(Retention old) const;
};

struct AckRequest {
  ByteView group;
  std::optional<ByteView> consumer = std::nullopt;  // only messages that it holds
  std::vector<OffsetRange> ranges;
  // For a request that continues: how many it has acknowledged so far. `ranges` is what is left.
  std::optional<uint64_t> acknowledged = std::nullopt;
  // It never waits for messages, and continues until it is done.
  std::optional<uint64_t> block_ms = std::nullopt;
};

struct NackRequest {
  ByteView group;
  std::optional<ByteView> consumer = std::nullopt;  // only messages that it holds
  uint64_t delay_ms = 0;
  bool is_uncounted = false;                            // the last delivery does not count as an attempt
  std::optional<ByteView> dead_because = std::nullopt;  // the messages are given up now, for this reason
  std::vector<OffsetRange> ranges;  // ascending, without overlap: a message that is named twice is given back once
};

// Moves the retry deadline to this many milliseconds from now.
struct ExtendRequest {
  ByteView group;
  std::optional<ByteView> consumer = std::nullopt;  // only messages that it holds
  uint64_t ms = 0;
  std::vector<OffsetRange> ranges;  // ascending, without overlap
};

struct SeekGroupRequest {
  enum class Where { AtOffset, First, Next } where;
  ByteView group;
  Offset offset;
};

struct PendingRequest {
  ByteView group;
  std::optional<ByteView> consumer;
  Offset from{1};
  uint64_t count = 100;
};

struct ListGroupsRequest {
  std::optional<ByteView> after;  // only groups after this name, which need not exist
  uint64_t count = UINT64_MAX;
};

struct SetGroupRequest {
  ByteView group;
  std::optional<uint64_t> pending_max;
  std::optional<uint32_t> max_attempts;
  std::optional<ByteView> dead_letter;  // empty: none
  std::optional<uint64_t> idle_ms = std::nullopt;

  GroupSettings applied_to(const GroupSettings& old) const;
};

// A group that will be created, with its settings.
struct CreateGroupRequest {
  SeekGroupRequest at;
  SetGroupRequest settings;
};

// Moves dead letters back to the logs they came from, at most `count`.
inline constexpr uint64_t kMaxRedriven = 10'000;
struct RedriveRequest {
  uint64_t count = 100;
  std::optional<ByteView> to;  // to this log instead
};

// An effect from another engine, for apply().
struct LogEffect {
  enum class Kind {
    Clock,
    Part,
    Delivered,
    Finished,
    GivenUp,
    GivenBack,
    Repeated,
    Used,
    Dropped,
    Compacted,
    Due,
    TagsDeleted
  };
  Kind kind = Kind::Clock;
  UnixMs clock;        // of Clock
  uint64_t count = 0;  // of Due
  Part part;           // of Part
  ByteView bytes;      // of all others
};

}  // namespace millrace
