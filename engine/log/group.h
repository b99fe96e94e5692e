// A consumer group: readers that share one position in a log, so that each message is delivered to one of them, and is
// delivered again until it is acknowledged.
//
// A read is planned first, which changes nothing, and then applied. The plan is the effect that goes to replicas and
// the AOF. They apply the same plan and do not decide anything by their own clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "engine/blocks/removal.h"
#include "engine/log/consumers.h"
#include "engine/log/forgotten.h"
#include "engine/log/group_clock.h"
#include "engine/log/idleness.h"
#include "engine/log/pending.h"

namespace millrace {

struct GroupSettings {
  uint64_t pending_max = 0;   // 0: the host's default
  uint32_t max_attempts = 0;  // 0: no limit
  std::string dead_letter;    // the key given-up messages go to; empty: none
  uint64_t idle_ms = 0;       // the group is dropped after this time without use; 0: never

  friend bool operator==(const GroupSettings&, const GroupSettings&) = default;
};

struct GroupCounters {
  uint64_t lost = 0;         // evicted before they were delivered, or while pending
  uint64_t expired = 0;      // given up because their time was over
  uint64_t exhausted = 0;    // given up after the last attempt
  uint64_t redelivered = 0;  // deliveries after the first one of a message

  friend bool operator==(const GroupCounters&, const GroupCounters&) = default;
};

// The times that a reader gives with RETRY.
struct Retry {
  uint32_t retry_ms;   // 1 or more
  uint64_t expire_ms;  // 0: never
};

// The effect of a read.
struct Delivery {
  UnixMs at;
  std::optional<std::string> consumer;
  uint32_t retry_ms = 0;               // 0: without RETRY
  uint64_t expire_at = kNeverExpires;  // of fresh messages
  std::vector<OffsetBits> again;       // delivered before, due again; in this order
  Offset fresh_first;                  // then this many fresh ones, starting at fresh_first
  uint64_t fresh_count = 0;
  Offset fresh_end = {};                    // one past the last of them
  std::vector<OffsetBits> fresh_bits = {};  // which they are, if not all from fresh_first to fresh_end
  // How often each of `again` has been delivered, this time included. Known only where the delivery was planned.
  std::vector<uint32_t> attempts = {};

  uint64_t count() const;
  bool empty() const { return again.empty() && fresh_count == 0; }
};

// How messages are given back.
struct GiveBack {
  bool postpones_expiry = false;  // expiry is moved to the date on which they are due again
  bool releases = false;          // no consumer holds them from now on
  bool is_uncounted = false;      // their last delivery does not count as an attempt
};

// The effect of giving messages up.
struct GivingUp {
  struct Part {
    OffsetBits messages;
    uint32_t attempts;
    bool expired;
  };
  std::vector<Part> parts;

  bool empty() const { return parts.empty(); }
};

// How far a search in pending messages goes.
struct PendingSearch {
  size_t looks = SIZE_MAX;  // ranges of any consumer that it looks at
  size_t parts = SIZE_MAX;  // matching ranges that it returns

  bool is_over() const { return looks == 0 || parts == 0; }
};

class Group {
 public:
  // Will deliver the first message at or after `next`. `missing_ahead` offsets from there on have no message.
  explicit Group(Offset next, uint64_t missing_ahead = 0) : next_(next), missing_ahead_(missing_ahead) {}

  Offset next() const { return next_; }
  // How many existing messages have not been delivered.
  uint64_t lag(Offset log_next) const { return log_next - next_ - missing_ahead_; }
  uint64_t missing_ahead() const { return missing_ahead_; }
  const Pending& pending() const { return pending_; }
  const Consumers& consumers() const { return consumers_; }
  const GroupSettings& settings() const { return settings_; }
  const GroupCounters& counters() const { return counters_; }
  void set(GroupSettings settings) {
    // With a lower limit, messages that are due may already have had their last attempt.
    if (settings.max_attempts != settings_.max_attempts) pending_.look_again();
    settings_ = std::move(settings);
  }
  // The first offset that the group has not finished.
  Offset unfinished() const { return pending_.empty() ? next_ : std::min(pending_.first(), next_); }

  // --- reading ---
  // What a read of up to `count` messages at `now` gets: first due messages, oldest deadline first, then fresh messages
  // before `log_next`, as many as the limit on pending messages allows. While fresh messages are waiting, due ones take
  // at most half of a read; of reads of a single message they take every other one.
  // REQUIRES: the result of give_up_due(now) has been applied.
  Delivery plan(Offset log_next, uint64_t count, UnixMs now, const std::optional<Retry>& retry,
                std::optional<ByteView> consumer, uint64_t default_pending_max) const;
  // Divides the available messages among `readers` waiting readers: how many each gets, at most `count` and at least
  // one. REQUIRES: as plan()
  uint64_t share(Offset log_next, uint64_t count, uint64_t readers, bool with_retry,
                 uint64_t default_pending_max) const;
  // REQUIRES: fresh_end and fresh_bits are set: by plan() in a log without gaps, else by Log::locate().
  void apply(const Delivery& delivery);
  // Marks messages as finished that were delivered again without RETRY. Called after apply(), and only where the
  // delivery was planned; replicas get a separate effect for it.
  void finish(const std::vector<OffsetBits>& messages);

