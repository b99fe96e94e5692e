// Everything that can be done with a log: the one place that decides what a write must also do, what a group's reader
// gets, when a message is given up, and what replicas are told. A caller parses requests, carries out consequences
// (engine/operation/outcome.h), and decides nothing.
//
//   LogOperations logs(other_logs, limits, packer, tag_key, fill_random);
//   Outcome<WriteAnswer> written = logs.write(place, {.pairs = tag_and_entry}, call);
//
// Replicas and files get effects. A replica calls the same functions with Call::decides false for requests that are
// repeated, and apply() for everything else; it comes to hold an equal log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/keyed_hash.h"
#include "engine/blocks/block_packer.h"
#include "engine/log/log.h"
#include "engine/log/log_counters.h"
#include "engine/log/log_requests.h"
#include "engine/log/message_sink.h"
#include "engine/log/other_logs.h"
#include "engine/operation/budget.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"

namespace millrace {

struct LogLimits {
  BlockLimits blocks;
  uint64_t pending_max = 1'000'000;                  // of a group that has no limit of its own
  uint64_t read_bytes = uint64_t{64} * 1024 * 1024;  // the payload of one answer that has no limit of its own
  uint64_t ids_ms = uint64_t{10} * 60 * 1000;        // how long a log that has no window of its own remembers ids
};

// When and how full blocks are packed.
struct PackingTerms {
  uint64_t age_ms;  // since their last message was written
  int level;        // of the compression
};

// Dead letters of at most this many bytes are written at once: by one call of look_after(), and by one read.
inline constexpr uint64_t kDeadLetterBytesAtOnce = uint64_t{512} * 1024;

enum class ReadResult { Given, NothingCame };

class LogOperations {
 public:
  // Fills it with random bytes.
  using FillRandom = void (*)(HashKey& bytes);

  // Borrows all of them for its own lifetime; the limits may change meanwhile. The packer must outlive the logs too. By
  // the key, which should be random, compaction hashes tags. The epochs of new logs are drawn by `fill_random`.
  LogOperations(OtherLogs& other_logs, const LogLimits& limits, BlockPacker& packer, const HashKey& tag_key,
                FillRandom fill_random)
      : other_logs_(other_logs), limits_(limits), packer_(packer), tag_key_(tag_key), fill_random_(fill_random) {}

  const LogCounters& counters() const { return counters_; }

  // --- messages ---
  // Failure: Full; Refused, if the log's groups must finish something first; Corrupt, if the frame is none. Nothing has
  // changed then.
  Outcome<WriteAnswer> write(Place<Log>& place, const WriteRequest& request, const Call& call);
  // Gives messages to the sink: what the offset says, or what the group has for a reader. Waits if the request may
  // block and there is nothing; the request remembers where it stands, and is given to read() again when it is woken.
  //
  // A read by tag looks for messages until the budget is spent. If it has found some by then, it gives those. If not,
  // it goes on by itself when others have had their turn (Wait::goes_on), unless it tells what it has looked at
  // (with_info) and need not wait. Where it may not wait, and tells nothing, it fails (Range).
  Outcome<ReadResult> read(Place<Log>& place, ReadRequest& request, const Call& call, MessageSink& sink,
                           const Budget& budget = NoLimit::instance());
  // A request by tag that waited is woken for the message at `mark`: there is none for it before that.
  static void resume(ReadRequest& request, uint64_t mark);
  // True if read() takes memory: messages become pending, or the group is new.
  static bool read_grows(const Log* log, const ReadRequest& request);
  // The log of a request that waits has gone: it waits for another one from its beginning.
  static Wait start_afresh(ReadRequest& request);
  // How many messages were evicted.
  Outcome<uint64_t> evict(Place<Log>& place, const EvictRequest& request, const Call& call);
  // Changes what the request names of the retention, and evicts what that does not keep; makes the log if it is
  // missing.
  Outcome<Done> retain(Place<Log>& place, const RetainRequest& request, const Call& call);
  // How many messages were deleted; of a deletion by tag, which goes on in look_after(), none yet. Failure: Range, if
  // there are more messages than one call deletes; Full, if many deletions by tag are waiting.
  Outcome<uint64_t> delete_messages(Place<Log>& place, const DeleteRequest& request, const Call& call);

  // --- the schedule ---
  // How many were waiting, and are taken off.
  Outcome<uint64_t> cancel(Place<Log>& place, const TicketsRequest& request, const Call& call);
  // How many were waiting, and are in the log now. Failure: Full, Refused.
  Outcome<uint64_t> release_now(Place<Log>& place, const TicketsRequest& request, const Call& call);

