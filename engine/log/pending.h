// The messages of a group that were delivered and are not acknowledged.
//
// Messages delivered together are one range: up to 64 consecutive offsets with one
// deadline and a bitmap of those still pending (RCP 11's "tree of ranges with a
// bitmap"). Acknowledging clears a bit. Ranges never overlap.
//
//   delivered 101..110, then 103 and 104 acknowledged:
//   first 101, bits 1111110011 (bit i stands for offset first + i)
//
// One sequence orders the ranges by offset and another by date, so neither search scans all of them. A range costs 57
// bytes in all, whether it holds one message or 64; 16 more while it is due and can expire.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/ordered_chunks.h"
#include "engine/base/strong.h"

namespace millrace {

// Identifies the consumer that holds a range; see Consumers. It is like a StrongId, but ids begin at 1, and 0 means
// none.
class ConsumerId {
 public:
  constexpr ConsumerId() = default;
  constexpr explicit ConsumerId(uint32_t value) : value_(value) {}

  // For messages that were read without a consumer name.
  static constexpr ConsumerId none() { return ConsumerId(); }
  constexpr bool is_none() const { return value_ == 0; }
  constexpr bool is_some() const { return value_ != 0; }

  constexpr uint32_t value() const { return value_; }

  friend constexpr auto operator<=>(ConsumerId, ConsumerId) = default;

 private:
  uint32_t value_ = 0;
};

// Largest interval between deliveries, 49 days, and largest date: the limits of the fields.
inline constexpr uint64_t kMaxRetryMs = UINT32_MAX;
inline constexpr uint64_t kMaxPendingDate = (uint64_t{1} << 48) - 2;
inline constexpr uint64_t kNeverExpires = kMaxPendingDate + 1;
inline constexpr uint32_t kMaxAttempts = UINT16_MAX;

// What the messages of a range have in common.
struct PendingTerms {
  uint64_t retry_at = 0;               // when they are delivered again
  uint64_t expire_at = kNeverExpires;  // when they are given up
  uint32_t retry_ms = 0;               // the interval that led to retry_at
  uint32_t attempts = 1;               // deliveries so far
  ConsumerId consumer = ConsumerId::none();

  friend bool operator==(const PendingTerms&, const PendingTerms&) = default;
};

// How many bits are set. Most ranges have one, and std::popcount is a function call on processors that may lack the
// instruction.
inline uint64_t count_bits(uint64_t bits) {
  return (bits & (bits - 1)) == 0 ? uint64_t{bits != 0} : static_cast<uint64_t>(std::popcount(bits));
}

// Some messages of one range: bit i stands for offset first + i.
struct OffsetBits {
  Offset first;
  uint64_t bits = 0;

  uint64_t count() const { return count_bits(bits); }
  // One past the highest of them. REQUIRES: bits != 0
  Offset end() const { return first + 64 - static_cast<uint64_t>(std::countl_zero(bits)); }
  // The messages in [from, to]; the first bit is set, if there are any.
  OffsetBits within(Offset from, Offset to) const {
    OffsetBits part = *this;
    if (from > first) part.bits = from - first < 64 ? part.bits >> (from - first) << (from - first) : 0;
    if (to < first) part.bits = 0;
    if (to >= first && to - first < 63) part.bits &= (uint64_t{2} << (to - first)) - 1;
    if (part.bits == 0) return part;
    const int shift = std::countr_zero(part.bits);
    return {first + static_cast<uint64_t>(shift), part.bits >> shift};
  }
  template <class Visit>
  void each(Visit visit) const {
    for (uint64_t left = bits; left != 0; left &= left - 1) {
      visit(first + static_cast<uint64_t>(std::countr_zero(left)));
    }
  }
};

struct PendingPart {
  OffsetBits messages;
  PendingTerms terms;
};

// Limits a search to one consumer. `messages` is how many messages it holds: the search ends after the last of them.
// Without an id, messages of all consumers are found.
struct PendingHolder {
  std::optional<ConsumerId> id = std::nullopt;
  uint64_t messages = UINT64_MAX;

  bool holds(ConsumerId consumer) const { return !id || consumer == *id; }
};

class Pending {
 public:
  using Holder = PendingHolder;
  // How many messages are pending.
  uint64_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  // The lowest pending offset, and one past the highest. REQUIRES: !empty()
  Offset first() const;
  Offset end() const;

