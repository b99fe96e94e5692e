// LogOperations: acknowledging, giving back and extending messages, and reading again what a consumer holds.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "engine/log/delivery_size.h"
#include "engine/log/group_effects.h"
#include "engine/log/log_effects.h"
#include "engine/log/log_operations.h"
#include "engine/log/named_groups.h"

namespace millrace {

namespace {

// The most ranges of pending messages that one request gives back or extends.
constexpr size_t kBatchesPerNack = 2'000;
// The most messages that one request gives up: each is read and written.
constexpr uint64_t kMostGivenUp = 1000;
// The most ranges of pending messages that are searched for a consumer's messages.
constexpr size_t kMostRangesLookedAt = 100'000;

// Removes messages from the end until the payload is within `most` bytes; the first one stays.
void keep_within(const Log& log, uint64_t most, std::vector<PendingPart>& parts) {
  uint64_t bytes = 0;
  bool is_first = true;
  for (size_t i = 0; i < parts.size(); ++i) {
    uint64_t bits = 0;
    parts[i].messages.each([&](Offset offset) {
      Message message;
      Log::Cursor(log, offset).next(message);
      bytes += message.tag.size() + message.entry.size();
      if (std::exchange(is_first, false) || bytes <= most) bits |= uint64_t{1} << (offset - parts[i].messages.first);
    });
    if (bits == parts[i].messages.bits) continue;
    parts[i].messages.bits = bits;
    parts.resize(bits == 0 ? i : i + 1);
  }
}

Error looked_in_vain() {
  return {ErrorCode::Range, "none of the first " + std::to_string(kMostRangesLookedAt) +
                                " batches pending there is held by the consumer: name other offsets"};
}

// The part of the named messages that one request gives back or extends. Failure: Range, if no message of the consumer
// was found.
Result<std::vector<OffsetRange>> some_held(const Group& group, const std::vector<OffsetRange>& ranges,
                                           const std::optional<ByteView>& consumer) {
  PendingSearch search{.looks = kMostRangesLookedAt, .parts = kBatchesPerNack};
  auto held = held_ranges(group, ranges, consumer, search);
  if (held.empty() && search.looks == 0) return std::unexpected(looked_in_vain());
  return held;
}

// The messages that one request gives up: at most kMostGivenUp, and if they are copied, only as many as admit() allows.
// Failure: as for some_held().
Result<GivingUp> some_to_give_up(const Log& log, const Group& group, const NackRequest& request) {
  GivingUp giving_up;
  PendingSearch search{.looks = kMostRangesLookedAt, .parts = kMostGivenUp};
  uint64_t left = kMostGivenUp;
  uint64_t bytes = group.settings().dead_letter.empty() ? UINT64_MAX : kDeadLetterBytesAtOnce;
  for (const OffsetRange& range : request.ranges) {
    for (PendingPart& part : group.pending_in(range.from, range.to, request.consumer, search)) {
      while (part.messages.count() > left) part.messages.bits &= ~std::bit_floor(part.messages.bits);
      if (bytes != UINT64_MAX) part.messages.bits = admit(log, part.messages, bytes);
      if (part.messages.bits == 0) return giving_up;
      left -= part.messages.count();
      giving_up.parts.push_back({part.messages, part.terms.attempts, false});
    }
  }
  if (giving_up.empty() && search.looks == 0) return std::unexpected(looked_in_vain());
  return giving_up;
}

}  // namespace

Outcome<uint64_t> LogOperations::put_off(Group& group, ByteView name, const std::vector<OffsetRange>& ranges, UnixMs at,
                                         GiveBack how, const Call& call) {
  GivingBack effect{.at = at, .how = how, .pieces = {}};
  uint64_t count = 0;
  size_t batches = kBatchesPerNack;
  for (const OffsetRange& range : ranges) {
    if (batches == 0) break;
    const Offset to = group.pending().end_of_batches(range.from, range.to, batches);
    count += group.give_back(range.from, to, at, how);
    effect.pieces.push_back({range.from, to});
  }
  Outcome<uint64_t> done(count);
  if (count == 0) return done;
  done.consequences.effects.add(kLogGivenBack, encode_effect(name, effect));
  use_group(group, name, call, done.consequences.effects);
  look_after_group(group, call, done.consequences);
  return done;
}

Outcome<uint64_t> LogOperations::give_back(Place<Log>& place, const NackRequest& request, const Call& call) {
  Group* group = place.get() == nullptr ? nullptr : place.get()->group(request.group);
  if (group == nullptr) return std::unexpected(no_group(place.name(), request.group));
  if (request.dead_because) return give_up_now(place, request, call);
  const auto held = some_held(*group, request.ranges, request.consumer);
  if (!held) return std::unexpected(held.error());
  auto done = put_off(*group, request.group, *held, group->time(call.now) + request.delay_ms,
                      {.releases = true, .is_uncounted = request.is_uncounted}, call);
  if (*done.answer == 0) return done;
  done.consequences.events.add("tnack");
  done.consequences.wake = Wake::all_lines();
  return done;
}

Outcome<uint64_t> LogOperations::extend(Place<Log>& place, const ExtendRequest& request, const Call& call) {
  Group* group = place.get() == nullptr ? nullptr : place.get()->group(request.group);
  if (group == nullptr) return std::unexpected(no_group(place.name(), request.group));
  const auto held = some_held(*group, request.ranges, request.consumer);
  if (!held) return std::unexpected(held.error());
  auto done = put_off(*group, request.group, *held, group->time(call.now) + request.ms, {}, call);
  if (*done.answer != 0) done.consequences.events.add("textend");
  return done;
}

Outcome<uint64_t> LogOperations::give_up_now(Place<Log>& place, const NackRequest& request, const Call& call) {
  Log& log = *place.get();
  Group& group = *log.group(request.group);
  const auto giving_up = some_to_give_up(log, group, request);
  if (!giving_up) return std::unexpected(giving_up.error());
  uint64_t count = 0;
  for (const GivingUp::Part& part : giving_up->parts) count += part.messages.count();
  Outcome<uint64_t> done(count);
  if (count == 0) return done;
  if (!write_dead_letters(place, request.group, group, *giving_up, request.dead_because)) {
    return fail(ErrorCode::Full, "the DEADLETTER cannot be written to now: nothing is given up");
  }
  group.apply(*giving_up);
  counters_.given_up += count;
  Consequences& follow = done.consequences;
  follow.effects.add(kLogGivenUp, encode_effect(request.group, *giving_up));
  follow.events.add("tnack");
  use_group(group, request.group, call, follow.effects);
  settle_groups(log);
  look_after_group(group, call, follow);
  // There may be room for more pending messages now.
  follow.wake = Wake::all_lines();
  return done;
}

Outcome<ReadResult> LogOperations::read_mine(Place<Log>& place, const ReadRequest& request, const Call& call,
                                             MessageSink& sink) {
  const GroupRead& read = *request.group;
  Log* log = place.get();
  Outcome<ReadResult> done(ReadResult::Given);
  Group* group = log == nullptr ? nullptr : log->group(read.name);
  if (group == nullptr) {
    sink.begin(log == nullptr ? LogBounds{} : log->bounds(), 0);
    sink.end(0);
    return done;
  }
  const Offset from = std::max(request.start.in(log), log->first());
  Repetition again{.at = use_group(*group, read.name, call, done.consequences.effects),
                   .retry_ms = read.retry ? read.retry->retry_ms : 0,
                   .messages = {}};
  uint64_t count = 0;
  auto held = group->held_by(*read.consumer, from, request.count, kMostRangesLookedAt);
  keep_within(*log, most_bytes(request), held);
  for (const PendingPart& part : held) {
    again.messages.push_back(part.messages);
    count += part.messages.count();
  }
  sink.begin(log->bounds(), count);
  Message message;
  for (const PendingPart& part : held) {
    part.messages.each([&](Offset offset) {
      Log::Cursor(*log, offset).next(message);
      sink.message(message, read.with_attempts ? part.terms.attempts : 0);
    });
  }
  sink.end(count);
  counters_.read += count;
  if (!read.retry || count == 0) return done;
  group->repeat(again.messages, again.at, again.retry_ms);
  done.consequences.effects.add(kLogRepeated, encode_effect(read.name, again));
  done.consequences.events.add("tread");
  look_after_group(*group, call, done.consequences);
  return done;
}

}  // namespace millrace
