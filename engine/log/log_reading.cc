// LogOperations: reading, with a group and without, and giving up.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "engine/log/dead_letter_tag.h"
#include "engine/log/group_codec.h"
#include "engine/log/log_effects.h"
#include "engine/log/log_operations.h"

namespace millrace {

namespace {

// How many ranges of pending messages of a group are given up at once: what is left is still due.
constexpr size_t kRangesPerTurn = 100;
// More may be due than one turn looks at, and fresh messages must not overtake it.
constexpr int kTurnsPerRead = 10;
// How long a message waits that could not be moved to the dead letters.
constexpr uint64_t kDeadLetterRetryMs = 60'000;

LogBounds bounds_of(const Log* log) { return log == nullptr ? LogBounds{} : LogBounds{log->first(), log->last()}; }

// Walks messages that have one of some tags.
class TaggedCursor {
 public:
  TaggedCursor(const Log& log, Offset from, const std::vector<ByteView>& tags)
      : cursor_(log, from), tags_(tags), probes_(tags.begin(), tags.end()) {}

  bool next(Message& message) {
    do {
      while (cursor_.skip_block_without(probes_)) {
      }
      if (!cursor_.next(message)) return false;
    } while (std::ranges::find(tags_, message.tag) == tags_.end());
    return true;
  }