  // REQUIRES: none of them is pending; bits != 0; terms within the limits above.
  void add(OffsetBits messages, const PendingTerms& terms);

  // Removes the messages in [from, to), of all consumers or of one, and calls visit(PendingPart) for each piece.
  // Returns how many messages were removed. Cost: O(ranges looked at). If that is a large part of all ranges, it walks
  // through all of them in order, which costs a tenth or less per range.
  template <class Visit>
  uint64_t remove(Offset from, Offset to, Visit visit, Holder holder = {}) {
    // At this number, separate lookups cost as much as a walk through all ranges.
    const size_t many = std::max<size_t>(kFewLooks, ranges_.size() / 64);
    size_t looks = ranges_.about_between(from.value(), to.value()) > many ? kFewLooks : many;
    const uint64_t taken = take(from, to, false, holder, looks, visit);
    holder.messages -= taken;
    return from < to ? taken + take_many(from, to, holder, visit) : taken;
  }
  // Removes the messages in [from, to) that will be added again with other terms. The rest of a range is cut in two, so
  // that ranges do not overlap.
  template <class Visit>
  uint64_t extract(Offset from, Offset to, Visit visit) {
    size_t looks = SIZE_MAX;
    return take(from, to, true, {}, looks, visit);
  }
  void clear();
  // Frees up to `chunks` times 64 ranges; false once nothing is left.
  // REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some(size_t chunks) {
    return ranges_.free_some(chunks) || timed_.free_some(chunks) || due_.free_some(chunks) || again_.free_some(chunks);
  }

  // --- time ---
  // When advance() will next have work to do; nullopt if never.
  std::optional<UnixMs> next_event() const;
  // Handles the dates up to `now`, for at most `limit` ranges. Messages whose retry time has come become due. Expired
  // messages, and those due again after `max_attempts` (0: no limit) deliveries, are returned so that the caller gives
  // them up. Changes only the order in which ranges are looked at, not which messages are pending.
  struct GivenUp {
    PendingPart part;
    bool expired;  // else: after the last attempt
  };
  // admit(messages) returns which of the messages to give up are taken now: some of the first, or none. The others are
  // looked at again by the next call, before any later ones.
  template <class Admit>
  std::vector<GivenUp> advance(UnixMs now, uint32_t max_attempts, size_t limit, Admit admit);
  std::vector<GivenUp> advance(UnixMs now, uint32_t max_attempts, size_t limit) {
    return advance(now, max_attempts, limit, [](const OffsetBits& messages) { return messages.bits; });
  }
  // Removes the mark from due messages: advance() looks at them again, with another `max_attempts`. Cost: O(1), or
  // O(messages that advance() has looked at since the last call), if it has not looked at all of them.
  void look_again();
  // The due messages, oldest deadline first, up to `count`.
  std::vector<PendingPart> due(uint64_t count) const;
  bool has_due() const { return !due_.empty(); }
  // How many messages are due. O(1)
  uint64_t due_count() const { return due_count_; }

  // Pieces in order of offset, from `from` on, until visit returns false.
  template <class Visit>
  void each_from(Offset from, Visit visit) const {
    const Range* const before = const_cast<Ranges&>(ranges_).floor(from.value());
    const bool reaches = before != nullptr && before->first + 63 >= from.value();
    ranges_.each_from(reaches ? before->first : from.value(), [&](const Range& range) {
      return visit(PendingPart{{Offset(range.first), range.bits}, terms_of(range)});
    });
  }

  // The highest offset up to `to` such that [from, result] has messages of at most `batches` ranges. Lowers `batches`
  // by the number of ranges used. REQUIRES: batches != 0
  Offset end_of_batches(Offset from, Offset to, size_t& batches) const;

  // As end_of_batches(), but without looking at the ranges, which makes it much cheaper. A range that begins before
  // `from` does not count. REQUIRES: batches != 0
  Offset end_of_many(Offset from, Offset to, size_t batches) const {
    const Range* const next = ranges_.after(from.value(), batches);
    return next == nullptr || next->first > to.value() ? to : Offset(next->first - 1);
  }

  size_t range_count() const { return ranges_.size(); }
  size_t memory() const { return ranges_.memory() + timed_.memory() + due_.memory() + again_.memory(); }
  const char* check() const;

