// LogOperations: creating, changing, moving and dropping groups.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/log/log_operations.h"
#include "engine/log/named_groups.h"

namespace millrace {

namespace {

// The offset at which the group will be in this log. Failure: Range
Result<Offset> position_in(const Log& log, const SeekGroupRequest& request) {
  using Where = SeekGroupRequest::Where;
  if (request.where == Where::First) return log.first();
  if (request.where == Where::Next) return log.next();
  if (request.offset > log.next()) {
    return fail(ErrorCode::Range,
                "the offset is beyond the next one of the log, " + std::to_string(log.next().value()));
  }
  return std::max(request.offset, log.first());
}

}  // namespace

Result<void> LogOperations::check_settings(const Place<Log>& place, const SetGroupRequest& request) {
  if (!request.dead_letter || request.dead_letter->empty()) return {};
  if (*request.dead_letter == place.name()) return fail(ErrorCode::Range, "a log cannot be its own DEADLETTER");
  return other_logs_.may_write(place, *request.dead_letter);
}

Outcome<bool> LogOperations::create_group(Place<Log>& place, const CreateGroupRequest& request, const Call& call) {
  const SetGroupRequest& settings = request.settings;
  if (place.get() != nullptr && place.get()->group(settings.group) != nullptr) return Outcome<bool>(false);
  if (const auto may = check_settings(place, settings); !may) return std::unexpected(may.error());
  const Log none;
  const auto position = position_in(place.get() == nullptr ? none : *place.get(), request.at);
  if (!position) return std::unexpected(position.error());
  Outcome<bool> done(true);
  Consequences& follow = done.consequences;
  Log& log = log_at(place, call, follow.effects);
  Group& group = log.create_group(settings.group, *position);
  group.set(settings.applied_to({}));
  follow.effects.add_request();
  use_group(group, settings.group, call, follow.effects);
  follow.events.add("tgroup-create");
  // The group may need none of the existing messages.
  settle_groups(log);
  look_after_group(group, call, follow);
  follow.wake = Wake::all_lines();
  return done;
}

Outcome<Done> LogOperations::seek_group(Place<Log>& place, const SeekGroupRequest& request, const Call& call) {
  Group* group = place.get() == nullptr ? nullptr : place.get()->group(request.group);
  if (group == nullptr) return std::unexpected(no_group(place.name(), request.group));
  Log& log = *place.get();
  const auto to = position_in(log, request);
  if (!to) return std::unexpected(to.error());
  group->seek(*to, log.missing_from(*to), log.forgotten());
  Outcome<Done> done{Done()};
  done.consequences.effects.add_request();
  use_group(*group, request.group, call, done.consequences.effects);
  done.consequences.events.add("tgroup-seek");
  settle_groups(log);
  done.consequences.wake = Wake::all_lines();
  return done;
}

Outcome<Done> LogOperations::set_group(Place<Log>& place, const SetGroupRequest& request, const Call& call) {
  Group* group = place.get() == nullptr ? nullptr : place.get()->group(request.group);
  if (group == nullptr) return std::unexpected(no_group(place.name(), request.group));
  if (const auto may = check_settings(place, request); !may) return std::unexpected(may.error());
  group->set(request.applied_to(group->settings()));
  Outcome<Done> done{Done()};
  Consequences& follow = done.consequences;
  follow.effects.add_request();
  use_group(*group, request.group, call, follow.effects);
  follow.events.add("tgroup-set");
  look_after_group(*group, call, follow);
  follow.wake = Wake::all_lines();
  return done;
}

bool LogOperations::look_after_groups(Place<Log>& place, const Call& call, Consequences& follow) {
  Log& log = *place.get();
  std::vector<std::string> looked_after, idle;
  // After a restart no group clock runs. Without this call, a clock that is before the last delivery would not advance
  // until the next read.
  log.run_group_clocks(call.now);
  for (const auto& [name, group] : log.groups()) {
    if (group.ms_until_event(call.now) == 0) looked_after.push_back(name);
  }
  uint64_t bytes = kDeadLetterBytesAtOnce;
  for (const std::string& name : looked_after) {
    Group& group = *log.group(name);
    group.run_clock(call.now);
    const UnixMs time = group.time(call.now);
    if (bytes != 0) give_up(place, name, group, time, bytes, follow);
    if (group.is_idle(time)) idle.push_back(name);
  }
  for (const std::string& name : idle) {
    log.drop_group(name);
    follow.effects.add(kLogDropped, name);
    follow.events.add("tgroup-drop");
  }
  return !looked_after.empty();
}

}  // namespace millrace