 private:
  Log::Cursor cursor_;
  const std::vector<ByteView>& tags_;
  std::vector<TagFilter::Probe> probes_;
};

// REQUIRES: request.from
bool has_something_to_read(const Log* log, const ReadRequest& request) {
  if (log == nullptr) return false;
  if (request.tags.empty()) {
    return request.skip ? std::max(*request.from, log->first()) < log->next() : *request.from < log->next();
  }
  TaggedCursor cursor(*log, *request.from, request.tags);
  Message message;
  return cursor.next(message);
}

}  // namespace

bool LogOperations::read_grows(const Log* log, const ReadRequest& request) {
  if (!request.group) return false;
  return request.group->retry || log == nullptr || log->group(request.group->name) == nullptr;
}

Wait LogOperations::start_afresh(ReadRequest& request) {
  if (request.group) {
    // Nothing in a log that comes now was there before the request.
    request.group->is_there = request.group->at_tail = false;
    return {.line = request.group->name};
  }
  request.from = request.start.in(nullptr);
  return {.line = std::nullopt, .mark = request.from->value()};
}

Outcome<ReadResult> LogOperations::read(Place<Log>& place, ReadRequest& request, const Call& call, MessageSink& sink) {
  return request.group ? read_with_group(place, request, call, sink) : read_alone(place, request, call, sink);
}

Outcome<ReadResult> LogOperations::read_alone(Place<Log>& place, ReadRequest& request, const Call& call,
                                              MessageSink& sink) {
  const Log* log = place.get();
  if (!request.from) request.from = request.start.in(log);
  if (!request.block_ms || has_something_to_read(log, request)) {
    give_messages(log, request, sink);
    return ReadResult::Given;
  }
  Outcome<ReadResult> nothing(ReadResult::NothingCame);
  if (!call.may_wait) return nothing;
  // By tag it waits only for messages it has not looked at yet.
  if (!request.tags.empty() && log != nullptr) request.from = std::max(*request.from, log->next());
  nothing.consequences.wait = Wait{.line = std::nullopt, .mark = request.from->value()};
  return nothing;
}

void LogOperations::give_tagged(const Log& log, const ReadRequest& request, MessageSink& sink) {
  sink.begin(bounds_of(&log), std::nullopt);
  TaggedCursor cursor(log, *request.from, request.tags);
  Message message;
  uint64_t given = 0;
  for (; given < request.count && cursor.next(message); ++given) sink.message(message, 0);
  counters_.read += given;
  sink.end(given);
}

void LogOperations::give_messages(const Log* log, const ReadRequest& request, MessageSink& sink) {
  if (log != nullptr && !request.tags.empty()) return give_tagged(*log, request, sink);
  Offset from = *request.from;
  if (log == nullptr || from >= log->next()) {
    sink.begin(bounds_of(log), 0);
    return sink.end(0);
  }
  if (request.skip) from = std::max(from, log->first());
  const uint64_t evicted = from < log->evicted_end() ? std::min(request.count, log->evicted_end() - from) : 0;
  const uint64_t wanted = request.count - evicted;
  from = std::max(from + evicted, log->first());
  // In a log with gaps only a walk tells how many there are.
  std::optional<uint64_t> known;
  if (log->missing() == 0) known = evicted + std::min(wanted, log->next() - from);
  sink.begin(bounds_of(log), known);
  if (evicted != 0) sink.evicted(evicted);
  Log::Cursor cursor(*log, from);
  Message message;
  uint64_t given = 0;
  for (; given < wanted && cursor.next(message); ++given) sink.message(message, 0);
  counters_.read += given;
  sink.end(evicted + given);
}

Outcome<ReadResult> LogOperations::read_with_group(Place<Log>& place, ReadRequest& request, const Call& call,
                                                   MessageSink& sink) {
  GroupRead& read = *request.group;
  Outcome<ReadResult> done(ReadResult::Given);
  Consequences& follow = done.consequences;
  if (read.was_tried && place.get() == nullptr) {
    done.answer = ReadResult::NothingCame;
    follow.wait = Wait{.line = read.name};
    return done;
  }
  if (read.is_there && (place.get() == nullptr || place.get()->group(read.name) == nullptr)) {
    done.answer = fail(ErrorCode::NoGroup, "the group was dropped while you waited for it");
    return done;
  }
  const Delivery delivery = deliver(place, request, call, follow);
  Log& log = *place.get();
  read.is_there = read.was_tried = true;
  if (!delivery.empty() || !request.block_ms) {
    give_delivery(log, request, delivery, sink);
  } else {
    done.answer = ReadResult::NothingCame;
    if (call.may_wait) follow.wait = Wait{.line = read.name};
  }
  // Messages may have been given up, or a new group may need none of those there are.
  settle_groups(log);
  follow.look_after_at(log.group(read.name)->next_event());
  return done;
}

Delivery LogOperations::deliver(Place<Log>& place, const ReadRequest& request, const Call& call, Consequences& follow) {
  const GroupRead& read = *request.group;
  Log& log = place.get() != nullptr ? *place.get() : place.put(Log());
  const UnixMs now = call.now.wall;
  Group* group = log.group(read.name);
  const bool is_new = group == nullptr;
  if (is_new) group = &log.create_group(read.name, read.at_tail ? log.next() : log.first());
  for (int turn = 0; turn < kTurnsPerRead && group->next_event() && *group->next_event() <= now; ++turn) {
    give_up(place, read.name, *group, now, follow);
  }
  Delivery delivery = group->plan(log.next(), request.count, now, read.retry, read.consumer, limits_.pending_max);
  if (delivery.empty() && !is_new) return delivery;
  log.locate(delivery);
  group->apply(delivery);
  follow.effects.add(kLogDelivered, encode_effect(read.name, delivery));
  follow.events.add("tread");
  return delivery;
}

void LogOperations::give_delivery(Log& log, const ReadRequest& request, const Delivery& delivery, MessageSink& sink) {
  const bool with_attempts = request.group->with_attempts;
  const uint64_t count = delivery.count();
  sink.begin(bounds_of(&log), count);
  Message message;
  if (!delivery.again.empty()) {
    const Group& group = *log.group(request.group->name);
    for (const OffsetBits& part : delivery.again) {
      part.each([&](Offset offset) {
        Log::Cursor(log, offset).next(message);
        sink.message(message, with_attempts ? group.attempts(offset) : 0);
      });
    }
  }
  if (delivery.fresh_count != 0) {
    Log::Cursor cursor(log, delivery.fresh_first);
    for (uint64_t i = 0; i < delivery.fresh_count && cursor.next(message); ++i) {
      sink.message(message, with_attempts ? 1 : 0);
    }
  }
  sink.end(count);
  counters_.read += count;
  counters_.redelivered += count - delivery.fresh_count;
}

void LogOperations::give_up(Place<Log>& place, ByteView name, Group& group, UnixMs now, Consequences& follow) {
  const auto event = group.next_event();
  if (!event || *event > now) return;
  const GivingUp giving_up = group.give_up_due(now, kRangesPerTurn);
  if (giving_up.empty()) return;
  if (!write_dead_letters(place, name, group, giving_up)) {
    GivingBack back{.at = now + kDeadLetterRetryMs, .postpone_expiry = true, .pieces = {}};
    for (const GivingUp::Part& part : giving_up.parts) {
      const Offset last = part.messages.first + 63 - static_cast<uint64_t>(std::countl_zero(part.messages.bits));
      back.pieces.push_back({part.messages.first, last});
      group.give_back(part.messages.first, last, back.at, true);
    }
    return follow.effects.add(kLogGivenBack, encode_effect(name, back));
  }
  group.apply(giving_up);
  for (const GivingUp::Part& part : giving_up.parts) counters_.given_up += part.messages.count();
  follow.effects.add(kLogGivenUp, encode_effect(name, giving_up));
  follow.events.add("tgiveup");
}

bool LogOperations::write_dead_letters(Place<Log>& place, ByteView name, const Group& group,
                                       const GivingUp& giving_up) {
  const std::string& target = group.settings().dead_letter;
  if (target.empty()) return true;
  // A log may have been renamed to what was its DEADLETTER.
  if (target == place.name()) return false;
  // Copies: a message of a packed block can be looked at only until the next one is.
  std::vector<std::string> texts;
  for (const GivingUp::Part& part : giving_up.parts) {
    part.messages.each([&](Offset offset) {
      Message message;
      Log::Cursor(*place.get(), offset).next(message);
      texts.push_back(dead_letter_tag(part.expired, part.attempts, offset, name, place.name(), message.tag));
      texts.emplace_back(message.entry);
    });
  }
  const std::vector<ByteView> pairs(texts.begin(), texts.end());
  if (!other_logs_.write(place, target, {.backlog = std::nullopt, .pairs = pairs})) return false;
  counters_.dead_letters += texts.size() / 2;
  return true;
}

}  // namespace millrace