 private:
  struct Range {
    uint64_t first;
    uint64_t bits;
    uint64_t retry_at : 48;
    uint64_t attempts : 16;
    uint64_t expire_at : 48;
    uint64_t due : 16;  // 0, or which of the two sequences of due ranges it is in: due_mark_ in due_, else in again_
    uint32_t retry_ms;
    ConsumerId consumer;
  };
  static_assert(sizeof(Range) == 40);
  static uint64_t first_of(const Range& range) { return range.first; }
  using Ranges = OrderedChunks<Range, first_of>;

  // A range and a date; ordered by date, then by offset.
  struct Dated {
    uint64_t date;
    uint64_t first;
    friend auto operator<=>(const Dated&, const Dated&) = default;
  };
  static Dated itself(const Dated& dated) { return dated; }
  using ByDate = OrderedChunks<Dated, itself>;

  bool is_due(const Range& range) const { return range.due == due_mark_; }
  uint16_t other_mark() const { return due_mark_ == 1 ? 2 : 1; }
  // Those that wait for advance() to look at them again are found as due ones are, but in another sequence.
  ByDate& due_ranges(const Range& range) { return is_due(range) ? due_ : again_; }
  static uint64_t date_of(const Range& range) {
    return range.due != 0 ? range.expire_at : std::min<uint64_t>(range.retry_at, range.expire_at);
  }

  static PendingTerms terms_of(const Range& range);
  void index(const Range& range);
  void unindex(const Range& range);
  // Keeps only these messages of a range, which stays where it is indexed. REQUIRES: bits is a subset of the range's
  // own
  void shrink(Range& range, uint64_t bits);
  static constexpr size_t kFewLooks = 1000;
  // Moves `from` to the point where the limit on looks was reached, or to `to`.
  template <class Visit>
  uint64_t take(Offset& from, Offset to, bool cut, const Holder& holder, size_t& looks, Visit& visit);
  // The same without cutting, in one pass. REQUIRES: no range that begins before `from` reaches it
  template <class Visit>
  uint64_t take_many(Offset from, Offset to, const Holder& holder, Visit& visit);
  // The messages of the range in [from, to).
  static uint64_t bits_within(const Range& range, Offset from, Offset to);
  // Ranges that were removed together and whose dates are still in the sequences by date.
  class Gone {
   public:
    // Ranges between these offsets, of a sequence of `ranges`.
    Gone(uint64_t from, uint64_t to, size_t ranges) : from_(from), to_(to), is_dense_((to - from) / 64 <= ranges) {
      if (is_dense_) bits_.resize((to - from) / 64 + 1);
    }
    // In ascending order.
    void add(uint64_t first) {
      if (!is_dense_) return firsts_.push_back(first);
      const size_t at = (first - from_) / 64;
      if (at != at_) store(at);
      word_ |= uint64_t{1} << (first - from_) % 64;
    }
    // Called after the last add().
    void end() {
      if (is_dense_) store(0);
    }
    bool has(uint64_t first) const {
      if (!is_dense_) return std::ranges::binary_search(firsts_, first);
      const uint64_t at = first - from_;  // a very large number if `first` is before from_
      return at / 64 < bits_.size() && (bits_[at / 64] >> at % 64 & 1) != 0;
    }

    // What the sequences have of these ranges is between two dates: only this part of them is walked.
    struct Span {
      uint64_t first = UINT64_MAX;
      uint64_t last = 0;

      void add(uint64_t date) {
        first = std::min(first, date);
        last = std::max(last, date);
      }
    };
    Span timed;
    Span due;
    uint64_t from() const { return from_; }
    uint64_t to() const { return to_; }

   private:
    void store(size_t next) {
      bits_[at_] |= word_;
      word_ = 0;
      at_ = next;
    }

