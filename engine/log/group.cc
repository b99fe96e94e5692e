#include "engine/log/group.h"

#include <algorithm>
#include <utility>

namespace millrace {

namespace {

uint64_t date_after(UnixMs now, uint64_t ms) { return std::min(now.value() + ms, kMaxPendingDate); }

// Counters are saved and shown as signed numbers. In practice they never get that large, but a payload from outside may
// contain such a number.
void add_to(uint64_t& counter, uint64_t count) { counter = std::min(counter + count, uint64_t{INT64_MAX}); }

}  // namespace

uint64_t Delivery::count() const {
  uint64_t sum = fresh_count;
  for (const OffsetBits& part : again) sum += part.count();
  return sum;
}

Delivery Group::plan(Offset log_next, uint64_t count, UnixMs now, const std::optional<Retry>& retry,
                     std::optional<ByteView> consumer, uint64_t default_pending_max) const {
  Delivery delivery;
  delivery.at = now;
  if (consumer) delivery.consumer = std::string(*consumer);
  if (retry) {
    delivery.retry_ms = retry->retry_ms;
    if (retry->expire_ms != 0) delivery.expire_at = date_after(now, retry->expire_ms);
  }
  const uint64_t fresh = this->fresh(log_next, retry.has_value(), default_pending_max);
  if (pending_.has_due()) {
    for (const PendingPart& part : pending_.due(share_of_due(count, fresh))) {
      count -= part.messages.count();
      delivery.again.push_back(part.messages);
      delivery.attempts.push_back(std::min(part.terms.attempts + 1, kMaxAttempts));
    }
  }
  delivery.fresh_first = next_;
  delivery.fresh_count = std::min(count, fresh);
  delivery.fresh_end = next_ + delivery.fresh_count;
  return delivery;
}

uint64_t Group::fresh(Offset log_next, bool with_retry, uint64_t default_pending_max) const {
  const uint64_t most = settings_.pending_max != 0 ? settings_.pending_max : default_pending_max;
  const uint64_t room = most - std::min(most, pending_.count());
  // Without RETRY no message becomes pending, but a full group gets no fresh ones either.
  return std::min(with_retry || room == 0 ? room : UINT64_MAX, lag(log_next));
}

uint64_t Group::share(Offset log_next, uint64_t count, uint64_t readers, bool with_retry,
                      uint64_t default_pending_max) const {
  if (readers <= 1 || count == 0) return count;
  const uint64_t wanted = count * readers;
  const uint64_t found = fresh(log_next, with_retry, default_pending_max);
  const uint64_t there = found >= wanted ? wanted : found + pending_.due_count();
  return std::clamp<uint64_t>((there + readers - 1) / readers, 1, count);
}

// Messages that are due again and again must not starve fresh ones.
uint64_t Group::share_of_due(uint64_t count, uint64_t fresh) const {
  const uint64_t half = count == 1 && !fresh_is_next_ ? 1 : count / 2;
  return std::max(half, count - std::min(count, fresh));
}

void Group::apply(const Delivery& delivery) {
  if (!delivery.empty()) fresh_is_next_ = delivery.fresh_count == 0;
  clock_.delivered(delivery.at, pending_.empty());
  std::optional<ByteView> consumer;
  if (delivery.consumer) consumer = *delivery.consumer;
  for (const OffsetBits& messages : delivery.again) {
    std::vector<PendingPart> taken;
    pending_.extract(messages.first, messages.end(), [&](const PendingPart& part) { taken.push_back(part); });
    for (PendingPart& part : taken) {
      consumers_.release(part.terms.consumer, part.messages.count());
      add_to(counters_.redelivered, part.messages.count());
      part.terms.attempts = std::min(part.terms.attempts + 1, kMaxAttempts);
      if (delivery.retry_ms != 0) part.terms.retry_ms = delivery.retry_ms;
      part.terms.retry_at = date_after(delivery.at, part.terms.retry_ms);
      put(part.messages, part.terms, consumer);
    }
  }
  if (delivery.fresh_count == 0) return;
  if (delivery.retry_ms != 0) {
    const PendingTerms terms{.retry_at = date_after(delivery.at, delivery.retry_ms),
                             .expire_at = delivery.expire_at,
                             .retry_ms = delivery.retry_ms};
    for (const OffsetBits& messages : delivery.fresh_bits) put(messages, terms, consumer);
    const uint64_t in_a_row = delivery.fresh_bits.empty() ? delivery.fresh_count : 0;
    for (uint64_t done = 0; done < in_a_row; done += 64) {
      const uint64_t size = std::min<uint64_t>(64, in_a_row - done);
      put({delivery.fresh_first + done, ~uint64_t{0} >> (64 - size)}, terms, consumer);
    }
  }
  missing_ahead_ -= delivery.fresh_end - delivery.fresh_first - delivery.fresh_count;
  next_ = delivery.fresh_end;
}

void Group::finish(const std::vector<OffsetBits>& messages) {
  for (const OffsetBits& part : messages) forget(part.first, part.end());
}

void Group::put(OffsetBits messages, PendingTerms terms, std::optional<ByteView> consumer) {
  terms.consumer = consumer ? consumers_.hold(*consumer, messages.count()) : ConsumerId::none();
  pending_.add(messages, terms);
}

void Group::restore_pending(OffsetBits messages, PendingTerms terms, std::optional<ByteView> consumer) {
  put(messages, terms, consumer);
}

std::optional<UnixMs> Group::next_event() const {
  const auto pending = pending_.next_event();
  const auto idle = idleness_.next_look(settings_.idle_ms);
  if (!pending || !idle) return pending ? pending : idle;
  return std::min(*pending, *idle);
}

GivingUp Group::give_up_due(UnixMs now, size_t limit) {
  return giving_up(pending_.advance(now, settings_.max_attempts, limit));
}

GivingUp Group::giving_up(const std::vector<Pending::GivenUp>& given) {
  GivingUp all;
  for (const Pending::GivenUp& each : given) {
    all.parts.push_back({each.part.messages, each.part.terms.attempts, each.expired});
  }
  return all;
}

void Group::apply(const GivingUp& giving_up) {
  for (const GivingUp::Part& part : giving_up.parts) {
    const uint64_t gone = forget(part.messages.first, part.messages.end());
    add_to(part.expired ? counters_.expired : counters_.exhausted, gone);
  }
}

uint64_t Group::acknowledge(Offset from, Offset to, std::optional<ByteView> consumer, Forgotten* forgotten) {
  if (!consumer) return forget(from, to + 1, {}, forgotten);
  const ConsumerId id = consumers_.find(*consumer);
  return id.is_none() ? 0 : forget(from, to + 1, {id, consumers_.messages(id)}, forgotten);
}

Offset Group::end_of_part(Offset from, Offset to, const std::optional<ByteView>& consumer, size_t ranges) const {
  if (pending_.empty()) return to;
  const ConsumerId id = consumer ? consumers_.find(*consumer) : ConsumerId::none();
  if (consumer && id.is_none()) return to;
  if (is_all(from, to + 1, {std::nullopt, consumer ? consumers_.messages(id) : UINT64_MAX})) return to;
  return pending_.end_of_many(from, to, ranges);
}

uint64_t Group::give_back(Offset from, Offset to, UnixMs at, GiveBack how) {
  std::vector<PendingPart> taken;
  const uint64_t count = pending_.extract(from, to + 1, [&](const PendingPart& part) { taken.push_back(part); });
  for (PendingPart& part : taken) {
    part.terms.retry_at = std::min(at.value(), kMaxPendingDate);
    if (how.postpones_expiry) part.terms.expire_at = std::max(part.terms.expire_at, part.terms.retry_at);
    if (how.is_uncounted && part.terms.attempts > 0) --part.terms.attempts;
    if (how.releases) {
      consumers_.release(part.terms.consumer, part.messages.count());
      part.terms.consumer = ConsumerId::none();
    }
    pending_.add(part.messages, part.terms);
  }
  return count;
}

void Group::repeat(const std::vector<OffsetBits>& messages, UnixMs at, uint32_t retry_ms) {
  for (const OffsetBits& piece : messages) {
    std::vector<PendingPart> taken;
    pending_.extract(piece.first, piece.end(), [&](const PendingPart& part) { taken.push_back(part); });
    for (PendingPart& part : taken) {
      part.terms.retry_ms = retry_ms;
      part.terms.retry_at = date_after(at, retry_ms);
      pending_.add(part.messages, part.terms);
    }
  }
}

std::vector<PendingPart> Group::pending_in(Offset from, Offset to, std::optional<ByteView> consumer,
                                           PendingSearch& search) const {
  std::vector<PendingPart> found;
  const ConsumerId id = consumer ? consumers_.find(*consumer) : ConsumerId::none();
  if (consumer && id.is_none()) return found;
  // The search ends with the last message that the consumer holds.
  uint64_t held = consumer ? consumers_.messages(id) : UINT64_MAX;
  pending_.each_from(from, [&](const PendingPart& part) {
    if (part.messages.first > to || held == 0 || search.is_over()) return false;
    --search.looks;
    if (consumer && part.terms.consumer != id) return true;
    if (consumer) held -= part.messages.count();
    const OffsetBits messages = part.messages.within(from, to);
    if (messages.bits == 0) return true;
    found.push_back({messages, part.terms});
    --search.parts;
    return true;
  });
  return found;
}

std::vector<PendingPart> Group::held_by(ByteView consumer, Offset from, uint64_t count, size_t limit) const {
  std::vector<PendingPart> found;
  const ConsumerId id = consumers_.find(consumer);
  if (id.is_none()) return found;
  uint64_t left = std::min(count, consumers_.messages(id));
  pending_.each_from(from, [&](const PendingPart& part) {
    if (left == 0 || limit-- == 0) return false;
    if (part.terms.consumer != id) return true;
    OffsetBits messages = part.messages.within(from, kMaxOffset);
    while (messages.count() > left) messages.bits &= ~std::bit_floor(messages.bits);
    left -= messages.count();
    if (messages.bits != 0) found.push_back({messages, part.terms});
    return true;
  });
  return found;
}

void Group::forget_all(Forgotten* forgotten) {
  if (forgotten != nullptr && Forgotten::parts_of(pending_, consumers_) > Forgotten::kMany) [[unlikely]] {
    return forgotten->add(std::exchange(pending_, {}), std::exchange(consumers_, {}));
  }
  pending_.clear();
  consumers_.clear();
}

uint64_t Group::forget(Offset from, Offset to, Pending::Holder holder, Forgotten* forgotten) {
  if (pending_.empty()) return 0;
  if (is_all(from, to, holder)) {
    // All pending messages are removed, so no range must be looked at.
    const uint64_t all = pending_.count();
    forget_all(forgotten);
    return all;
  }
  return pending_.remove(
      from, to, [&](const PendingPart& part) { consumers_.release(part.terms.consumer, part.messages.count()); },
      holder);
}

void Group::on_evicted(Offset new_first, uint64_t missing, Forgotten* forgotten) {
  if (!pending_.empty() && pending_.first() < new_first) {
    add_to(counters_.lost, forget(Offset(0), new_first, {}, forgotten));
  }
  if (next_ >= new_first) return;
  add_to(counters_.lost, new_first - next_ - (missing_ahead_ - missing));
  next_ = new_first;
  missing_ahead_ = missing;
}

void Group::on_removed(const Removal& removal, Offset new_first, uint64_t missing) {
  for (const Removal::Range& range : removal.ranges) {
    if (pending_.empty() || range.from >= pending_.end()) break;
    if (range.to <= pending_.first()) continue;
    add_to(counters_.lost, forget(range.from, range.to));
  }
  missing_ahead_ += removal.count_from(next_);
  if (next_ >= new_first) return;
  next_ = new_first;
  missing_ahead_ = missing;
}

void Group::seek(Offset next, uint64_t missing_ahead, Forgotten* forgotten) {
  forget_all(forgotten);
  next_ = next;
  missing_ahead_ = missing_ahead;
}

const char* Group::check(Offset log_first, Offset log_next) const {
  if (const char* broken = pending_.check()) return broken;
  if (next_ < log_first || next_ > log_next) return "a group's position is outside its log";
  if (!pending_.empty() && pending_.first() < log_first) return "an evicted message is pending";
  const char* broken = nullptr;
  uint64_t held = 0;
  pending_.each_from(Offset(0), [&](const PendingPart& part) {
    if (part.messages.end() > next_) broken = "a message is pending that was not delivered";
    if (part.terms.consumer.is_some()) held += part.messages.count();
    return true;
  });
  if (broken != nullptr) return broken;
  return held == consumers_.messages() ? nullptr : "consumers hold another number than is pending";
}

}  // namespace millrace