  // --- time ---
  // The messages that must be given up at `now`: those that have expired, and those due again after the last attempt.
  // Looks at `limit` ranges at most; more may be left if next_event() is not in the future.
  // REQUIRES: the result is applied, or the messages are given back, before any other call.
  GivingUp give_up_due(UnixMs now, size_t limit);
  // The same, limited to the messages that admit() takes: see Pending::advance().
  template <class Admit>
  GivingUp give_up_due(UnixMs now, size_t limit, Admit admit) {
    return giving_up(pending_.advance(now, settings_.max_attempts, limit, admit));
  }
  void apply(const GivingUp& giving_up);
  // The next time when give_up_due() or the check for idleness has work to do.
  std::optional<UnixMs> next_event() const;
  // The same as a time from now.
  std::optional<uint64_t> ms_until_event(const Now& now) const {
    const auto event = next_event();
    if (!event) return std::nullopt;
    return *event > time(now) ? *event - time(now) : 0;
  }
  // The group's time, which all its dates refer to.
  UnixMs time(const Now& now) const { return pending_.empty() ? now.wall : clock_.time(now); }
  // Called by the deciding server before and after it changes pending messages.
  void run_clock(const Now& now) { pending_.empty() ? clock_.stop() : clock_.run(now); }
  void stop_clock() { clock_.stop(); }
  UnixMs last_delivery() const { return clock_.last_delivery(); }

  // --- use ---
  // True if replicas must be told: see Idleness.
  bool use(UnixMs now) { return idleness_.use(now, settings_.idle_ms); }
  bool is_idle(UnixMs now) { return idleness_.is_over(now, settings_.idle_ms); }
  UnixMs used() const { return idleness_.used(); }
  void set_used(UnixMs date) { idleness_.set_used(date); }

  // --- answers ---
  // Both ends are inclusive. Return how many of the messages were pending. With a consumer: only messages that it
  // holds.
  // If this function, or one below that forgets messages, forgets all of them at once, it adds what is to be freed to
  // `forgotten`; without `forgotten` it frees that itself.
  uint64_t acknowledge(Offset from, Offset to, std::optional<ByteView> consumer = std::nullopt,
                       Forgotten* forgotten = nullptr);
  // Cuts [from, to], both inclusive, for acknowledge(): a call for the part that ends at the result looks at about
  // `ranges` ranges. The result is `to` if there are no more ranges, or if no range must be looked at.
  // REQUIRES: ranges != 0
  Offset end_of_part(Offset from, Offset to, const std::optional<ByteView>& consumer, size_t ranges) const;
  // The messages are due again at `at`. `how` says what else changes.
  uint64_t give_back(Offset from, Offset to, UnixMs at, GiveBack how = {});
  // Delivers messages to their holder once more, without counting an attempt. They are due again after a new interval.
  void repeat(const std::vector<OffsetBits>& messages, UnixMs at, uint32_t retry_ms);
  // The pending messages from `from` to `to`, inclusive, of one consumer or of all, until the limits of `search` are
  // reached. The search's limits are lowered by what was used. Cost: O(ranges looked at).
  std::vector<PendingPart> pending_in(Offset from, Offset to, std::optional<ByteView> consumer,
                                      PendingSearch& search) const;
  // What a consumer holds, from `from` on, at most `count` messages. Looks at `limit` ranges at most.
  std::vector<PendingPart> held_by(ByteView consumer, Offset from, uint64_t count, size_t limit) const;

  // --- from the log ---
  // The log begins at `new_first` now, and has this many offsets without a message.
  void on_evicted(Offset new_first, uint64_t missing = 0, Forgotten* forgotten = nullptr);
  // The same after compaction. Pending messages that were removed count as lost. Undelivered ones do not: a newer
  // message of the same tag will be delivered.
  void on_removed(const Removal& removal, Offset new_first, uint64_t missing);
  // Moves the group to `next` and forgets its pending messages. `missing_ahead` offsets from there on have no message.
  void seek(Offset next, uint64_t missing_ahead = 0, Forgotten* forgotten = nullptr);
  // Forgets all pending messages.
  void forget_all(Forgotten* forgotten);

  // --- as a value ---
  // Restores saved state; see log_codec. REQUIRES: valid for Pending::add.
  void restore(GroupCounters counters) { counters_ = counters; }
  // True if the next read of one message gets a fresh one, because the last delivery had none.
  bool fresh_is_next() const { return fresh_is_next_; }
  void restore_turn(bool fresh_is_next) { fresh_is_next_ = fresh_is_next; }
  void restore_clock(UnixMs last_delivery) { clock_.delivered(last_delivery, true); }
  void restore_pending(OffsetBits messages, PendingTerms terms, std::optional<ByteView> consumer);

  uint64_t memory() const {
    return sizeof(*this) + settings_.dead_letter.capacity() + pending_.memory() + consumers_.memory();
  }
  const char* check(Offset log_first, Offset log_next) const;

 private:
  // How many fresh messages a read could get.
  uint64_t fresh(Offset log_next, bool with_retry, uint64_t default_pending_max) const;
  // How many messages of a read may be due ones, while this many fresh ones are waiting.
  uint64_t share_of_due(uint64_t count, uint64_t fresh) const;
  static GivingUp giving_up(const std::vector<Pending::GivenUp>& given);
  void put(OffsetBits messages, PendingTerms terms, std::optional<ByteView> consumer);
  // True if all pending messages are in [from, to), and held by the holder: they can be forgotten at once.
  bool is_all(Offset from, Offset to, const Pending::Holder& holder) const {
    return holder.messages >= pending_.count() && from <= pending_.first() && pending_.end() <= to;
  }
  uint64_t forget(Offset from, Offset to, Pending::Holder holder = {}, Forgotten* forgotten = nullptr);

  Offset next_;
  uint64_t missing_ahead_;  // offsets from next_ on without a message
  Pending pending_;
  Consumers consumers_;
  GroupSettings settings_;
  GroupCounters counters_;
  bool fresh_is_next_ = false;
  GroupClock clock_;
  Idleness idleness_;
};

}  // namespace millrace
