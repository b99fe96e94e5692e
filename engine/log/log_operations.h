// All operations on a log. Only this class decides which further steps a write needs, what a group's reader gets, when
// a message is given up, and what replicas are told. A caller parses requests and carries out consequences
// (engine/operation/outcome.h); it makes no such decisions.
//
//   LogOperations logs(other_logs, limits, packer, tag_key, fill_random);
//   Outcome<WriteAnswer> written = logs.write(place, {.pairs = tag_and_entry}, call);
//
// Replicas and files get effects. A replica calls the same functions with Call::decides false for requests that are
// replicated as they are, and apply() for everything else. Its log then equals the original.
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
  uint64_t pending_max = 1'000'000;                  // for a group without its own limit
  uint64_t read_bytes = uint64_t{64} * 1024 * 1024;  // payload of one answer, for a read without its own limit
  uint64_t ids_ms = uint64_t{10} * 60 * 1000;        // how long a log without its own window remembers ids
  size_t batches_at_once = 50'000;                   // ranges of pending messages that are acknowledged without a pause
};

// When and how full blocks are packed.
struct PackingTerms {
  uint64_t age_ms;  // since their last message was written
  int level;        // compression level
};

// One call of look_after(), or one read, writes at most this many bytes of dead letters.
inline constexpr uint64_t kDeadLetterBytesAtOnce = uint64_t{512} * 1024;

enum class ReadResult { Given, NothingCame };

class LogOperations {
 public:
  // Fills the key with random bytes.
  using FillRandom = void (*)(HashKey& bytes);

  // Borrows its arguments for its own lifetime; the limits may change meanwhile. The packer must also outlive the logs.
  // Compaction hashes tags with `tag_key`, which should be random. `fill_random` draws the epochs of new logs.
  LogOperations(OtherLogs& other_logs, const LogLimits& limits, BlockPacker& packer, const HashKey& tag_key,
                FillRandom fill_random)
      : other_logs_(other_logs), limits_(limits), packer_(packer), tag_key_(tag_key), fill_random_(fill_random) {}

  const LogCounters& counters() const { return counters_; }

  // --- messages ---
  // Failure, without any change: Full; Refused, if groups of the log must finish messages first; Corrupt, if the frame
  // is invalid.
  Outcome<WriteAnswer> write(Place<Log>& place, const WriteRequest& request, const Call& call);
  // Gives messages to the sink: those from an offset on, or those that the group delivers. Waits if the request may
  // block and there are no messages. The request stores its progress, and is passed to read() again when it is woken.
  //
  // A read by tag searches until the budget is spent. If it has found messages by then, it returns those. If not, what
  // it does depends on the request. A request with with_info that does not or cannot block returns no messages and
  // reports how far it has searched. A request that cannot wait and has no with_info fails (Range). Any other request
  // continues by itself after other clients have had their turn (Wait::goes_on).
  Outcome<ReadResult> read(Place<Log>& place, ReadRequest& request, const Call& call, MessageSink& sink,
                           const Budget& budget = NoLimit::instance());
  // Called when a waiting read by tag is woken: the message at `mark` is the first match.
  static void resume(ReadRequest& request, uint64_t mark);
  // True if read() needs memory, because messages become pending or the group is new.
  static bool read_grows(const Log* log, const ReadRequest& request);
  // The log of a waiting request was deleted: the request now waits for a new log, from its beginning.
  static Wait start_afresh(ReadRequest& request);
  // Returns how many messages were evicted.
  Outcome<uint64_t> evict(Place<Log>& place, const EvictRequest& request, const Call& call);
  // Changes the named parts of the retention and evicts what is no longer kept. Creates the log if it is missing.
  Outcome<Done> retain(Place<Log>& place, const RetainRequest& request, const Call& call);
  // Returns how many messages were deleted. That is 0 for a deletion by tag, which look_after() carries out later.
  // Failure: Range, if there are more messages than one call deletes; Full, if many deletions by tag are waiting.
  Outcome<uint64_t> delete_messages(Place<Log>& place, const DeleteRequest& request, const Call& call);

  // --- the schedule ---
  // Takes messages off the schedule. Returns how many were waiting.
  Outcome<uint64_t> cancel(Place<Log>& place, const TicketsRequest& request, const Call& call);
  // Moves scheduled messages into the log now. Returns how many were waiting. Failure: Full, Refused.
  Outcome<uint64_t> release_now(Place<Log>& place, const TicketsRequest& request, const Call& call);

