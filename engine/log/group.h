// A consumer group: readers that share one position in a log, so that each message goes
// to one of them, and again until it is acknowledged.
//
// What a read does is first planned, which changes nothing, and then applied. The plan
// is the effect that replicas and the AOF are told: they apply the same and compute
// nothing from time.
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
#include "engine/log/group_clock.h"
#include "engine/log/idleness.h"
#include "engine/log/pending.h"

namespace millrace {

struct GroupSettings {
  uint64_t pending_max = 0;   // 0: as the host says
  uint32_t max_attempts = 0;  // 0: no limit
  std::string dead_letter;    // the key given-up messages go to; empty: none
  uint64_t idle_ms = 0;       // dropped if nobody uses it for so long; 0: never

  friend bool operator==(const GroupSettings&, const GroupSettings&) = default;
};

struct GroupCounters {
  uint64_t lost = 0;         // evicted before they were delivered, or while pending
  uint64_t expired = 0;      // given up because their time was over
  uint64_t exhausted = 0;    // given up after the last attempt
  uint64_t redelivered = 0;  // deliveries of a message after its first

  friend bool operator==(const GroupCounters&, const GroupCounters&) = default;
};

// What a reader asks for with RETRY.
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
  Offset fresh_first;                  // then this many fresh ones, from here on
  uint64_t fresh_count = 0;
  Offset fresh_end = {};                    // one past the last of them
  std::vector<OffsetBits> fresh_bits = {};  // which they are, if not all from fresh_first to fresh_end
  // How often each of `again` has been delivered, this time included. Known where the delivery was planned.
  std::vector<uint32_t> attempts = {};

  uint64_t count() const;
  bool empty() const { return again.empty() && fresh_count == 0; }
};

// How messages are given back.
struct GiveBack {
  bool postpones_expiry = false;  // to the date on which they are due again
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
  size_t parts = SIZE_MAX;  // of them, those that it finds

  bool is_over() const { return looks == 0 || parts == 0; }
};

class Group {
 public:
  // Will deliver the first message at or after `next`; this many offsets from there on have none.
  explicit Group(Offset next, uint64_t missing_ahead = 0) : next_(next), missing_ahead_(missing_ahead) {}

  Offset next() const { return next_; }
  // Messages that exist and were not delivered.
  uint64_t lag(Offset log_next) const { return log_next - next_ - missing_ahead_; }
  uint64_t missing_ahead() const { return missing_ahead_; }
  const Pending& pending() const { return pending_; }
  const Consumers& consumers() const { return consumers_; }
  const GroupSettings& settings() const { return settings_; }
  const GroupCounters& counters() const { return counters_; }
  void set(GroupSettings settings) {
    // What is due already may have had its last attempt now.
    if (settings.max_attempts != settings_.max_attempts) pending_.look_again();
    settings_ = std::move(settings);
  }
  // The first offset it is not done with.
  Offset unfinished() const { return pending_.empty() ? next_ : std::min(pending_.first(), next_); }

  // --- reading ---
  // What a read of up to `count` messages at `now` gets: what is due, oldest deadline
  // first, then fresh messages before `log_next`, as many as may be pending. While fresh
  // messages wait, what is due takes at most half of a read, and every other one of a
  // single message.
  // REQUIRES: give_up_due(now) has been asked and applied.
  Delivery plan(Offset log_next, uint64_t count, UnixMs now, const std::optional<Retry>& retry,
                std::optional<ByteView> consumer, uint64_t default_pending_max) const;
  // How many of the available messages each of this many waiting readers gets, at most `count` and at least one.
  // REQUIRES: as plan()
  uint64_t share(Offset log_next, uint64_t count, uint64_t readers, bool with_retry,
                 uint64_t default_pending_max) const;
  // REQUIRES: fresh_end and fresh_bits are right: plan() knows them in a log without gaps,
  // else Log::locate() does.
  void apply(const Delivery& delivery);
  // What was delivered again without RETRY is done. To be called after apply(), where the
  // delivery was planned; others are told as a finish of its own.
  void finish(const std::vector<OffsetBits>& messages);

