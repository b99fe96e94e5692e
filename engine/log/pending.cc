#include "engine/log/pending.h"

#include <algorithm>

namespace millrace {

namespace {

constexpr uint64_t kDateBits = kNeverExpires;

}  // namespace

PendingTerms Pending::terms_of(const Range& range) {
  return {.retry_at = range.retry_at,
          .expire_at = range.expire_at,
          .retry_ms = range.retry_ms,
          .attempts = static_cast<uint32_t>(range.attempts),
          .consumer = range.consumer};
}

Offset Pending::first() const {
  const Range& range = ranges_.front();
  return Offset(range.first + static_cast<uint64_t>(std::countr_zero(range.bits)));
}

Offset Pending::end() const {
  const Range& range = ranges_.back();
  return Offset(range.first + 64 - static_cast<uint64_t>(std::countl_zero(range.bits)));
}

void Pending::index(const Range& range) {
  if (is_due(range)) due_count_ += static_cast<uint64_t>(std::popcount(range.bits));
  if (range.due != 0) due_ranges(range).insert({range.retry_at, range.first});
  if (const uint64_t date = date_of(range); date != kNeverExpires) timed_.insert({date, range.first});
}

void Pending::unindex(const Range& range) {
  if (is_due(range)) due_count_ -= static_cast<uint64_t>(std::popcount(range.bits));
  if (range.due != 0) due_ranges(range).erase({range.retry_at, range.first});
  timed_.erase({date_of(range), range.first});
}

uint64_t Pending::bits_within(const Range& range, Offset from, Offset to) {
  uint64_t bits = range.bits;
  if (from.value() > range.first) {
    const uint64_t below = from.value() - range.first;
    bits = below >= 64 ? 0 : bits & (~uint64_t{0} << below);
  }
  if (to.value() - range.first < 64) bits &= (uint64_t{1} << (to.value() - range.first)) - 1;
  return bits;
}

void Pending::unindex(const Gone& gone) {
  unindex(timed_, gone.timed, gone);
  unindex(due_, gone.due, gone);
  unindex(again_, gone.due, gone);
}

void Pending::unindex(ByDate& dates, const Gone::Span& span, const Gone& gone) {
  if (span.first > span.last) return;
  // Ranges of one date are in the order of their offsets.
  dates.erase_if({span.first, span.first == span.last ? gone.from() : 0},
                 span.first == span.last ? Dated{span.last, gone.to()} : Dated{span.last + 1, 0},
                 [&](const Dated& dated) { return gone.has(dated.first); });
}

void Pending::shrink(Range& range, uint64_t bits) {
  if (is_due(range)) due_count_ -= static_cast<uint64_t>(std::popcount(range.bits & ~bits));
  range.bits = bits;
}

void Pending::add(OffsetBits messages, const PendingTerms& terms) {
  const auto shift = std::countr_zero(messages.bits);
  const uint64_t first = messages.first.value() + static_cast<uint64_t>(shift);
  const uint64_t bits = messages.bits >> shift;
  count_ += messages.count();
  // Messages that are delivered one by one in the same millisecond become one range.
  if (Range* before = ranges_.floor(first); before != nullptr && first - before->first < 64 && before->due == 0) {
    const uint64_t distance = first - before->first;
    if ((bits << distance) >> distance == bits && terms_of(*before) == terms) {
      before->bits |= bits << distance;
      return;
    }
  }
  Range range{.first = first,
              .bits = bits,
              .retry_at = terms.retry_at & kDateBits,
              .attempts = terms.attempts & kMaxAttempts,
              .expire_at = terms.expire_at & kDateBits,
              .due = 0,
              .retry_ms = terms.retry_ms,
              .consumer = terms.consumer};
  ranges_.insert(range);
  index(range);
}

uint64_t Pending::take_from(Range* range, uint64_t mask, bool cut) {
  const uint64_t first = range->first;
  const auto taken = static_cast<uint64_t>(std::popcount(mask));
  count_ -= taken;
  const uint64_t left = range->bits & ~mask;
  if (left == 0) {
    unindex(*range);
    ranges_.erase(first);
    return taken;
  }
  const int lowest = std::countr_zero(mask);
  const uint64_t lower = left & ((uint64_t{1} << lowest) - 1);
  const uint64_t upper = left & ~lower;
  if (!cut || upper == 0) {
    shrink(*range, left);
    return taken;
  }
  // The upper rest becomes a new range that begins after the removed messages.
  Range rest = *range;
  const int shift = std::countr_zero(upper);
  rest.first = first + static_cast<uint64_t>(shift);
  rest.bits = upper >> shift;
  if (lower == 0) {
    unindex(*range);
    ranges_.erase(first);
  } else {
    shrink(*range, lower);
  }
  ranges_.insert(rest);
  index(rest);
  return taken;
}

void Pending::clear() {
  ranges_.clear();
  timed_.clear();
  due_.clear();
  again_.clear();
  count_ = due_count_ = 0;
}

std::optional<UnixMs> Pending::next_event() const {
  const uint64_t again = again_.empty() ? UINT64_MAX : again_.front().date;
  const uint64_t timed = timed_.empty() ? UINT64_MAX : timed_.front().date;
  const uint64_t first = std::min(again, timed);
  return first == UINT64_MAX ? std::nullopt : std::optional(UnixMs(first));
}

void Pending::split(Range* range, uint64_t bits) {
  Range rest = *range;
  const uint64_t others = range->bits & ~bits;
  shrink(*range, bits);
  const int shift = std::countr_zero(others);
  rest.first += static_cast<uint64_t>(shift);
  rest.bits = others >> shift;
  ranges_.insert(rest);
  index(rest);
}

Offset Pending::end_of_batches(Offset from, Offset to, size_t& batches) const {
  Offset end = to;
  each_from(from, [&](const PendingPart& part) {
    if (part.messages.first > to) return false;
    if (batches == 0) {
      end = Offset(part.messages.first.value() - 1);
      return false;
    }
    --batches;
    return true;
  });
  return end;
}

void Pending::look_again() {
  if (again_.empty()) {
    std::swap(due_, again_);
    due_mark_ = other_mark();
    due_count_ = 0;
  }
  while (!due_.empty()) {
    Range* range = ranges_.find(due_.front().first);
    unindex(*range);
    range->due = other_mark();
    index(*range);
  }
}

std::vector<PendingPart> Pending::due(uint64_t count) const {
  std::vector<PendingPart> parts;
  for (const Dated* next = due_.empty() ? nullptr : &due_.front(); next != nullptr && count > 0;
       next = due_.ceiling({next->date, next->first + 1})) {
    const Range& range = *const_cast<Ranges&>(ranges_).find(next->first);
    uint64_t bits = range.bits;
    while (static_cast<uint64_t>(std::popcount(bits)) > count) bits &= ~std::bit_floor(bits);
    parts.push_back({{Offset(range.first), bits}, terms_of(range)});
    count -= parts.back().messages.count();
  }
  return parts;
}

const char* Pending::check() const {
  for (const char* broken : {ranges_.check(), timed_.check(), due_.check(), again_.check()}) {
    if (broken != nullptr) return broken;
  }
  uint64_t count = 0, due_count = 0, end = 0, dues = 0, agains = 0, dates = 0;
  const char* broken = nullptr;
  ranges_.each([&](const Range& range) {
    if (range.bits == 0) broken = "a range without messages";
    if (range.first < end) broken = "ranges overlap";
    count += static_cast<uint64_t>(std::popcount(range.bits));
    if (is_due(range)) due_count += static_cast<uint64_t>(std::popcount(range.bits));
    end = range.first + 64 - static_cast<uint64_t>(std::countl_zero(range.bits));
    dues += is_due(range);
    agains += range.due != 0 && !is_due(range);
    dates += range.due == 0 || range.expire_at != kNeverExpires;
    const uint64_t date = date_of(range);
    if (date != kNeverExpires) {
      const Dated* found = timed_.ceiling({date, range.first});
      if (found == nullptr || *found != Dated{date, range.first}) broken = "a range is not found by its date";
    }
  });
  if (broken != nullptr) return broken;
  if (count != count_) return "the count is wrong";
  if (due_count != due_count_) return "the count of due messages is wrong";
  if (dues != due_.size()) return "due ranges are not those that are due";
  if (agains != again_.size()) return "ranges to look at again are not those that were due";
  return dates == timed_.size() ? nullptr : "dates without a range";
}

}  // namespace millrace