  // --- groups. Failure: NoGroup, if there is no such group ---
  // Returns how many of the messages were pending.
  // With many pending messages in its ranges, a request that may wait acknowledges some of them at a time, and
  // continues after other clients have had their turn (Wait::goes_on); each time with its own effect.
  Outcome<uint64_t> acknowledge(Place<Log>& place, AckRequest& request, const Call& call);
  // False if acknowledge() does not use Call::now, so that the caller need not read its clocks. It uses the time only
  // for a group that is dropped when idle.
  static bool acknowledge_takes_time(const Log* log, const AckRequest& request);
  // False if acknowledge() will certainly not continue in another turn.
  bool acknowledge_may_go_on(const AckRequest& request) const;
  // Makes messages due again at the date in the request, or gives them up if it says so. Returns how many were pending.
  // One call handles the messages of a few thousand deliveries at most; if the result is less than the number of named
  // messages, call again. Failure: also Range, if one call finds no message that the named consumer holds, and Full, if
  // the dead letters cannot be written.
  Outcome<uint64_t> give_back(Place<Log>& place, const NackRequest& request, const Call& call);
  // Extends the time that consumers hold these messages to the time in the request. Returns how many were pending; the
  // limit per call is that of give_back(). Failure: also Range, as for give_back().
  Outcome<uint64_t> extend(Place<Log>& place, const ExtendRequest& request, const Call& call);
  // Moves the group to another offset and forgets its pending messages. Failure: also Range, if the log has no such
  // offset.
  Outcome<Done> seek_group(Place<Log>& place, const SeekGroupRequest& request, const Call& call);
  // False if the group exists already; it is not changed then. Failure: Range, and those of set_group().
  Outcome<bool> create_group(Place<Log>& place, const CreateGroupRequest& request, const Call& call);
  // Changes the settings that the request names. Failure: also those of OtherLogs::may_write() for the dead letter log.
  Outcome<Done> set_group(Place<Log>& place, const SetGroupRequest& request, const Call& call);
  // True if the group existed.
  Outcome<bool> drop_group(Place<Log>& place, ByteView group, const Call& call);
  // For commands that only read.
  static Result<const Group*> find_group(const Log* log, ByteView log_name, ByteView group);

  // --- dead letters ---
  // Moves the oldest messages of this log back to the logs that their tags name, and returns how many moved. It stops
  // at a message that is no dead letter or cannot be written to its log, and after 4 MiB. Failure: if the first message
  // cannot be written, the reason.
  Outcome<uint64_t> redrive(Place<Log>& place, const RedriveRequest& request, const Call& call);

  // --- background work ---
  // Does the work that is due. Messages that are too old are evicted. Pending messages that have expired or had their
  // last attempt are given up. A few scheduled messages whose date has come are written. Until the budget is spent, it
  // then writes more of those and continues deletions by tag and compaction.
  Consequences look_after(Place<Log>& place, const Call& call, const Budget& budget);
  // True if look_after() may use up its budget.
  static bool has_long_work(const Log& log);
  // When to call look_after() first for a log that was loaded or received; nullopt if never. A log with groups, ids or
  // a schedule must be looked at once, because their dates are not yet related to the caller's clocks.
  static std::optional<UnixMs> first_date(const Log& log);
  // Packs full blocks that have not been written to for the time in `terms`, the oldest first, until the budget is
  // spent. Only the storage in this process changes, so there is no effect to replicate.
  void pack_cold(Log& log, UnixMs now, const PackingTerms& terms, const Budget& budget);

  // --- effects from another engine ---
  // Applies what another engine has done or saved. Failure: Corrupt, without any change.
  Outcome<Done> apply(Place<Log>& place, const LogEffect& effect, const Call& call);

