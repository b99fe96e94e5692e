// LogOperations: writing, including writes with an id and scheduled writes.
#include <algorithm>
#include <string>

#include "engine/base/quoted.h"
#include "engine/log/log_extras_codec.h"
#include "engine/log/log_operations.h"
#include "engine/log/log_steps.h"

namespace millrace {

namespace {

// How many messages of the schedule are written between two checks of the budget.
constexpr uint64_t kScheduledPerStep = 64;
constexpr uint64_t kScheduledBytesPerStep = uint64_t{256} * 1024;
// How soon a refused write of the schedule is tried again.
constexpr uint64_t kRefusedMs = 100;
// Ids that are too old are dropped once a second, at most this many in one visit, which costs some hundred
// microseconds.
constexpr uint64_t kForgetMs = 1000;
constexpr size_t kIdsForgottenAtOnce = 1000;

uint64_t payload_of(const WriteRequest& request) {
  uint64_t bytes = 0;
  for (ByteView part : request.pairs) bytes += part.size();
  return bytes;
}

// How long the ids of a log are known.
uint64_t ids_window(const Log& log, const LogLimits& limits) {
  const LogExtras* const extras = log.extras();
  return extras != nullptr && extras->ids_ms != 0 ? extras->ids_ms : limits.ids_ms;
}

std::unexpected<Error> refusal(const std::string& group) {
  return fail(ErrorCode::Refused, "the group " + quoted(group) + " has not finished what this write would evict");
}

}  // namespace

Outcome<WriteAnswer> LogOperations::write(Place<Log>& place, const WriteRequest& request, const Call& call) {
  if (request.frame) [[unlikely]] {
    return write_frame(place, request, call);
  }
  const Log* log = place.get();
  const uint64_t messages = request.pairs.size() / 2;
  if (log != nullptr && log->room() < messages) return fail(ErrorCode::Full, "the log has used up its offsets");
  if (request.id || request.waits()) [[unlikely]] {
    return write_with_options(place, request, call);
  }
  if (log != nullptr && log->refuses() && call.decides && !request.is_admitted) [[unlikely]] {
    if (const std::string* group = log->refusing_group(messages, payload_of(request))) {
      ++counters_.refused;
      return refusal(*group);
    }
  }
  return append(place, request, call);
}

// A separate function, so that its outcome is constructed in place and not moved.
Outcome<WriteAnswer> LogOperations::append(Place<Log>& place, const WriteRequest& request, const Call& call) {
  Outcome<WriteAnswer> done;
  Consequences& follow = done.consequences;
  Log& log = log_at(place, call, follow.effects);
  done.answer->offset = log.next();
  append_to(log, request, call, follow);
  return done;
}

[[gnu::always_inline]] inline void LogOperations::finish_appending(Log& log, uint64_t evicted, const Call& call,
                                                                   Consequences& follow) {
  follow.wake = wake_readers(log);
  const bool is_limited = log.retention().any();
  // The limits depend on the log alone, so replicas evict the same messages.
  if (is_limited) evicted += log.enforce_size_limits();
  settle_evicted(log, evicted);
  if (is_limited) keep_appended(log, call, follow);
}

[[gnu::always_inline]] inline void LogOperations::append_to(Log& log, const WriteRequest& request, const Call& call,
                                                            Consequences& follow) {
  move_clock(log, call, follow.effects);
  if (request.pairs.size() == 2) [[likely]] {
    log.append(request.pairs[0], request.pairs[1], limits_.blocks);
  } else {
    log.append_all(request.pairs, limits_.blocks, request.are_records);
  }
  counters_.written += request.pairs.size() / 2;
  finish_appending(log, request.backlog ? log.keep_newest(*request.backlog) : 0, call, follow);
  follow.effects.add_request();
  follow.events.add("twrite");
}

RecentIds& LogOperations::ids_of(Log& log, const Call& call, Effects& effects) {
  auto& ids = log.with_extras().ids;
  const uint64_t window = ids_window(log, limits_);
  if (ids && (!call.decides || ids->window_ms() == window)) return *ids;
  if (!ids) {
    HashKey key{};
    if (call.decides) fill_random_(key);
    ids = std::make_unique<RecentIds>(key, window);
  } else {
    ids->set_window(window, log.clock());
  }
  if (call.decides) effects.add(kLogIds, encode_ids_head(*ids));
  return *ids;
}

void LogOperations::adapt_ids(Log& log, const Call& call, Effects& effects) {
  if (log.extras() == nullptr || !log.extras()->ids) return;
  if (log.extras()->ids->window_ms() == ids_window(log, limits_)) return;
  move_clock(log, call, effects);
  ids_of(log, call, effects);
}

Outcome<WriteAnswer> LogOperations::write_with_options(Place<Log>& place, const WriteRequest& request,
                                                       const Call& call) {
  const Log* there = place.get();
  const RecentIds* known = there == nullptr || there->extras() == nullptr ? nullptr : there->extras()->ids.get();
  RecentIds::Fingerprint print;
  Outcome<WriteAnswer> done;
  Consequences& follow = done.consequences;
  if (request.id && known != nullptr) {
    print = known->fingerprint(*request.id);
    if (call.decides && known->window_ms() != ids_window(*there, limits_)) {
      adapt_ids(*place.get(), call, follow.effects);
    }
    // A replica uses the log's clock, which it got as an effect.
    const UnixMs now = call.decides ? std::max(call.now.wall, there->clock()) : there->clock();
    if (const auto before = known->find(print, now)) {
      ++counters_.duplicates;
      before->date ? void(done.answer->ticket = Ticket{*before->date, before->number})
                   : void(done.answer->offset = Offset(before->number));
      return done;
    }
  }
  const uint64_t messages = request.pairs.size() / 2;
  if (request.waits()) {
    const uint64_t number =
        there == nullptr || there->extras() == nullptr ? 1 : there->extras()->schedule.next_number();
    if (number + messages > kMaxTicketPart) {
      done.answer = fail(ErrorCode::Full, "the log has used up its tickets");
      return done;
    }
  } else if (there != nullptr && there->refuses() && call.decides && !request.is_admitted) {
    if (const std::string* group = there->refusing_group(messages, payload_of(request))) {
      ++counters_.refused;
      done.answer = refusal(*group);
      return done;
    }
  }

  Log& log = log_at(place, call, follow.effects);
  // Ids are in the order of the log's clock.
  if (request.id) move_clock(log, call, follow.effects);
  RecentIds* const ids = request.id ? &ids_of(log, call, follow.effects) : nullptr;
  RecentIds::Answer answer;
  if (request.waits()) {
    const Ticket ticket = schedule(log, request, call, follow);
    done.answer->ticket = ticket;
    answer = {.number = ticket.number, .date = ticket.date};
  } else {
    done.answer->offset = log.next();
    answer.number = log.next().value();
    append_to(log, request, call, follow);
  }
  if (ids != nullptr) {
    if (known == nullptr) print = ids->fingerprint(*request.id);
    ids->add(print, answer, log.clock());
    if (request.waits()) follow.effects.add(kLogIds, encode_id(*ids, log.clock(), print, answer));
  }
  keep_extras(log, call, follow);
  return done;
}

void LogOperations::forget_ids(Log& log, const Call& call, Consequences& follow) {
  adapt_ids(log, call, follow.effects);
  RecentIds* const ids = log.extras()->ids.get();
  if (ids == nullptr || ids->next_expiry().value_or(call.now.wall + 1) > call.now.wall) return;
  if (call.now.wall.value() >= ids->window_ms()) {
    const UnixMs known_from(call.now.wall.value() - ids->window_ms() + 1);
    if (known_from > ids->known_from()) {
      ids->set_known_from(known_from);
      follow.effects.add(kLogIds, encode_ids_head(*ids));
    }
  }
  ids->expire(log.clock(), kIdsForgottenAtOnce);
}

// The effect is the scheduled message, not the request, whose delay would start again.
Ticket LogOperations::schedule(Log& log, const WriteRequest& request, const Call& call, Consequences& follow) {
  const UnixMs now = call.decides ? call.now.wall : log.clock();
  const UnixMs date = std::min(request.at ? *request.at : now + *request.delay_ms, kMaxScheduleDate);
  Schedule& waiting = log.with_extras().schedule;
  const Ticket first{date, waiting.next_number()};
  std::string effect;
  for (size_t i = 0; i < request.pairs.size(); i += 2) {
    const Ticket ticket = waiting.add(date, request.pairs[i], request.pairs[i + 1]);
    append_scheduled(effect, {ticket, request.pairs[i], request.pairs[i + 1]});
  }
  counters_.scheduled += request.pairs.size() / 2;
  follow.effects.add(kLogScheduled, std::move(effect));
  if (request.backlog) {
    if (const uint64_t evicted = log.keep_newest(*request.backlog)) {
      settle_evicted(log, evicted);
      follow.effects.add_command(kEvictCommand, log.first().value() - 1);
    }
  }
  follow.events.add("twrite");
  return first;
}

uint64_t LogOperations::release(Log& log, uint64_t most, std::optional<UnixMs> now) {
  Schedule& waiting = log.extras()->schedule;
  uint64_t count = 0, bytes = 0;
  while (count < most && !waiting.empty() && log.room() != 0) {
    const Schedule::Waiting first = waiting.front();
    // A replica appends exactly the given number.
    if (now && (first.ticket.date > *now || (count != 0 && bytes >= kScheduledBytesPerStep))) break;
    if (now && log.refusing_group(1, first.tag.size() + first.entry.size()) != nullptr) break;
    log.append(first.tag, first.entry, limits_.blocks);
    bytes += first.tag.size() + first.entry.size();
    waiting.pop_front();
    ++count;
    // One after the other, as if each had been written separately.
    if (log.retention().any()) settle_evicted(log, log.enforce_size_limits());
  }
  counters_.written += count;
  return count;
}

void LogOperations::release_due(Log& log, const Call& call, const Budget& budget, Consequences& follow) {
  const auto is_due = [&] {
    const auto date = log.extras()->schedule.next_due();
    return date && *date <= call.now.wall;
  };
  if (!is_due()) return;
  move_clock(log, call, follow.effects);
  uint64_t count = 0;
  do {
    const uint64_t step = release(log, kScheduledPerStep, call.now.wall);
    count += step;
    if (step == 0) break;
  } while (is_due() && !budget.is_spent());
  if (count == 0) return;
  follow.effects.add(kLogDue, count);
  follow.events.add("twrite");
}

void LogOperations::keep_extras(const Log& log, const Call& call, Consequences& follow, uint64_t rest_ms) {
  const LogExtras* const extras = log.extras();
  if (extras == nullptr) return;
  const auto keep = [&](UnixMs date, uint64_t if_due) {
    date > call.now.wall ? follow.look_after_at(date) : look_after_in(if_due, call, follow);
  };
  if (!extras->schedule.empty()) {
    const Schedule::Waiting first = extras->schedule.front();
    const bool is_held = first.ticket.date <= call.now.wall &&
                         (log.room() == 0 || log.refusing_group(1, first.tag.size() + first.entry.size()) != nullptr);
    keep(first.ticket.date, is_held ? kRefusedMs : rest_ms);
  }
  if (!extras->deletions.empty()) look_after_in(rest_ms, call, follow);
  if (extras->ids) {
    // Many at once, not one by one.
    if (const auto date = extras->ids->next_expiry()) keep(*date + kForgetMs, rest_ms);
  }
}

Outcome<uint64_t> LogOperations::cancel(Place<Log>& place, const TicketsRequest& request, const Call&) {
  Outcome<uint64_t> done;
  if (place.get() == nullptr || place.get()->extras() == nullptr) return done;
  uint64_t count = 0;
  for (const Ticket& ticket : request.tickets) count += place.get()->extras()->schedule.erase(ticket) ? 1 : 0;
  if (count == 0) return done;
  done.answer = count;
  done.consequences.effects.add_request();
  done.consequences.events.add("tsched-cancel");
  return done;
}

Outcome<uint64_t> LogOperations::release_now(Place<Log>& place, const TicketsRequest& request, const Call& call) {
  Outcome<uint64_t> done;
  Log* const log = place.get();
  if (log == nullptr || log->extras() == nullptr) return done;
  Schedule& waiting = log->extras()->schedule;
  std::vector<Ticket> tickets = request.tickets;
  std::ranges::sort(tickets);
  tickets.erase(std::unique(tickets.begin(), tickets.end()), tickets.end());
  std::erase_if(tickets, [&](const Ticket& ticket) { return !waiting.find(ticket); });
  if (tickets.empty()) return done;
  uint64_t bytes = 0;
  for (const Ticket& ticket : tickets) {
    const auto message = waiting.find(ticket);
    bytes += message->tag.size() + message->entry.size();
  }
  if (log->room() < tickets.size()) return fail(ErrorCode::Full, "the log has used up its offsets");
  if (call.decides) {
    if (const std::string* group = log->refusing_group(tickets.size(), bytes)) return refusal(*group);
  }
  Consequences& follow = done.consequences;
  move_clock(*log, call, follow.effects);
  for (const Ticket& ticket : tickets) {
    const auto message = waiting.find(ticket);
    log->append(message->tag, message->entry, limits_.blocks);
    waiting.erase(ticket);
  }
  counters_.written += tickets.size();
  finish_appending(*log, 0, call, follow);
  done.answer = tickets.size();
  follow.effects.add_request();
  follow.events.add("tsched-now");
  return done;
}

}  // namespace millrace
