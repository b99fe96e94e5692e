#include "engine/log/log_operations.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/log/group_effects.h"
#include "engine/log/log_codec.h"
#include "engine/log/log_effects.h"
#include "engine/log/log_extras_codec.h"
#include "engine/log/log_parts.h"
#include "engine/log/log_steps.h"
#include "engine/log/named_groups.h"

namespace millrace {

namespace {

// A compaction step looks at one block at least.
constexpr uint64_t kMessagesPerStep = 128;

}  // namespace

[[gnu::noinline]] Log& LogOperations::create(Place<Log>& place, const Call& call, Effects& effects) {
  Log& log = place.put(Log());
  if (!call.decides) return log;
  HashKey random;
  fill_random_(random);
  uint64_t drawn = 0;
  for (size_t i = 0; i < sizeof(drawn); ++i) drawn = drawn << 8 | random[i];
  log.set_epoch(LogEpoch(1 + drawn % kMaxEpoch.value()));
  effects.add(kLogEpoch, encode_epoch(log.epoch()));
  return log;
}

void LogOperations::settle_evicted(Log& log, uint64_t evicted) {
  if (evicted == 0) return;
  // The evicted messages are no longer pending, so all groups may have finished the messages after them.
  counters_.evicted += evicted + log.enforce_acked();
}

void LogOperations::keep_appended(const Log& log, const Call& call, Consequences& follow) const {
  // The dates of groups have not changed.
  follow.look_after_at(log.next_age_due());
  if (log.retention().latest) keep_compaction(log, call, follow);
}

Outcome<uint64_t> LogOperations::evict(Place<Log>& place, const EvictRequest& request, const Call&) {
  Outcome<uint64_t> done;
  if (place.get() == nullptr) return done;
  Log& log = *place.get();
  const uint64_t evicted = request.keep ? log.keep_newest(*request.keep) : log.evict_before(request.up_to + 1);
  if (evicted == 0) return done;
  settle_evicted(log, evicted);
  done.answer = evicted;
  done.consequences.effects.add_request();
  done.consequences.events.add("tevict");
  // Evicted messages are no longer pending, so a group may have room for more.
  done.consequences.wake = Wake::all_lines();
  return done;
}

Outcome<Done> LogOperations::retain(Place<Log>& place, const RetainRequest& request, const Call& call) {
  Outcome<Done> done{Done()};
  Consequences& follow = done.consequences;
  Log& log = log_at(place, call, follow.effects);
  log.set_retention(request.applied_to(log.retention()));
  follow.effects.add_request();
  // The new limits apply at once. Replicas that repeat this request evict by count and bytes themselves. Age depends on
  // the time, so what it evicts is a separate effect.
  uint64_t evicted = log.enforce_size_limits();
  if (call.decides) {
    const uint64_t aged = log.enforce_age(call.now.wall);
    if (aged != 0) follow.effects.add_command(kEvictCommand, log.first().value() - 1);
    evicted += aged;
    adapt_ids(log, call, follow.effects);
    keep_extras(log, call, follow);
  }
  settle_evicted(log, evicted);
  settle_groups(log);
  follow.look_after_at(log.next_age_due());
  keep_compaction(log, call, follow);
  follow.events.add("tretain");
  follow.wake = Wake::all_lines();
  return done;
}

Result<const Group*> LogOperations::find_group(const Log* log, ByteView log_name, ByteView group) {
  const Group* found = log == nullptr ? nullptr : log->group(group);
  if (found == nullptr) return std::unexpected(no_group(log_name, group));
  return found;
}

bool LogOperations::acknowledge_takes_time(const Log* log, const AckRequest& request) {
  const Group* const group = log == nullptr ? nullptr : log->group(request.group);
  return group != nullptr && group->settings().idle_ms != 0;
}

Outcome<uint64_t> LogOperations::acknowledge(Place<Log>& place, AckRequest& request, const Call& call) {
  Outcome<uint64_t> done;
  Group* group = place.get() == nullptr ? nullptr : place.get()->group(request.group);
  if (group == nullptr) {
    done.answer = std::unexpected(no_group(place.name(), request.group));
    return done;
  }
  const uint64_t before = request.acknowledged.value_or(0);
  // Replicas repeat a request that is done at once, so it is not limited.
  Forgotten* const forgotten = place.get()->forgotten();
  const uint64_t acknowledged = call.may_wait ? acknowledge_part(*group, request, forgotten, done.consequences)
                                              : acknowledge_all(*group, request, forgotten);
  done.answer = before + acknowledged;
  if (acknowledged == 0) return done;
  if (group->settings().idle_ms != 0) use_group(*group, request.group, call, done.consequences.effects);
  counters_.acknowledged += acknowledged;
  if (!request.acknowledged) done.consequences.effects.add_request();
  done.consequences.events.add("tack");
  settle_groups(*place.get());
  // There may be room for more pending messages now.
  done.consequences.wake = Wake::all_lines();
  return done;
}

// No range of offsets can have more batches than offsets, so nearly all requests are done at once.
bool LogOperations::acknowledge_may_go_on(const AckRequest& request) const {
  uint64_t most = 0;
  for (const OffsetRange& range : request.ranges) {
    most += std::min<uint64_t>(range.to - range.from, limits_.batches_at_once) + 1;
  }
  return most > limits_.batches_at_once;
}

uint64_t LogOperations::acknowledge_all(Group& group, const AckRequest& request, Forgotten* forgotten) {
  uint64_t acknowledged = 0;
  for (const OffsetRange& range : request.ranges) {
    acknowledged += group.acknowledge(range.from, range.to, request.consumer, forgotten);
  }
  return acknowledged;
}

uint64_t LogOperations::acknowledge_part(Group& group, AckRequest& request, Forgotten* forgotten,
                                         Consequences& follow) const {
  size_t left = limits_.batches_at_once;
  uint64_t acknowledged = 0;
  size_t next = 0;
  std::vector<OffsetRange> parts;
  for (; next < request.ranges.size() && left != 0; ++next) {
    OffsetRange& range = request.ranges[next];
    Offset to = range.to;
    if (to - range.from >= left) [[unlikely]] {
      to = group.end_of_part(range.from, to, request.consumer, left);
    }
    left -= to == range.to ? std::min<uint64_t>(left, to - range.from + 1) : left;
    acknowledged += group.acknowledge(range.from, to, request.consumer, forgotten);
    if (to == range.to) continue;
    parts.push_back({range.from, to});
    range.from = to + 1;
    break;
  }
  const bool is_done = next == request.ranges.size();
  if (is_done && !request.acknowledged) [[likely]] {
    return acknowledged;
  }
  parts.insert(parts.begin(), request.ranges.begin(), request.ranges.begin() + static_cast<ptrdiff_t>(next));
  request.ranges.erase(request.ranges.begin(), request.ranges.begin() + static_cast<ptrdiff_t>(next));
  request.acknowledged = request.acknowledged.value_or(0) + acknowledged;
  if (!is_done) follow.wait = Wait{.line = std::nullopt, .mark = 0, .tags = {}, .goes_on = true};
  if (acknowledged == 0) return 0;
  std::vector<std::string> texts;
  for (const OffsetRange& part : parts) {
    texts.push_back(std::to_string(part.from.value()) + "-" + std::to_string(part.to.value()));
  }
  std::vector<ByteView> words = {request.group};
  if (request.consumer) words.insert(words.end(), {"CONSUMER", *request.consumer});
  words.insert(words.end(), texts.begin(), texts.end());
  follow.effects.add_words(kAckCommand, words);
  return acknowledged;
}

Outcome<bool> LogOperations::drop_group(Place<Log>& place, ByteView group, const Call&) {
  Outcome<bool> done(place.get() != nullptr && place.get()->drop_group(group));
  if (!*done.answer) return done;
  done.consequences.effects.add_request();
  done.consequences.events.add("tgroup-drop");
  settle_groups(*place.get());
  // Readers that wait for the group get an error.
  done.consequences.wake = Wake::one_line(group);
  return done;
}

Consequences LogOperations::look_after(Place<Log>& place, const Call& call, const Budget& budget) {
  Consequences follow;
  if (place.get() == nullptr) return follow;
  Log& log = *place.get();
  const UnixMs now = call.now.wall;
  if (const uint64_t evicted = log.enforce_age(now)) {
    settle_evicted(log, evicted);
    follow.effects.add_command(kEvictCommand, log.first().value() - 1);
    follow.events.add("tevict");
  }
  if (look_after_groups(place, call, follow)) settle_groups(log);
  if (log.extras() != nullptr) {
    forget_ids(log, call, follow);
    release_due(log, call, budget, follow);
    delete_by_tag(log, budget, follow);
  }
  if (log.wants_compaction()) compact(log, budget, follow);
  follow.look_after_at(log.next_age_due());
  look_after_in(log.ms_until_group_event(call.now), call, follow);
  keep_compaction(log, call, follow);
  // Other clients come first: the rest continues in a millisecond.
  keep_extras(log, call, follow, 1);
  follow.wake = wake_readers(log);
  return follow;
}

bool LogOperations::has_long_work(const Log& log) {
  const LogExtras* const extras = log.extras();
  return log.wants_compaction() || (extras != nullptr && (!extras->deletions.empty() || !extras->schedule.empty()));
}

std::optional<UnixMs> LogOperations::first_date(const Log& log) {
  const bool is_looked_at = log.wants_compaction() || log.has_group_events() || log.extras() != nullptr;
  return is_looked_at ? UnixMs(0) : log.next_age_due();
}

void LogOperations::pack_cold(Log& log, UnixMs now, const PackingTerms& terms, const Budget& budget) {
  while (const auto last_written = log.oldest_unpacked()) {
    if (*last_written + terms.age_ms > now || budget.is_spent()) return;
    const uint64_t saved = log.pack_next(packer_, terms.level);
    ++(saved > 0 ? counters_.blocks_packed : counters_.blocks_left_unpacked);
    counters_.saved_by_packing += saved;
  }
}

void LogOperations::compact(Log& log, const Budget& budget, Consequences& follow) {
  bool any = false;
  while (log.wants_compaction() && !budget.is_spent()) {
    const Removal removal = log.compact(tag_key_, kMessagesPerStep, limits_.blocks);
    if (removal.empty()) continue;
    any = true;
    counters_.compacted += removal.count();
    follow.effects.add(kLogCompacted, encode_effect(removal));
    // A removed message may have been the last one that kept a group from moving on.
    settle_groups(log);
  }
  if (any) follow.events.add("tcompact");
}

Result<void> LogOperations::apply_to(Log& log, const LogEffect& effect) {
  using Kind = LogEffect::Kind;
  switch (effect.kind) {
    case Kind::Clock:
      log.tick(effect.clock);
      return {};
    case Kind::Part:
      return restore_part(log, static_cast<LogPart>(effect.part.kind), effect.part.bytes,
                          Buffer::copy_of(effect.part.block), packer_);
    case Kind::Delivered:
      return apply_delivery(log, effect.bytes);
    case Kind::Finished:
      return apply_finish(log, effect.bytes);
    case Kind::GivenUp:
      return apply_giving_up(log, effect.bytes);
    case Kind::GivenBack:
      return apply_giving_back(log, effect.bytes);
    case Kind::Repeated:
      return apply_repetition(log, effect.bytes);
    case Kind::Used:
      return apply_use(log, effect.bytes);
    case Kind::Dropped:
      return apply_drop(log, effect.bytes);
    case Kind::Compacted: {
      const auto removed = apply_removal(log, effect.bytes, limits_.blocks);
      if (!removed) return std::unexpected(removed.error());
      counters_.compacted += *removed;
      return {};
    }
    case Kind::Due:
      if (log.extras() == nullptr || log.extras()->schedule.size() < effect.count || log.room() < effect.count) {
        return corrupt("more messages due than are scheduled");
      }
      release(log, effect.count, std::nullopt);
      return {};
    case Kind::TagsDeleted: {
      const auto deleted = apply_tag_deletion(log, effect.bytes, limits_.blocks);
      if (!deleted) return std::unexpected(deleted.error());
      counters_.deleted += *deleted;
      return {};
    }
  }
  return {};
}

Outcome<Done> LogOperations::apply(Place<Log>& place, const LogEffect& effect, const Call& call) {
  // A log that does not exist yet is created only if the effect is valid.
  Log made;
  Log& target = place.get() == nullptr ? made : *place.get();
  if (const auto applied = apply_to(target, effect); !applied) return std::unexpected(applied.error());
  Log& log = place.get() == nullptr ? place.put(std::move(made)) : *place.get();
  // The parts in a rewritten AOF make a complete log only with the last command. Before that, other groups or pending
  // messages may be missing, so it is not known yet what all groups have finished.
  if (effect.kind != LogEffect::Kind::Part) settle_groups(log);
  Outcome<Done> done{Done()};
  Consequences& follow = done.consequences;
  follow.look_after_at(log.next_age_due());
  look_after_in(log.ms_until_group_event(call.now), call, follow);
  keep_compaction(log, call, follow);
  keep_extras(log, call, follow);
  follow.effects.add_request();
  follow.events.add("tapply");
  follow.wake = wake_readers(log);
  return done;
}

}  // namespace millrace