  // --- groups. Failure: NoGroup, if there is no such group ---
  // How many messages were pending.
  Outcome<uint64_t> acknowledge(Place<Log>& place, const AckRequest& request, const Call& call);
  // False if acknowledge() does not look at Call::now, which it does for a group that goes when it is idle: the caller
  // need not read its clocks.
  static bool acknowledge_takes_time(const Log* log, const AckRequest& request);
  // How many were pending, and are due again at the date that the request says, or are given up if it says so. One call
  // gives back the messages of some thousand deliveries at most: whoever gets less than it named asks again. Failure:
  // also Range, if the consumer that is named holds none of what one call looks at, and Full, if the dead letters
  // cannot be written.
  Outcome<uint64_t> give_back(Place<Log>& place, const NackRequest& request, const Call& call);
  // How many were pending, and stay with their consumers until the time that the request says has passed; as many as
  // give_back() at most. Failure: also Range, as there.
  Outcome<uint64_t> extend(Place<Log>& place, const ExtendRequest& request, const Call& call);
  // The group goes on from another offset, and forgets what is pending. Failure: also Range, if that is no offset of
  // the log.
  Outcome<Done> seek_group(Place<Log>& place, const SeekGroupRequest& request, const Call& call);
  // False if there is one already, which is not changed. Failure: Range, and what set_group() says.
  Outcome<bool> create_group(Place<Log>& place, const CreateGroupRequest& request, const Call& call);
  // Changes what the request names of the group's settings. Failure: also what OtherLogs::may_write() says of the dead
  // letters.
  Outcome<Done> set_group(Place<Log>& place, const SetGroupRequest& request, const Call& call);
  // True if there was one.
  Outcome<bool> drop_group(Place<Log>& place, ByteView group, const Call& call);
  // For those that only look.
  static Result<const Group*> find_group(const Log* log, ByteView log_name, ByteView group);

  // --- dead letters ---
  // Moves the oldest messages of this log back to the logs that their tags name. How many moved: it ends at a message
  // that is no dead letter, or cannot be written where it belongs; after 4 MiB too. Failure: if that is the first one,
  // why it cannot be written.
  Outcome<uint64_t> redrive(Place<Log>& place, const RedriveRequest& request, const Call& call);

  // --- by itself ---
  // What is due: messages that are too old go, those that have expired or had their last attempt are given up, a few of
  // the schedule whose date has come are written; until the budget is spent, more of them, and deletions by tag and
  // compaction go on.
  Consequences look_after(Place<Log>& place, const Call& call, const Budget& budget);
  // True if look_after() may use its budget up.
  static bool has_long_work(const Log& log);
  // When a log that was loaded, or has come from elsewhere, is to be looked after first; nothing if it need not be.
  // What is due of groups, ids and schedules is found by looking: their dates mean nothing to the caller's clocks yet.
  static std::optional<UnixMs> first_date(const Log& log);
  // Packs full blocks that have not been written to for so long, the oldest first, until the budget is spent. Only how
  // this engine holds them changes: there is nothing to tell.
  void pack_cold(Log& log, UnixMs now, const PackingTerms& terms, const Budget& budget);

  // --- repeating ---
  // What another engine has done or saved. Failure: Corrupt, and nothing has changed.
  Outcome<Done> apply(Place<Log>& place, const LogEffect& effect, const Call& call);