  // --- time ---
  // What must be given up at `now`: expired, or due again after the last attempt. Looks
  // at `limit` ranges at most; more may be left if next_event() is not in the future.
  // REQUIRES: the answer is applied, or the messages given back, before anything else is
  // asked.
  GivingUp give_up_due(UnixMs now, size_t limit);
  // The same, of as many messages as admit() takes: see Pending::advance().
  template <class Admit>
  GivingUp give_up_due(UnixMs now, size_t limit, Admit admit) {
    return giving_up(pending_.advance(now, settings_.max_attempts, limit, admit));
  }
  void apply(const GivingUp& giving_up);
  // When something is to be done: give_up_due(), or to look whether it is idle().
  std::optional<UnixMs> next_event() const;
  // The same as a time from now.
  std::optional<uint64_t> ms_until_event(const Now& now) const {
    const auto event = next_event();
    if (!event) return std::nullopt;
    return *event > time(now) ? *event - time(now) : 0;
  }
  // The time that all its dates are in.
  UnixMs time(const Now& now) const { return pending_.empty() ? now.wall : clock_.time(now); }
  // To be called by the server that decides, before and after it changes what is pending.
  void run_clock(const Now& now) { pending_.empty() ? clock_.stop() : clock_.run(now); }
  void stop_clock() { clock_.stop(); }
  UnixMs last_delivery() const { return clock_.last_delivery(); }

  // --- use ---
  // True if others must be told: see Idleness.
  bool use(UnixMs now) { return idleness_.use(now, settings_.idle_ms); }
  bool is_idle(UnixMs now) { return idleness_.is_over(now, settings_.idle_ms); }
  UnixMs used() const { return idleness_.used(); }
  void set_used(UnixMs date) { idleness_.set_used(date); }

  // --- answers ---
  // Both ends inclusive; they return how many were pending. With a consumer: only of what it holds.
  uint64_t acknowledge(Offset from, Offset to, std::optional<ByteView> consumer = std::nullopt);
  // Due again at `at`. What is not named in `how` stays.
  uint64_t give_back(Offset from, Offset to, UnixMs at, GiveBack how = {});
  // Delivered to its holder once more, which is no attempt: due again after a new interval.
  void repeat(const std::vector<OffsetBits>& messages, UnixMs at, uint32_t retry_ms);
  // What is pending from `from` to `to`, inclusive, of one consumer or of all, as far as the search goes, which has
  // less left then. Costs what it looks at.
  std::vector<PendingPart> pending_in(Offset from, Offset to, std::optional<ByteView> consumer,
                                      PendingSearch& search) const;
  // What a consumer holds, from `from` on, at most `count` messages. Looks at `limit` ranges at most.
  std::vector<PendingPart> held_by(ByteView consumer, Offset from, uint64_t count, size_t limit) const;

  // --- from the log ---
  // The log begins at `new_first` now, and has this many offsets without a message.
  void on_evicted(Offset new_first, uint64_t missing = 0);
  // The same after compaction. What was pending is lost; what was not delivered yet is
  // not, for a newer message of its tag will be.
  void on_removed(const Removal& removal, Offset new_first, uint64_t missing);
  // Goes to `next`, from where on this many offsets have no message, and forgets what is
  // pending.
  void seek(Offset next, uint64_t missing_ahead = 0);

  // --- as a value ---
  // Puts saved state back; see log_codec. REQUIRES: valid for Pending::add.
  void restore(GroupCounters counters) { counters_ = counters; }
  // True if of a read of one message a fresh one comes next: the last delivery had none.
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
  // How many messages of a read may be due ones, while this many fresh ones wait.
  uint64_t share_of_due(uint64_t count, uint64_t fresh) const;
  static GivingUp giving_up(const std::vector<Pending::GivenUp>& given);
  void put(OffsetBits messages, PendingTerms terms, std::optional<ByteView> consumer);
  uint64_t forget(Offset from, Offset to, Pending::Holder holder = {});

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