    uint64_t from_;
    uint64_t to_;
    // The word that is being filled: a separate member, so that it is in a register while many are added.
    uint64_t word_ = 0;
    size_t at_ = 0;
    // True: the offsets are close to each other, so each is stored as one bit, which needs no search. False: the
    // offsets are stored in order.
    bool is_dense_;
    std::vector<uint64_t> bits_;
    std::vector<uint64_t> firsts_;
  };
  static void note(Gone& gone, const Range& range) {
    gone.add(range.first);
    gone.timed.add(date_of(range));
    if (range.due != 0) gone.due.add(range.retry_at);
  }
  void unindex(const Gone& gone);
  static void unindex(ByDate& dates, const Gone::Span& span, const Gone& gone);
  // Removes the messages of `mask` from the range, which may be deleted or cut in two.
  uint64_t take_from(Range* range, uint64_t mask, bool cut);
  // Keeps the first messages, `bits`, in the range, and moves the others to a new range. REQUIRES: bits != 0
  void split(Range* range, uint64_t bits);

  Ranges ranges_;
  // For ranges that are not due: when they become due or expire. For due ranges that can expire: when they expire.
  ByDate timed_;
  ByDate due_;
  ByDate again_;           // ranges that were due before look_again() and that advance() has not looked at since
  uint16_t due_mark_ = 1;  // 1 or 2: the other one is that of again_
  uint64_t count_ = 0;
  uint64_t due_count_ = 0;  // messages in due ranges
};

template <class Admit>
std::vector<Pending::GivenUp> Pending::advance(UnixMs now, uint32_t max_attempts, size_t limit, Admit admit) {
  std::vector<GivenUp> given_up;
  for (size_t i = 0; i < limit; ++i) {
    const bool is_again = !again_.empty() && again_.front().date <= now.value();
    ByDate& dates = is_again ? again_ : timed_;
    if (dates.empty() || dates.front().date > now.value()) break;
    Range* range = ranges_.find(dates.front().first);
    const bool expired = range->expire_at <= now.value();
    if (expired || (max_attempts != 0 && range->attempts >= max_attempts)) {
      const OffsetBits all{Offset(range->first), range->bits};
      const uint64_t bits = admit(all);
      if (bits == 0) break;
      given_up.push_back({{{all.first, bits}, terms_of(*range)}, expired});
      // Each is reported once: the caller removes it before the next call.
      dates.erase(dates.front());
      if (is_again) timed_.erase({range->expire_at, range->first});
      if (bits == all.bits) continue;
      split(range, bits);
      break;
    }
    unindex(*range);
    range->due = due_mark_;
    index(*range);
  }
  return given_up;
}

template <class Visit>
uint64_t Pending::take(Offset& from, Offset to, bool cut, const Holder& holder, size_t& looks, Visit& visit) {
  uint64_t taken = 0;
  if (from >= to) return 0;
  Range* range = ranges_.floor(from.value());
  if (range == nullptr) range = ranges_.ceiling(from.value());
  const bool is_single = to == from + 1;
  while (range != nullptr && range->first < to.value() && taken < holder.messages) {
    if (looks-- == 0) {
      from = Offset(range->first);
      return taken;
    }
    const Range found = *range;
    const uint64_t mask = holder.holds(found.consumer) ? bits_within(found, from, to) : 0;
    if (mask != 0) {
      taken += take_from(range, mask, cut);
      visit(PendingPart{{Offset(found.first), mask}, terms_of(found)});
    }
    // For a single offset, no other range can match: one search is enough.
    if (is_single) break;
    range = ranges_.ceiling(found.first + 1);
  }
  from = to;
  return taken;
}

template <class Visit>
uint64_t Pending::take_many(Offset from, Offset to, const Holder& holder, Visit& visit) {
  uint64_t taken = 0;
  if (empty()) return taken;
  from = std::max(from, Offset(ranges_.front().first));
  to = std::min(to, end());
  if (from >= to) return taken;
  Gone gone(from.value(), to.value(), ranges_.size());
  uint64_t due = 0;
  ranges_.erase_if(from.value(), to.value(), [&](Range& range) {
    if (!holder.holds(range.consumer)) return false;
    const uint64_t mask = bits_within(range, from, to);
    if (mask == 0) return false;
    const uint64_t messages = count_bits(mask);
    taken += messages;
    visit(PendingPart{{Offset(range.first), mask}, terms_of(range)});
    if (is_due(range)) due += messages;
    if (range.bits != mask) return range.bits &= ~mask, false;
    note(gone, range);
    return true;
  });
  gone.end();
  due_count_ -= due;
  count_ -= taken;
  unindex(gone);
  return taken;
}

}  // namespace millrace
