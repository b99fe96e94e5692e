// TREADGROUP reads messages for a group and is a write, TREAD_RO reads from an offset on and is a read. TREAD does
// either; docs/why.md says what that means for the host.
#pragma once

#include "module/abi/write_checks.h"
#include "module/log/log_object.h"
#include "module/log/log_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct Tread {
  using Object = Log;
  static constexpr auto parse = parse_tread;

  // With a group it is a write, which the host has checked only as a read.
  static Result<void> check(abi::Context context, abi::StringRef key, const ReadRequest& request) {
    if (!request.group) [[likely]] {
      return {};
    }
    return abi::may_run_write(context, "TREADGROUP", key);
  }
  // Only pending messages of a group have dates.
  static Now now(const ReadRequest& request) { return request.group ? ObjectTraits<Log>::now() : Now(); }
  static bool only_reads(const ReadRequest& request) { return !request.group; }
  static bool grows(const Log* log, const ReadRequest& request) { return LogOperations::read_grows(log, request); }

  static Outcome<ReadResult> execute(Place<Log>& log, ReadRequest& request, const Call& call, abi::Reply reply);
  // Empty: execute() has already written the messages.
  static void write(abi::Reply, ReadResult) {}

  static bool changes(const ReadRequest& request) { return request.group.has_value(); }
  static bool may_go_on(const ReadRequest& request) { return !request.tags.empty(); }
  static void resume(ReadRequest& request, uint64_t mark) { LogOperations::resume(request, mark); }
  static Wait start_afresh(ReadRequest& request) { return LogOperations::start_afresh(request); }
  [[gnu::noinline]] static void answer_timeout(abi::Reply reply, const Log* log, const ReadRequest& request);
};

struct Treadgroup : Tread {
  static constexpr auto parse = parse_treadgroup;
  static Result<void> check(abi::Context, abi::StringRef, const ReadRequest&) { return {}; }
};

struct TreadRo : Tread {
  static constexpr auto parse = parse_tread_ro;
};

}  // namespace millrace::module
