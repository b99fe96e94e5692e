// LOCK.ACQUIRE, LOCK.RENEW, LOCK.RELEASE: what an owner does with a lock. Only a server that
// decides runs the first two: replicas and the AOF get LOCK.APPLY instead.
#include <string>

#include "module/commands/argument_reader.h"
#include "module/commands/lock/lock_answers.h"
#include "module/commands/lock/lock_commands.h"
#include "module/commands/lock/lock_line.h"
#include "module/commands/lock/lock_requests.h"
#include "module/commands/lock/lock_visit.h"
#include "module/host/counters.h"
#include "module/host/fencing.h"
#include "module/host/role.h"

namespace millrace::module {

namespace {

// A visit in which everybody whose time is over is gone, and who waited for that has it.
Result<LockVisit> visit_for(abi::Context context, abi::StringRef name, ByteView owner) {
  auto visit = LockVisit::open(context, name);
  if (!visit || !decides(context)) return visit;
  visit->end_leases(owner);
  pass_on(*visit);
  return visit;
}

}  // namespace

void lock_acquire(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_lock_acquire(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  auto visit = visit_for(context, name, request->owner);
  if (!visit) return context.reply().error(visit.error());

  const Lock& lock = visit->lock();
  switch (lock.admit(request->owner, request->mode, anybody_waits_for_lock(*visit))) {
    case Lock::Admission::Fresh:
    case Lock::Admission::Again:
      write_granted(context.reply(), visit->grant(request->owner, request->mode, request->ttl_ms));
      break;
    case Lock::Admission::OtherMode:
      context.reply().error({ErrorCode::Syntax, quoted(request->owner) + " holds this lock in another mode (" +
                                                    std::string(mode_name(lock.mode())) + "): release it first"});
      break;
    case Lock::Admission::Wait:
      if (request->wait_ms != 0 && !context.must_answer_at_once()) {
        visit->finish();
        return wait_for_lock(context, name, *request);
      }
      write_refused(context.reply(), lock, request->mode, visit->now().monotonic);
      break;
  }
  visit->finish();
}

void lock_renew(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_lock_renew(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  if (request->token > fencing::most_believed()) {
    return context.reply().error({ErrorCode::Range, "the TOKEN is too far ahead of this server's clock"});
  }
  auto visit = visit_for(context, arguments.string(1), request->owner);
  if (!visit) return context.reply().error(visit.error());
  context.reply().integer(visit->renew(request->owner, request->ttl_ms, request->token) ? 1 : 0);
  visit->finish();
}

void lock_release(abi::Context context, abi::Arguments arguments) {
  const auto owner = parse_lock_release(arguments.views(2));
  if (!owner) return context.reply().error(owner.error());
  const abi::StringRef name = arguments.string(1);
  auto visit = visit_for(context, name, *owner);
  if (!visit) return context.reply().error(visit.error());
  const auto left = visit->release(*owner);
  if (!left) {
    context.reply().error({ErrorCode::NotOwner, quoted(*owner) + " does not hold the lock " + quoted(name.view())});
    return visit->finish();
  }
  context.reply().integer(static_cast<int64_t>(*left));
  if (decides(context)) ++counters.lock.releases;
  pass_on(*visit);
  visit->finish_release();
}

}  // namespace millrace::module
