// LogOperations: reading with a group, and giving up. Reading without one is in log_reading_alone.cc.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/log/dead_letter_tag.h"
#include "engine/log/delivery_size.h"
#include "engine/log/group_effects.h"
#include "engine/log/log_effects.h"
#include "engine/log/log_operations.h"
#include "engine/log/named_groups.h"

namespace millrace {

namespace {

// How many ranges of pending messages of a group are given up in one turn; the rest stay due.
constexpr size_t kRangesPerTurn = 100;
// More messages may be due than one turn handles, and fresh messages must not overtake them.
constexpr int kTurnsPerRead = 10;
// How long a message waits if it could not be moved to the dead letters.
constexpr uint64_t kDeadLetterRetryMs = 60'000;

}  // namespace

bool LogOperations::read_grows(const Log* log, const ReadRequest& request) {
  if (!request.group) return false;
  if (request.group->is_mine) return request.group->retry.has_value();
  return request.group->retry || log == nullptr || log->group(request.group->name) == nullptr;
}

Wait LogOperations::start_afresh(ReadRequest& request) {
  if (request.group) {
    // All messages of a log that is created later are newer than the request.
    request.group->is_there = request.group->at_tail = false;
    return {.line = request.group->name};
  }
  request.from = request.start.in(nullptr);
  // A log that is created later has another epoch, so the request fails as soon as there is one.
  if (request.epoch) return {.line = std::nullopt, .mark = 0};
  return {.line = std::nullopt, .mark = request.from->value()};
}

Outcome<ReadResult> LogOperations::read(Place<Log>& place, ReadRequest& request, const Call& call, MessageSink& sink,
                                        const Budget& budget) {
  if (!request.group) return read_alone(place, request, call, sink, budget);
  return request.group->is_mine ? read_mine(place, request, call, sink) : read_with_group(place, request, call, sink);
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
  // Messages may have been given up, or a new group may need none of the existing ones.
  settle_groups(log);
  look_after_group(*log.group(read.name), call, follow);
  return done;
}

Delivery LogOperations::deliver(Place<Log>& place, const ReadRequest& request, const Call& call, Consequences& follow) {
  const GroupRead& read = *request.group;
  Log& log = log_at(place, call, follow.effects);
  Group* group = log.group(read.name);
  const bool is_new = group == nullptr;
  if (is_new) group = &log.create_group(read.name, read.at_tail ? log.next() : log.first());
  const UnixMs now = use_group(*group, read.name, call, follow.effects);
  const auto has_due = [&] { return group->pending().next_event().value_or(now + 1) <= now; };
  uint64_t bytes = kDeadLetterBytesAtOnce;
  for (int turn = 0; turn < kTurnsPerRead && bytes != 0 && has_due(); ++turn) {
    give_up(place, read.name, *group, now, bytes, follow);
  }
  const auto plan = [&](uint64_t count) {
    return group->plan(log.next(), count, now, read.retry, read.consumer, limits_.pending_max);
  };
  // Waiting readers get equal shares of the new messages.
  Delivery delivery =
      plan(group->share(log.next(), request.count, call.in_line, read.retry.has_value(), limits_.pending_max));
  // Messages that do not fit into the answer are not delivered.
  for (uint64_t fits; (fits = messages_within(log, delivery, most_bytes(request))) < delivery.count();) {
    delivery = plan(fits);
  }
  if (delivery.empty() && !is_new) return delivery;
  log.locate(delivery);
  group->apply(delivery);
  follow.effects.add(kLogDelivered, encode_effect(read.name, delivery));
  if (!read.retry && !delivery.again.empty()) {
    group->finish(delivery.again);
    follow.effects.add(kLogFinished, encode_effect(read.name, delivery.again));
  }
  follow.events.add("tread");
  return delivery;
}

void LogOperations::give_delivery(Log& log, const ReadRequest& request, const Delivery& delivery, MessageSink& sink) {
  const bool with_attempts = request.group->with_attempts;
  const uint64_t count = delivery.count();
  sink.begin(log.bounds(), count);
  Message message;
  for (size_t i = 0; i < delivery.again.size(); ++i) {
    delivery.again[i].each([&](Offset offset) {
      Log::Cursor(log, offset).next(message);
      sink.message(message, with_attempts ? delivery.attempts[i] : 0);
    });
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

void LogOperations::give_up(Place<Log>& place, ByteView name, Group& group, UnixMs now, uint64_t& bytes,
                            Consequences& follow) {
  const auto event = group.pending().next_event();
  if (!event || *event > now) return;
  const bool has_letters = !group.settings().dead_letter.empty();
  const GivingUp giving_up = group.give_up_due(now, kRangesPerTurn, [&](const OffsetBits& messages) {
    return has_letters ? admit(*place.get(), messages, bytes) : messages.bits;
  });
  if (giving_up.empty()) return;
  if (!write_dead_letters(place, name, group, giving_up)) {
    GivingBack back{.at = now + kDeadLetterRetryMs, .how = {.postpones_expiry = true}, .pieces = {}};
    for (const GivingUp::Part& part : giving_up.parts) {
      back.pieces.push_back({part.messages.first, part.messages.end() - 1});
      group.give_back(part.messages.first, part.messages.end() - 1, back.at, back.how);
    }
    return follow.effects.add(kLogGivenBack, encode_effect(name, back));
  }
  group.apply(giving_up);
  for (const GivingUp::Part& part : giving_up.parts) counters_.given_up += part.messages.count();
  follow.effects.add(kLogGivenUp, encode_effect(name, giving_up));
  follow.events.add("tgiveup");
}

bool LogOperations::write_dead_letters(Place<Log>& place, ByteView name, const Group& group, const GivingUp& giving_up,
                                       std::optional<ByteView> reason) {
  const std::string& target = group.settings().dead_letter;
  if (target.empty()) return true;
  // The log may have been renamed to the name of its own DEADLETTER.
  if (target == place.name()) return false;
  // Copies, because a message of a packed block is valid only until the next one is read.
  std::vector<std::string> texts;
  for (const GivingUp::Part& part : giving_up.parts) {
    part.messages.each([&](Offset offset) {
      Message message;
      Log::Cursor(*place.get(), offset).next(message);
      texts.push_back(dead_letter_tag(part.expired, part.attempts, offset, name, place.name(), message.tag, reason));
      texts.emplace_back(message.entry);
    });
  }
  const std::vector<ByteView> pairs(texts.begin(), texts.end());
  if (!other_logs_.write(place, target, {.backlog = std::nullopt, .pairs = pairs})) return false;
  counters_.dead_letters += texts.size() / 2;
  return true;
}

}  // namespace millrace