 private:
  // A new log. Its epoch is drawn by the server that decides, and is an effect.
  Log& create(Place<Log>& place, const Call& call, Effects& effects);
  Log& log_at(Place<Log>& place, const Call& call, Effects& effects) {
    return place.get() != nullptr ? *place.get() : create(place, call, effects);
  }
  // What is rare is not inlined into the way of most requests (noinline).
  // The frame's messages as pairs, in place of it.
  [[gnu::noinline]] Outcome<WriteAnswer> write_frame(Place<Log>& place, const WriteRequest& request, const Call& call);
  [[gnu::noinline]] void give_frame(const Log* log, const ReadRequest& request, MessageSink& sink);
  // A write without an id that does not wait. REQUIRES: there is room
  Outcome<WriteAnswer> append(Place<Log>& place, const WriteRequest& request, const Call& call);
  void append_to(Log& log, const WriteRequest& request, const Call& call, Consequences& follow);
  [[gnu::noinline]] Outcome<WriteAnswer> write_with_options(Place<Log>& place, const WriteRequest& request,
                                                            const Call& call);
  // The ids of this log, with the window that the retention or the limits say. Changes are told.
  RecentIds& ids_of(Log& log, const Call& call, Effects& effects);
  // Ids that are there get the window that the log or the limits say by now, which is told. REQUIRES: call.decides
  void adapt_ids(Log& log, const Call& call, Effects& effects);
  // Those that are too old, a slice of them: told, so that replicas forget them too.
  void forget_ids(Log& log, const Call& call, Consequences& follow);
  Ticket schedule(Log& log, const WriteRequest& request, const Call& call, Consequences& follow);
  // Appends messages of the schedule, the first ones: `most` that are due, or `most` that were told.
  uint64_t release(Log& log, uint64_t most, std::optional<UnixMs> now);
  // Those that are due: some, and more until the budget is spent.
  void release_due(Log& log, const Call& call, const Budget& budget, Consequences& follow);
  void delete_by_tag(Log& log, const Budget& budget, Consequences& follow);
  // When ids, schedule and deletions need to be looked after, at the earliest then.
  static void keep_extras(const Log& log, const Call& call, Consequences& follow, UnixMs earliest = UnixMs(0));
  // What a write does besides appending: evicts what the retention does not keep, and wakes.
  void finish_appending(Log& log, uint64_t evicted, const Call& call, Consequences& follow);
  Outcome<ReadResult> read_alone(Place<Log>& place, ReadRequest& request, const Call& call, MessageSink& sink,
                                 const Budget& budget);
  [[gnu::noinline]] Outcome<ReadResult> read_by_tag(const Log* log, ReadRequest& request, const Call& call,
                                                    MessageSink& sink, const Budget& budget);
  Outcome<ReadResult> read_with_group(Place<Log>& place, ReadRequest& request, const Call& call, MessageSink& sink);
  Outcome<ReadResult> found_nothing(const Log* log, ReadRequest& request, const Call& call, const LogBounds& bounds,
                                    std::optional<Offset> stopped_at, MessageSink& sink);
  void give_messages(const Log* log, const ReadRequest& request, MessageSink& sink);
  // Messages, and deleted ones between them. How many both are.
  [[gnu::noinline]] uint64_t give_with_deleted(const Log& log, Offset from, uint64_t wanted, uint64_t bytes,
                                               MessageSink& sink);
  [[gnu::noinline]] void give_backwards(const Log& log, const ReadRequest& request, MessageSink& sink);
  uint64_t most_bytes(const ReadRequest& request) const { return request.max_bytes.value_or(limits_.read_bytes); }
  void give_delivery(Log& log, const ReadRequest& request, const Delivery& delivery, MessageSink& sink);
  Delivery deliver(Place<Log>& place, const ReadRequest& request, const Call& call, Consequences& follow);
  [[gnu::noinline]] Outcome<ReadResult> read_mine(Place<Log>& place, const ReadRequest& request, const Call& call,
                                                  MessageSink& sink);
  Outcome<uint64_t> put_off(Group& group, ByteView name, const std::vector<OffsetRange>& ranges, UnixMs at,
                            GiveBack how, const Call& call);
  Outcome<uint64_t> give_up_now(Place<Log>& place, const NackRequest& request, const Call& call);
  Result<void> check_settings(const Place<Log>& place, const SetGroupRequest& request);
  // Gives up what is due, unless dead letters of more than `bytes` are to be written, which is lessened by those that
  // are. What is left is still due.
  void give_up(Place<Log>& place, ByteView name, Group& group, UnixMs now, uint64_t& bytes, Consequences& follow);
  // What is due of groups is given up, and groups that nobody uses are dropped. True if any was looked after.
  bool look_after_groups(Place<Log>& place, const Call& call, Consequences& follow);
  bool write_dead_letters(Place<Log>& place, ByteView name, const Group& group, const GivingUp& giving_up,
                          std::optional<ByteView> reason = std::nullopt);
  void compact(Log& log, const Budget& budget, Consequences& follow);
  void keep_appended(const Log& log, const Call& call, Consequences& follow) const;
  Result<void> apply_to(Log& log, const LogEffect& effect);
  // Counts what has been evicted, and evicts what all groups have finished with then, if the log is to keep no more.
  void settle_evicted(Log& log, uint64_t evicted);
  // A group has moved on: what all have finished with goes, if the log is to keep no more.
  void settle_groups(Log& log) { settle_evicted(log, log.enforce_acked()); }

  OtherLogs& other_logs_;
  const LogLimits& limits_;
  BlockPacker& packer_;
  const HashKey& tag_key_;
  FillRandom fill_random_;
  LogCounters counters_;
  std::string frame_room_;  // of the frame that was read last: a new allocation of that size is dear
};

}  // namespace millrace