 private:
  // Creates a log. The deciding server draws its epoch, which is an effect.
  Log& create(Place<Log>& place, const Call& call, Effects& effects);
  Log& log_at(Place<Log>& place, const Call& call, Effects& effects) {
    return place.get() != nullptr ? *place.get() : create(place, call, effects);
  }
  // Rare paths are not inlined (noinline), which keeps the path of most requests short.
  // Writes the frame's messages as pairs.
  [[gnu::noinline]] Outcome<WriteAnswer> write_frame(Place<Log>& place, const WriteRequest& request, const Call& call);
  [[gnu::noinline]] void give_frame(const Log* log, const ReadRequest& request, MessageSink& sink);
  // A write without an id that does not wait. REQUIRES: there is room
  Outcome<WriteAnswer> append(Place<Log>& place, const WriteRequest& request, const Call& call);
  void append_to(Log& log, const WriteRequest& request, const Call& call, Consequences& follow);
  [[gnu::noinline]] Outcome<WriteAnswer> write_with_options(Place<Log>& place, const WriteRequest& request,
                                                            const Call& call);
  // The ids of this log, with the window from the retention or the limits. Changes are effects.
  RecentIds& ids_of(Log& log, const Call& call, Effects& effects);
  // Gives existing ids the current window of the log or the limits; the change is an effect. REQUIRES: call.decides
  void adapt_ids(Log& log, const Call& call, Effects& effects);
  // Forgets a slice of the ids that are too old. It is an effect, so that replicas forget them too.
  void forget_ids(Log& log, const Call& call, Consequences& follow);
  Ticket schedule(Log& log, const WriteRequest& request, const Call& call, Consequences& follow);
  // Appends up to `most` messages from the front of the schedule: those due at `now`, or, without `now`, as many as an
  // effect names.
  uint64_t release(Log& log, uint64_t most, std::optional<UnixMs> now);
  // Appends scheduled messages that are due: a few in any case, and more until the budget is spent.
  void release_due(Log& log, const Call& call, const Budget& budget, Consequences& follow);
  void delete_by_tag(Log& log, const Budget& budget, Consequences& follow);
  // Asks for the next call of look_after(): the earliest time at which ids, schedule or deletions need it. What is due
  // already is continued after `rest_ms`.
  static void keep_extras(const Log& log, const Call& call, Consequences& follow, uint64_t rest_ms = 0);
  // What a write does after appending: evicts what the retention does not keep, and wakes readers.
  void finish_appending(Log& log, uint64_t evicted, const Call& call, Consequences& follow);
  Outcome<ReadResult> read_alone(Place<Log>& place, ReadRequest& request, const Call& call, MessageSink& sink,
                                 const Budget& budget);
  [[gnu::noinline]] Outcome<ReadResult> read_by_tag(const Log* log, ReadRequest& request, const Call& call,
                                                    MessageSink& sink, const Budget& budget);
  Outcome<ReadResult> read_with_group(Place<Log>& place, ReadRequest& request, const Call& call, MessageSink& sink);
  Outcome<ReadResult> found_nothing(const Log* log, ReadRequest& request, const Call& call, const LogBounds& bounds,
                                    std::optional<Offset> stopped_at, MessageSink& sink);
  void give_messages(const Log* log, const ReadRequest& request, MessageSink& sink);
  // Gives messages to the sink, and reports the deleted ones between them. Returns the number of both.
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
  static uint64_t acknowledge_all(Group& group, const AckRequest& request, Forgotten* forgotten);
  uint64_t acknowledge_part(Group& group, AckRequest& request, Forgotten* forgotten, Consequences& follow) const;
  Outcome<uint64_t> give_up_now(Place<Log>& place, const NackRequest& request, const Call& call);
  Result<void> check_settings(const Place<Log>& place, const SetGroupRequest& request);
  // Gives up the messages that must be given up now, while their dead letters take at most `bytes`. The size of what is
  // written is subtracted from `bytes`. The other messages stay due.
  void give_up(Place<Log>& place, ByteView name, Group& group, UnixMs now, uint64_t& bytes, Consequences& follow);
  // Gives up due messages of groups, and drops groups that are idle. True if any group needed work.
  bool look_after_groups(Place<Log>& place, const Call& call, Consequences& follow);
  bool write_dead_letters(Place<Log>& place, ByteView name, const Group& group, const GivingUp& giving_up,
                          std::optional<ByteView> reason = std::nullopt);
  void compact(Log& log, const Budget& budget, Consequences& follow);
  void keep_appended(const Log& log, const Call& call, Consequences& follow) const;
  Result<void> apply_to(Log& log, const LogEffect& effect);
  // Counts evicted messages. Then evicts what all groups have finished, if the retention is ACKED.
  void settle_evicted(Log& log, uint64_t evicted);
  // Called when a group has moved on: evicts what all groups have finished, if the retention is ACKED.
  void settle_groups(Log& log) { settle_evicted(log, log.enforce_acked()); }

  OtherLogs& other_logs_;
  const LogLimits& limits_;
  BlockPacker& packer_;
  const HashKey& tag_key_;
  FillRandom fill_random_;
  LogCounters counters_;
  std::string frame_room_;  // memory of the last frame that was read: a new allocation of that size is expensive
};

}  // namespace millrace
